import type { Fields, JoinDescription } from '../../sources/source.ts';
import { CopyLines } from '../copy-lines.ts';
import { type Fingerprint, toBigint } from '../fingerprint.ts';
import type { KnownFingerprints } from '../known-fingerprints.ts';
import { isWellFormed } from '../well-formed.ts';
import type { Cursor } from './cursor.ts';
import type { Row } from './row-reader.ts';

/** Makes one record of a row and its details, and COPY lines of the records that are not known. */
export class RecordWriter {
  readonly lines = new CopyLines();
  /** Counts the rows that lack their details. */
  lacking_count = 0;

  readonly #join: JoinDescription;
  readonly #known: KnownFingerprints;
  readonly #main: Cursor;
  readonly #details: Cursor;
  readonly #print: Fingerprint = { high: 0, low: 0 };

  constructor(join: JoinDescription, known: KnownFingerprints, main: Cursor, details: Cursor) {
    this.#join = join;
    this.#known = known;
    this.#main = main;
    this.#details = details;
  }

  /** The columns of a COPY line. */
  get columns(): string[] {
    const read = this.#main.reader.layout!.columns.filter((column) => column !== null);
    const staged = ['file_no', 'line', 'fingerprint', 'needs_tidying', 'is_well_formed', ...read];
    return [...staged, ...Object.keys(this.#join.combined)];
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
    if (this.#known.meet(print)) return;
    const fault = this.#stage(row, details);
    if (fault !== undefined) this.#main.reader.rejectRow(row, fault);
  }

  /** Rejects a row of details that has no row of the main file. */
  writeStray(row: Row): void {
    if (row.fault !== undefined) return;
    const reason = `no row of this ${this.#join.key} in ${this.#main.file.file}`;
    this.#details.reader.rejectRow(row, reason);
  }

  #countLacking(row: Row): void {
    const fields = this.#main.reader.readFields(row);
    if (typeof fields === 'object' && this.#join.needsDetails(fields)) this.lacking_count += 1;
  }

  /** @returns why the record cannot be read */
  #stage(row: Row, rows: readonly Row[]): string | undefined {
    const { reader, file } = this.#main;
    const fields = reader.readFields(row);
    if (typeof fields === 'string') return fields;
    const details = this.#readDetails(rows);
    if (typeof details === 'string') return details;
    const { scanner, layout } = reader;
    const is_well_formed =
      scanner.is_plain &&
      !scanner.is_multiline &&
      isWellFormed(layout!.formed, row.data, row.start, scanner);
    const prefix = [file.file_no, row.line, toBigint(this.#print), false, is_well_formed, ''];
    const combined = this.#join.combine(fields, details);
    this.lines.addFields(prefix.join(';'), [
      ...layout!.columns.flatMap((column) => (column === null ? [] : [fields[column] ?? ''])),
      ...Object.keys(this.#join.combined).map((name) => JSON.stringify(combined[name])),
    ]);
    return undefined;
  }

  /** The fields of the rows, with equal rows once; or why they cannot be used. */
  #readDetails(rows: readonly Row[]): Fields[] | string {
    const { unique } = this.#join.details;
    const { reader, file } = this.#details;
    const known = new Map<string, { row: Row; fields: Fields }>();
    for (const row of rows) {
      const where = `${file.file}, line ${row.line}`;
      if (row.fault !== undefined) return `${where}: ${row.fault}`;
      const fields = reader.readFields(row);
      if (typeof fields === 'string') {
        reader.rejectRow(row, fields);
        return `${where}: ${fields}`;
      }
      const key = fields[unique];
      if (key === undefined) return `${where}: no ${unique}`;
      const other = known.get(key)?.row;
      if (other && (other.high !== row.high || other.low !== row.low)) {
        return `${where}: another row of ${unique} ${key} than in line ${other.line}`;
      }
      known.set(key, { row, fields });
    }
    return Array.from(known.values(), ({ fields }) => fields);
  }
}
