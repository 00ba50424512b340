import { isUtf8 } from 'node:buffer';
import { CopyLines } from './copy-lines.ts';
import type { DumpFile } from './files.ts';
import { fingerprint, type Fingerprint, fingerprintOf, toBigint } from './fingerprint.ts';
import { type Layout, parseRecord, parseRecords, readHeader, type TableShape } from './header.ts';
import type { KnownFingerprints } from './known-fingerprints.ts';
import { RecordScanner } from './record-scanner.ts';
import type { RecordHandler } from './record-splitter.ts';
import { Refusal } from '../errors.ts';
import { isWellFormed } from './well-formed.ts';

const SEPARATOR = 59;
const LINE_FEED = 10;
/** Characters of an unreadable record that are kept. */
const RAW_LENGTH = 4000;
/** Quoted records that are parsed together: starting the parser costs more than a record. */
const PARSED_TOGETHER = 500;
/**
 * A file with more unreadable rows than this is none of a dump: reading ends, so that the rejects
 * of one file cannot fill the disk.
 */
const UNREADABLE_ROWS = 100_000;
/**
 * So many unreadable rows without one that can be read are no rows: a quote that never closes, or another
 * kind of file. Reading ends at once.
 */
const UNREADABLE_IN_A_ROW = 1000;

/** The columns that every staged record begins with. */
export const prefixColumns = [
  'file_no',
  'line',
  'fingerprint',
  'needs_tidying',
  'is_well_formed',
] as const;

/** A record that could not be read. */
export interface RejectedRecord {
  file_no: number;
  line: number;
  reason: string;
  raw: string;
}

/**
 * Turns the records of one file into lines to COPY and rejects: skips what was there yesterday, parses
 * what only a parser can read. Records come from a `RecordSplitter`, the first one being the header.
 */
export class FileReader implements RecordHandler {
  readonly lines = new CopyLines();
  readonly rejects: RejectedRecord[] = [];
  /** Records read, without the header and blank lines. */
  read_count = 0;
  layout: Layout | undefined;

  readonly #source: TableShape;
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
  /** Quoted records of one line that wait for the parser. */
  #quoted: { bytes: Buffer; line: number; prefix: string }[] = [];

  constructor(source: TableShape, file: DumpFile, known: KnownFingerprints) {
    this.#source = source;
    this.#file = file;
    this.#known = known;
  }

  /** The columns of a line to COPY; those that the source does not describe are not among them. */
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
    const reason = this.#stage(
      data.subarray(start, end),
      line,
      scan,
      this.#prefix(data, start, line, scan),
    );
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

  /** To be called after the last record. Throws a `Refusal` when there was no header. */
  end(): void {
    if (!this.layout) throw new Refusal(`${this.#file.file}: an empty file, without a header`);
    this.#parseQuoted();
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

  /** What a line to COPY begins with. */
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
  #stage(bytes: Buffer, line: number, scan: RecordScanner, prefix: string): string | undefined {
    const { columns, unknown } = this.layout!;
    if (scan.has_nul) return 'a NUL byte';
    if (!scan.is_ascii && !isUtf8(bytes)) return 'not UTF-8';
    if (scan.is_multiline || (scan.is_plain && (scan.has_return || unknown.length > 0))) {
      const fields = parseRecord(bytes);
      if (fields?.length !== columns.length) return this.#misfit(fields);
      if (spansRows(fields)) return 'a quote that closes in another row';
      this.#addFields(prefix, fields);
      return undefined;
    }
    if (!scan.is_plain) {
      this.#quoted.push({ bytes: Buffer.from(bytes), line, prefix });
      if (this.#quoted.length >= PARSED_TOGETHER) this.#parseQuoted();
      return undefined;
    }
    if (scan.field_count !== columns.length) {
      return `${scan.field_count} fields instead of ${columns.length}`;
    }
    this.lines.addPlain(prefix, bytes, 0, bytes.length);
    return undefined;
  }

  /** Parses the quoted records that wait. */
  #parseQuoted(): void {
    const waiting = this.#quoted;
    this.#quoted = [];
    if (waiting.length === 0) return;
    const joined = Buffer.concat(waiting.flatMap(({ bytes }) => [bytes, lineFeed]));
    const records = parseRecords(joined);
    const width = this.layout!.columns.length;
    if (records?.length === waiting.length && records.every((fields) => fields.length === width)) {
      waiting.forEach(({ prefix }, at) => this.#addFields(prefix, records[at]!));
      return;
    }
    for (const { bytes, line, prefix } of waiting) {
      const fields = parseRecord(bytes);
      if (fields?.length === width) this.#addFields(prefix, fields);
      else this.#reject(bytes, line, this.#misfit(fields));
    }
  }

  #misfit(fields: string[] | undefined): string {
    const width = this.layout!.columns.length;
    return fields ? `${fields.length} fields instead of ${width}` : 'quotes that do not match';
  }

  #addFields(prefix: string, fields: string[]): void {
    const { columns, unknown } = this.layout!;
    this.lines.addFields(
      prefix,
      unknown.length === 0 ? fields : fields.filter((_, at) => columns[at] !== null),
    );
  }

  #reject(bytes: Buffer, line: number, reason: string): void {
    const found = `line ${line}: ${reason}`;
    this.#firstUnreadable ??= found;
    if (++this.#unreadable_in_a_row === 1) this.#firstInARow = found;
    if (this.#unreadable_in_a_row > UNREADABLE_IN_A_ROW) {
      throw new Refusal(
        `${this.#file.file}, ${this.#firstInARow}; ` +
          `the ${UNREADABLE_IN_A_ROW} rows after it cannot be read either`,
      );
    }
    if (++this.#unreadable_count > UNREADABLE_ROWS) {
      throw new Refusal(
        `${this.#file.file}, ${this.#firstUnreadable}; ` +
          `more than ${UNREADABLE_ROWS} rows of it cannot be read`,
      );
    }
    const raw = bytes.toString('utf8', 0, RAW_LENGTH).replaceAll('\0', '␀').trimEnd();
    this.rejects.push({ file_no: this.#file.file_no, line, reason, raw });
  }
}

const lineFeed = Buffer.from('\n');

/**
 * Whether a field with line breaks looks like parts of two rows: a quote was lost in one, so that
 * what it had opened ends only in a later row. Either at the quotes that open a field there, and so
 * behind a separator, or where another quote was lost: then it holds the separators of a whole row.
 */
function spansRows(fields: readonly string[]): boolean {
  return fields.some(
    (field) =>
      field.includes('\n') && (/;"*$/.test(field) || field.split(';').length >= fields.length),
  );
}
