import { CopyLines } from './copy-lines.ts';
import type { DumpFile } from './files.ts';
import { fingerprint, type Fingerprint, fingerprintOf, toBigint } from './fingerprint.ts';
import { type Layout, readHeader } from './header.ts';
import type { KnownFingerprints } from './known-fingerprints.ts';
import { findFault, RecordScanner } from './record-scanner.ts';
import type { RecordHandler } from './record-splitter.ts';
import { RejectList } from './reject-list.ts';
import { Refusal } from '../errors.ts';
import type { TableSource } from '../sources/source.ts';
import { isWellFormed } from './well-formed.ts';

const SEPARATOR = 59;
const LINE_FEED = 10;

const prefixColumns = ['file_no', 'line', 'fingerprint', 'needs_tidying', 'is_well_formed'];

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
  #seed: Fingerprint = { high: 0, low: 0 };
  readonly #print: Fingerprint = { high: 0, low: 0 };
  #view: DataView = new DataView(new ArrayBuffer(0));
  #viewed: Buffer | undefined;

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
    this.read_count++;
    if (this.#isKnown(data, start, end)) {
      this.rejects.pass();
      return true;
    }
    if (!scanned) this.#scanner.scan(data, start, end);
    const scan = scanned ?? this.#scanner;
    const reason = this.#stage(data, start, end, line, scan);
    if (reason === undefined) {
      this.rejects.pass();
      return true;
    }
    const lineEnd = scan.is_multiline ? data.indexOf(LINE_FEED, start) : end;
    this.rejects.add(data.subarray(start, lineEnd), line, reason);
    return !scan.is_multiline;
  }

  reject(data: Buffer, start: number, end: number, line: number, reason: string): void {
    if (!this.layout) {
      throw new Refusal(`${this.#file.file}, line 1: the header cannot be read, ${reason}`);
    }
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
    const { columns } = this.layout!;
    const fault = findFault(scan, data, start, end, columns.length);
    if (fault !== undefined) return fault;
    const prefix = this.#prefix(data, start, line, scan);
    if (scan.is_plain && !scan.is_multiline && !scan.has_return && !columns.includes(null)) {
      this.lines.addPlain(prefix, data, start, end);
      return undefined;
    }
    const fields = scan.readFields(data, start);
    this.lines.addFields(
      prefix,
      fields.filter((_, at) => columns[at] !== null),
    );
    return undefined;
  }
}
