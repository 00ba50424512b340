import { holdsElevenDigits, maskPersonalNumbers } from '../sources/personal-number.ts';
import type { TableSource } from '../sources/source.ts';
import { tidy } from '../sources/tidy.ts';
import { CopyLines } from './copy-lines.ts';
import type { DumpFile } from './files.ts';
import type { Layout } from './header.ts';
import type { FingerprintContext, KnownFingerprints } from './known-fingerprints.ts';
import type { Span } from './line-memory.ts';
import type { RecordScanner } from './record-scanner.ts';
import type { StagedRows } from './stage-rows.ts';
import { TableReader } from './table-reader.ts';
import { isWellFormed } from './well-formed.ts';

/** The columns of `stage.column_text` that precede the columns of the dump file. */
export const prefixColumns = ['file_no', 'line', 'fingerprint', 'is_well_formed'];

/**
 * Turns the new and changed records of a dump file into COPY lines, and collects the file's unreadable rows.
 * `archive.ts` opens the file, which may be in a .zip or .gz archive.
 */
export class FileReader extends TableReader implements StagedRows {
  readonly readers = [this];
  readonly table: string;
  row_count = 0;
  readonly lines = new CopyLines();

  readonly #source: TableSource;
  readonly #known: KnownFingerprints;
  #context: FingerprintContext | undefined;

  constructor(source: TableSource, file: DumpFile, known: KnownFingerprints) {
    super({ file, table: source, separator: ';' }, known.memory);
    this.table = `column_text_${file.file_no}`;
    this.#source = source;
    this.#known = known;
  }

  /** Returns the column names of the COPY lines, without columns of the file that the source does not describe. */
  get columns(): string[] {
    return [...prefixColumns, ...this.layout!.columns.filter((column) => column !== null)];
  }

  protected override take(span: Span, scanned?: RecordScanner): boolean {
    if (!this.#known.meet(this.#fingerprint(span))) return super.take(span, scanned);
    this.#skip(1);
    return true;
  }

  passLines(data: Buffer, start: number, line: number) {
    if (!this.#context) return undefined;
    const passed = this.#known.pass(data, start, line, this.#context);
    for (const listed of passed.listed) {
      this.#skip(listed.number);
      super.take(listed);
    }
    this.#skip(passed.known_count);
    return passed;
  }

  /** Counts `count` unchanged records as read; they are not copied into the night's tables. */
  #skip(count: number): void {
    this.read_count += count;
    if (count > 0) this.rejects.pass();
  }

  #fingerprint({ start, end }: Span): bigint {
    return this.#known.fingerprint(start, end, this.#context!);
  }

  protected begin({ header, starts_with_row_number }: Layout): void {
    const { mapping_version } = this.#source;
    const read = [mapping_version, this.file.file_key, header].join('\n');
    const seed = this.memory.fingerprintOf(read);
    this.#context = { seed, skipsNumber: starts_with_row_number };
  }

  /** Adds the COPY line of a record that is new or changed. */
  protected use(span: Span, scan: RecordScanner): undefined {
    const { data, start, end, line } = span;
    const { columns, formed } = this.layout!;
    const isCertain = scan.is_plain && !scan.is_multiline;
    const is_well_formed = isCertain && isWellFormed(formed, data, start, scan);
    const prefix = `${this.file.file_no};${line};${this.#fingerprint(span)};${is_well_formed};`;
    const isTidy = isCertain && !scan.needs_tidying && !holdsElevenDigits(data, start, end);
    if (isTidy && !columns.includes(null)) {
      this.lines.addPlain(prefix, data, start, end);
      return;
    }
    const fields = scan.readFields(data, start).flatMap((field, at) => {
      const column = columns[at]!;
      if (column === null) return [];
      return [isTidy ? field : maskPersonalNumbers(tidy(field), column)];
    });
    this.lines.addFields(prefix, fields);
  }
}
