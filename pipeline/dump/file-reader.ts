import { isUtf8 } from 'node:buffer';
import { CopyBuffer, recordPrefix, scanRecord } from './copy-buffer.ts';
import type { DumpFile } from './files.ts';
import { fingerprint, type Fingerprint, fingerprintOf } from './fingerprint.ts';
import type { KnownRecords } from './known-records.ts';
import { type Layout, parseRecord, parseRecords, readHeader, type TableShape } from './header.ts';
import { scanQuoted } from './quoted.ts';
import type { RecordHandler } from './record.ts';
import { Refusal } from '../errors.ts';
import { isSound } from './sound.ts';

const SEPARATOR = 59;
const LINE_FEED = 10;
/** Characters of an unreadable record that are kept. */
const RAW_LENGTH = 4000;
/**
 * A file with more unreadable rows than this is none of a dump: reading ends, so that the rejects
 * of one file cannot fill the disk.
 */
const UNREADABLE_ROWS = 100_000;

/** A record that could not be read. Whether one repeats another, only `1b_reject.sql` can tell. */
export interface RejectedRecord {
  file_no: number;
  line: number;
  reason: string;
  raw: string;
  is_repeat: false;
}

/**
 * Turns the records of one file into lines to COPY and rejects: drops what was there yesterday,
 * parses the rest. Records come from a `RecordSplitter`, the first one being the header.
 */
export class FileReader implements RecordHandler {
  readonly lines = new CopyBuffer();
  readonly rejects: RejectedRecord[] = [];
  /** Records read, without the header and blank lines. */
  read_count = 0;
  layout: Layout | undefined;

  readonly #source: TableShape;
  readonly #file: DumpFile;
  readonly #known: KnownRecords;
  /** Where the fields of the record end that is looked at. */
  #ends = new Uint32Array(0);
  #seed: Fingerprint = { high: 0, low: 0 };
  readonly #print: Fingerprint = { high: 0, low: 0 };
  #view: DataView = new DataView(new ArrayBuffer(0));
  #viewed: Buffer | undefined;
  #unreadable_count = 0;
  #firstUnreadable: string | undefined;
  /** Quoted records of one line that wait for the parser: starting it costs more than a record. */
  #quoted: { bytes: Buffer; line: number; prefix: string }[] = [];

  constructor(source: TableShape, file: DumpFile, known: KnownRecords) {
    this.#source = source;
    this.#file = file;
    this.#known = known;
  }

  record(data: Buffer, start: number, end: number, line: number, quoted: boolean): boolean {
    if (!this.layout) {
      this.#readHeader(data.subarray(start, end));
      return true;
    }
    if (start === end) return true;
    if (!this.#isKnown(data, start, end)) return this.#stage(data, start, end, line, quoted);
    this.read_count++;
    return true;
  }

  reject(data: Buffer, start: number, end: number, line: number, reason: string): void {
    if (!this.layout) {
      throw new Refusal(`${this.#file.file}, line 1: the header cannot be read, ${reason}`);
    }
    this.read_count++;
    this.#reject(data, start, end, line, reason);
  }

  /** To be called after the last record. Throws a `Refusal` when there was no header. */
  end(): void {
    if (!this.layout) throw new Refusal(`${this.#file.file}: an empty file, without a header`);
    this.#parseQuoted();
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
      else this.#reject(bytes, 0, bytes.length, line, this.#misfit(fields));
    }
  }

  #readHeader(bytes: Buffer): void {
    this.layout = readHeader(this.#source, this.#file.file, bytes);
    this.#ends = new Uint32Array(this.layout.columns.length);
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

  /** @returns false when a record of several lines does not parse */
  #stage(data: Buffer, start: number, end: number, line: number, quoted: boolean): boolean {
    const scan = scanRecord(data, start, end, this.#ends);
    const bytes = data.subarray(start, end);
    const width = this.layout!.columns.length;
    const isSeveralLines = quoted && bytes.includes(LINE_FEED);
    // Of other records with quotes only a parser can tell the fields.
    const isPlain = !quoted || (!isSeveralLines && scanQuoted(scan, data, start, end, this.#ends));
    const prefix = recordPrefix(this.#file.file_no, line, this.#print, {
      needs_tidying: !isPlain || scan.needs_tidying,
      is_sound: isPlain && isSound(this.layout!.formed, data, start, this.#ends),
    });
    let reason: string | undefined;
    if (scan.has_nul) reason = 'a NUL byte';
    else if (!scan.is_ascii && !isUtf8(bytes)) reason = 'not UTF-8';
    else if (isSeveralLines || (isPlain && (scan.has_return || this.layout!.unknown.length > 0))) {
      const fields = parseRecord(bytes);
      if (fields?.length !== width) reason = this.#misfit(fields);
      else if (spansRows(fields)) reason = 'a quote that closes in another row';
      else this.#addFields(prefix, fields);
    } else if (!isPlain) {
      this.#quoted.push({ bytes: Buffer.from(bytes), line, prefix });
      if (this.#quoted.length >= 500) this.#parseQuoted();
    } else if (scan.separators === width - 1) {
      this.lines.addPlain(prefix, data, start, end);
    } else reason = `${scan.separators + 1} fields instead of ${width}`;
    this.#countRejected(data, start, end, line, reason, isSeveralLines);
    return !(reason !== undefined && isSeveralLines);
  }

  #countRejected(
    data: Buffer,
    start: number,
    end: number,
    line: number,
    reason: string | undefined,
    isSeveralLines: boolean,
  ): void {
    this.read_count++;
    if (reason === undefined) return;
    const feed = isSeveralLines ? data.indexOf(LINE_FEED, start) : end;
    this.#reject(data, start, feed, line, reason);
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

  #reject(data: Buffer, start: number, end: number, line: number, reason: string): void {
    this.#firstUnreadable ??= `line ${line}: ${reason}`;
    if (++this.#unreadable_count > UNREADABLE_ROWS) {
      throw new Refusal(
        `${this.#file.file}, ${this.#firstUnreadable}; ` +
          `more than ${UNREADABLE_ROWS} rows of it cannot be read`,
      );
    }
    const raw = data.toString('utf8', start, Math.min(end, start + RAW_LENGTH));
    this.rejects.push({
      file_no: this.#file.file_no,
      line,
      reason,
      raw: raw.replaceAll('\0', '␀').trimEnd(),
      is_repeat: false,
    });
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
