import type { Fields, JoinDescription } from '../../sources/source.ts';
import { CopyLines, joinFields } from '../copy-lines.ts';
import type { Halves, KnownFingerprints } from '../known-fingerprints.ts';
import { isWellFormed } from '../well-formed.ts';
import type { Cursor } from './cursor.ts';
import type { Row } from './row-reader.ts';

const [semicolon, comma, opening, closing, end] = [';', ',', '{""', '}', '""'].map((text) =>
  Buffer.from(text),
) as [Buffer, Buffer, Buffer, Buffer, Buffer];

/** Makes one record of a row and its details, and COPY lines of the records that are not known. */
export class RecordWriter {
  readonly lines = new CopyLines();
  /** Counts the rows that lack their details. */
  lacking_count = 0;

  readonly #join: JoinDescription;
  readonly #known: KnownFingerprints;
  readonly #main: Cursor;
  readonly #details: Cursor;
  readonly #print: Halves = { high: 0, low: 0 };

  constructor(join: JoinDescription, known: KnownFingerprints, main: Cursor, details: Cursor) {
    this.#join = join;
    this.#known = known;
    this.#main = main;
    this.#details = details;
  }

  /** The columns of a COPY line. */
  get columns(): string[] {
    const read = this.#main.reader.layout!.columns.filter((column) => column !== null);
    const staged = ['file_no', 'line', 'fingerprint', 'is_well_formed', ...read];
    return [...staged, ...Object.keys(this.#join.combined), 'details'];
  }

  /** Takes a row of the main file, with its rows of the other. */
  write(row: Row, details: readonly Row[]): void {
    const print = this.#print;
    print.high = row.high;
    print.low = row.low;
    // A sum is the same in any order of the details.
    for (const { high, low } of details) {
      print.high = (print.high + high) | 0;
      print.low = (print.low + low) | 0;
    }
    if (print.high === 0 && print.low === 0) print.low = 1;
    if (details.length === 0) this.#countLacking(row);
    if (this.#known.meetHalves(print)) return;
    const fault = this.#stage(row, details);
    if (fault !== undefined) this.#main.reader.rejectRow(row, fault);
  }

  #readPrint(): bigint {
    const { high, low } = this.#print;
    return (BigInt(high) << 32n) | BigInt(low >>> 0);
  }

  /** Rejects a row of details that has no row of the main file. */
  writeStray(row: Row): void {
    if (row.fault !== undefined) return;
    const reason = `no row of this ${this.#join.key} in ${this.#main.file.file}`;
    this.#details.reader.rejectRow(row, reason);
  }

  #countLacking(row: Row): void {
    const fields = this.#main.reader.readFields(row, true);
    if (typeof fields === 'object' && this.#join.needsDetails(fields)) this.lacking_count += 1;
  }

  /** @returns why the record cannot be read */
  #stage(row: Row, rows: readonly Row[]): string | undefined {
    const details = this.#readDetails(rows);
    if (typeof details === 'string') return details;
    const { reader, file } = this.#main;
    const fields = reader.readFields(row, true);
    if (typeof fields === 'string') return fields;
    const { scanner, layout } = reader;
    const is_well_formed =
      scanner.is_plain &&
      !scanner.is_multiline &&
      isWellFormed(layout!.formed, row.data, row.start, scanner);
    const combined = this.#join.combine(fields, [...details.keys()]);
    const { lines } = this;
    lines.addText(`${file.file_no};${row.line};${this.#readPrint()};${is_well_formed};`);
    this.#addColumns(row);
    lines.addText(
      `${joinFields(Object.keys(this.#join.combined).map((name) => String(combined[name])))};"[`,
    );
    combined.listed.forEach((one, at) => {
      if (at > 0) lines.addQuoted(comma);
      this.#addDetail(details.get(one)!);
    });
    lines.addText(']"\n');
    return undefined;
  }

  /** The fields of a row that are read, as bytes where they need no parser: it takes most of the time. */
  #addColumns(row: Row): void {
    const { reader } = this.#main;
    const { lines } = this;
    const begin = lines.length;
    const isPlain = reader.eachField(row, (start, stop) => {
      if (!lines.addBytes(row.data, start, stop)) return false;
      lines.addQuoted(semicolon);
      return true;
    });
    if (isPlain) return;
    lines.cut(begin);
    const fields = reader.readFields(row) as Fields;
    const columns = reader.layout!.columns.filter((column) => column !== null);
    lines.addText(`${joinFields(columns.map((column) => fields[column] ?? ''))};`);
  }

  /** The brief fields of the rows, with equal rows once; or why they cannot be used. */
  #readDetails(rows: readonly Row[]): Map<Fields, Row> | string {
    const { unique } = this.#join.details;
    const { reader, file } = this.#details;
    const found = new Map<Fields, Row>();
    const known = new Map<string, Row>();
    for (const row of rows) {
      const where = `${file.file}, line ${row.line}`;
      if (row.fault !== undefined) return `${where}: ${row.fault}`;
      const fields = reader.readFields(row, true);
      if (typeof fields === 'string') {
        reader.rejectRow(row, fields);
        return `${where}: ${fields}`;
      }
      const key = fields[unique];
      if (key === undefined) return `${where}: no ${unique}`;
      const other = known.get(key);
      if (!other) found.set(fields, row);
      else if (other.high !== row.high || other.low !== row.low) {
        return `${where}: another row of ${unique} ${key} than in line ${other.line}`;
      }
      known.set(key, row);
    }
    return found;
  }

  /** Adds a row as JSON within a quoted field. */
  #addDetail(row: Row): void {
    const { reader } = this.#details;
    const { lines } = this;
    const begin = lines.length;
    let isFirst = true;
    const isPlain = reader.eachField(row, (start, stop, name) => {
      if (start === stop) return true;
      if (!isFirst) lines.addQuoted(comma);
      lines.addQuoted(isFirst ? opening : end);
      isFirst = false;
      lines.addQuoted(name);
      if (!lines.addBytes(row.data, start, stop)) return false;
      lines.addQuoted(end);
      return true;
    });
    if (isPlain) {
      lines.addQuoted(closing);
      return;
    }
    lines.cut(begin);
    lines.addText(JSON.stringify(reader.readFields(row)).replaceAll('"', '""'));
  }
}
