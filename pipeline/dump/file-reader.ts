import { CopyLines } from './copy-lines.ts';
import type { DumpFile } from './files.ts';
import { type Layout, readHeader, refuseHeader } from './header.ts';
import type { FingerprintContext, KnownFingerprints } from './known-fingerprints.ts';
import { RECORD_WORDS } from './line-memory.ts';
import { findFault, RECORD_BYTES, RecordScanner } from './record-scanner.ts';
import type { RecordHandler } from './record-splitter.ts';
import { RejectList } from './reject-list.ts';
import { Refusal } from '../errors.ts';
import { holdsElevenDigits, maskPersonalNumbers } from '../sources/personal-number.ts';
import type { TableSource } from '../sources/source.ts';
import { tidy } from '../sources/text.ts';
import { isWellFormed } from './well-formed.ts';

const LINE_FEED = 10;

const prefixColumns = ['file_no', 'line', 'fingerprint', 'is_well_formed'];

/** The first of `prefixColumns`. */
type Place = [file_no: number, line: number, fingerprint: bigint];

/** Turns the records of one file into COPY lines and rejects. The first record is the header. */
export class FileReader implements RecordHandler {
  readonly lines = new CopyLines();
  readonly rejects: RejectList;
  /** Counts records, without the header and blank lines. */
  read_count = 0;
  layout: Layout | undefined;

  readonly #source: TableSource;
  readonly #file: DumpFile;
  readonly #known: KnownFingerprints;
  readonly #scanner = new RecordScanner();
  #context: FingerprintContext | undefined;

  constructor(source: TableSource, file: DumpFile, known: KnownFingerprints) {
    this.#source = source;
    this.#file = file;
    this.#known = known;
    this.rejects = new RejectList(file);
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
    const print = this.#known.fingerprint(start, end, this.#context!);
    if (this.#known.meet(print)) {
      this.#skip(1);
      return true;
    }
    return this.#take(data, start, end, line, print, scanned);
  }

  passLines(data: Buffer, start: number, line: number) {
    if (!this.#context) return undefined;
    const passed = this.#known.pass(start, data.length, RECORD_BYTES, this.#context);
    const { words, longs } = this.#known.memory;
    for (let at = 0; at < passed.listed_count * RECORD_WORDS; at += RECORD_WORDS) {
      this.#skip(words[at]!);
      this.#take(data, words[at + 1]!, words[at + 2]!, line + words[at + 3]!, longs[at / 2 + 2]!);
    }
    this.#skip(passed.known_count);
    return passed;
  }

  /** Counts known records. */
  #skip(count: number): void {
    this.read_count += count;
    if (count > 0) this.rejects.pass();
  }

  /** Takes a record that is not known. @returns false when a record of several lines cannot be read */
  #take(
    data: Buffer,
    start: number,
    end: number,
    line: number,
    print: bigint,
    scanned?: RecordScanner,
  ): boolean {
    this.read_count++;
    if (!scanned) this.#scanner.scan(data, start, end);
    const scan = scanned ?? this.#scanner;
    const reason = this.#stage(data, start, end, [this.#file.file_no, line, print], scan);
    if (reason === undefined) {
      this.rejects.pass();
      return true;
    }
    const lineEnd = scan.is_multiline ? data.indexOf(LINE_FEED, start) : end;
    this.rejects.add(data.subarray(start, lineEnd), line, reason);
    return !scan.is_multiline;
  }

  reject(data: Buffer, start: number, end: number, line: number, reason: string): void {
    if (!this.layout) refuseHeader(this.#file.file, reason);
    this.read_count++;
    this.rejects.add(data.subarray(start, end), line, reason);
  }

  /** Call after the last record. Throws a `Refusal` when the file had no header. */
  end(): void {
    if (!this.layout) throw new Refusal(`${this.#file.file}: an empty file, without a header`);
  }

  #readHeader(bytes: Buffer): void {
    this.layout = readHeader(this.#source, this.#file.file, bytes);
    const { mapping_version } = this.#source;
    const seed = this.#known.memory.fingerprintOf(
      [mapping_version, this.#file.file_key, this.layout.header].join('\n'),
    );
    this.#context = { seed, skipsNumber: this.layout.starts_with_row_number };
  }

  /** The values of `prefixColumns`. */
  #prefix(data: Buffer, start: number, place: Place, scan: RecordScanner): string {
    const isCertain = scan.is_plain && !scan.is_multiline;
    const is_well_formed = isCertain && isWellFormed(this.layout!.formed, data, start, scan);
    const [file_no, line, print] = place;
    return `${file_no};${line};${print};${is_well_formed};`;
  }

  /** @returns why the record cannot be read */
  #stage(
    data: Buffer,
    start: number,
    end: number,
    place: Place,
    scan: RecordScanner,
  ): string | undefined {
    const { columns } = this.layout!;
    const fault = findFault(scan, data, start, end, columns.length);
    if (fault !== undefined) return fault;
    const prefix = this.#prefix(data, start, place, scan);
    const isCertain = scan.is_plain && !scan.is_multiline;
    const isTidy = isCertain && !scan.needs_tidying && !holdsElevenDigits(data, start, end);
    if (isTidy && !columns.includes(null)) {
      this.lines.addPlain(prefix, data, start, end);
      return undefined;
    }
    const fields = scan.readFields(data, start).flatMap((field, at) => {
      const column = columns[at]!;
      if (column === null) return [];
      return [isTidy ? field : maskPersonalNumbers(tidy(field), column)];
    });
    this.lines.addFields(prefix, fields);
    return undefined;
  }
}
