import { isUtf8 } from 'node:buffer';
import { CopyLines } from './copy-lines.ts';
import type { DumpFile } from './files.ts';
import { fingerprint, type Fingerprint, fingerprintOf, toBigint } from './fingerprint.ts';
import { type Layout, readHeader } from './header.ts';
import type { KnownFingerprints } from './known-fingerprints.ts';
import { RecordScanner } from './record-scanner.ts';
import type { RecordHandler } from './record-splitter.ts';
import { shorten, UNREADABLE_ROWS, type UnreadableRow } from '../sources/rejects.ts';
import { Refusal } from '../errors.ts';
import type { TableSource } from '../sources/source.ts';
import { isWellFormed } from './well-formed.ts';
import { figure } from '../figure.ts';

const SEPARATOR = 59;
const LINE_FEED = 10;
/** At most this many consecutive unreadable rows. More mean an open quote, or a file without rows. */
const UNREADABLE_IN_A_ROW = 1000;

const prefixColumns = ['file_no', 'line', 'fingerprint', 'needs_tidying', 'is_well_formed'];

/** Turns the records of one file into COPY lines and rejects. The first record is the header. */
export class FileReader implements RecordHandler {
  readonly lines = new CopyLines();
  readonly rejects: UnreadableRow[] = [];
  /** Counts records, without the header and blank lines. */
  read_count = 0;
  layout: Layout | undefined;

  readonly #source: TableSource;
  readonly #file: DumpFile;
  readonly #known: KnownFingerprints;
  readonly #scanner = new RecordScanner();
  #seed: Fingerprint = { high: 0, low: 0 };
  readonly #print: Fingerprint = { high: 0, low: 0 };
  #view: DataView = new DataView(new ArrayBuffer(0));
  #viewed: Buffer | undefined;
  #unreadable_count = 0;
  #firstUnreadable: string | undefined;
  #unreadable_in_a_row = 0;
  #firstInARow = '';

  constructor(source: TableSource, file: DumpFile, known: KnownFingerprints) {
    this.#source = source;
    this.#file = file;
    this.#known = known;
  }

  /** The columns of a COPY line. Columns that the source does not describe are left out. */
  get columns(): string[] {
    return [...prefixColumns, ...this.layout!.columns.filter((column) => column !== null)];
  }

  record(
    data: Buffer,
    start: number,
    end: number,
    line: number,
    scanned: RecordScanner | undefined,
  ): boolean {
    if (!this.layout) {
      this.#readHeader(data.subarray(start, end));
      return true;
    }
    if (start === end) return true;
    this.read_count++;
    if (this.#isKnown(data, start, end)) {
      this.#unreadable_in_a_row = 0;
      return true;
    }
    if (!scanned) this.#scanner.scan(data, start, end);
    const scan = scanned ?? this.#scanner;
    const reason = this.#stage(data, start, end, line, scan);
    if (reason === undefined) {
      this.#unreadable_in_a_row = 0;
      return true;
    }
    const lineEnd = scan.is_multiline ? data.indexOf(LINE_FEED, start) : end;
    this.#reject(data.subarray(start, lineEnd), line, reason);
    return !scan.is_multiline;
  }

  reject(data: Buffer, start: number, end: number, line: number, reason: string): void {
    if (!this.layout) {
      throw new Refusal(`${this.#file.file}, line 1: the header cannot be read, ${reason}`);
    }
    this.read_count++;
    this.#reject(data.subarray(start, end), line, reason);
  }

  /** Call after the last record. Throws a `Refusal` when the file had no header. */
  end(): void {
    if (!this.layout) throw new Refusal(`${this.#file.file}: an empty file, without a header`);
  }

  #readHeader(bytes: Buffer): void {
    this.layout = readHeader(this.#source, this.#file.file, bytes);
    const { mapping_version } = this.#source;
    this.#seed = fingerprintOf(
      [mapping_version, this.#file.file_key, this.layout.header].join('\n'),
    );
  }

  #isKnown(data: Buffer, start: number, end: number): boolean {
    if (this.#viewed !== data) {
      this.#viewed = data;
      this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    }
    let content = start;
    if (this.layout!.starts_with_row_number) {
      while (content < end && data[content]! >= 48 && data[content]! <= 57) content++;
      content = data[content] === SEPARATOR ? content + 1 : start;
    }
    fingerprint(this.#view, content, end, this.#seed, this.#print);
    return this.#known.meet(this.#print);
  }

  /** The values of `prefixColumns`. */
  #prefix(data: Buffer, start: number, line: number, scan: RecordScanner): string {
    const isCertain = scan.is_plain && !scan.is_multiline;
    const needs_tidying = !isCertain || scan.needs_tidying;
    const is_well_formed = isCertain && isWellFormed(this.layout!.formed, data, start, scan);
    return [
      this.#file.file_no,
      line,
      toBigint(this.#print),
      needs_tidying,
      is_well_formed,
      '',
    ].join(';');
  }

  /** @returns why the record cannot be read */
  #stage(
    data: Buffer,
    start: number,
    end: number,
    line: number,
    scan: RecordScanner,
  ): string | undefined {
    const { columns, unknown } = this.layout!;
    if (scan.has_nul) return 'a NUL byte';
    if (!scan.is_ascii && !isUtf8(data.subarray(start, end))) return 'not UTF-8';
    if (scan.has_inner_quote) return 'quotes that do not match';
    if (scan.field_count !== columns.length) {
      return `${scan.field_count} fields instead of ${columns.length}`;
    }
    const prefix = this.#prefix(data, start, line, scan);
    if (scan.is_plain && !scan.is_multiline && !scan.has_return && unknown.length === 0) {
      this.lines.addPlain(prefix, data, start, end);
      return undefined;
    }
    const fields = scan.readFields(data, start);
    if (scan.is_multiline && spansRows(fields)) return 'a quote that closes in another row';
    this.lines.addFields(
      prefix,
      fields.filter((_, at) => columns[at] !== null),
    );
    return undefined;
  }

  #reject(bytes: Buffer, line: number, reason: string): void {
    const found = `line ${line}: ${reason}`;
    this.#firstUnreadable ??= found;
    if (++this.#unreadable_in_a_row === 1) this.#firstInARow = found;
    if (this.#unreadable_in_a_row > UNREADABLE_IN_A_ROW) {
      throw new Refusal(
        `${this.#file.file}, ${this.#firstInARow}; ` +
          `the ${figure(UNREADABLE_IN_A_ROW)} rows after it cannot be read either`,
      );
    }
    if (++this.#unreadable_count > UNREADABLE_ROWS) {
      throw new Refusal(
        `${this.#file.file}, ${this.#firstUnreadable}; ` +
          `more than ${figure(UNREADABLE_ROWS)} rows of it cannot be read`,
      );
    }
    this.rejects.push({ file_no: this.#file.file_no, line, reason, raw: shorten(bytes) });
  }
}

/**
 * Whether a field with line breaks looks like parts of two rows, because a quote is missing. Such a
 * field ends right after a separator, or has the separators of a whole row.
 */
function spansRows(fields: readonly string[]): boolean {
  return fields.some(
    (field) =>
      field.includes('\n') && (/;"*$/.test(field) || field.split(';').length >= fields.length),
  );
}
