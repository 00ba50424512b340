import type { Fields, JoinDescription } from '../../sources/source.ts';
import { CopyLines, joinFields } from '../copy-lines.ts';
import { prefixColumns } from '../file-reader.ts';
import type { KnownFingerprints } from '../known-fingerprints.ts';
import { joinHalves } from '../line-memory.ts';
import type { Row, RowReader } from './row-reader.ts';

const [semicolon, comma, opening, between, closing, end] = [';', ',', '{""', ',""', '}', '""'].map(
  (text) => Buffer.from(text),
) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];

/** Combines a row of the main file and its rows of details into a record; writes the COPY line of a changed record. */
export class RecordWriter {
  readonly lines = new CopyLines();
  /** The number of rows of the main file that need rows of details but have none. */
  lacking_count = 0;

  readonly #join: JoinDescription;
  readonly #known: KnownFingerprints;
  readonly #main: RowReader;
  readonly #details: RowReader;

  constructor(known: KnownFingerprints, main: RowReader, details: RowReader) {
    this.#join = main.context.join;
    this.#known = known;
    this.#main = main;
    this.#details = details;
  }

  /** Returns the names of the columns of each COPY line. */
  get columns(): string[] {
    const staged = [...prefixColumns, ...this.#main.data_columns];
    return [...staged, ...this.#join.combined, 'details'];
  }

  /** Writes the record of a row and its details, unless the record is unchanged since yesterday. */
  write(row: Row, details: readonly Row[]): void {
    // The sum of the rows' fingerprints does not depend on the order of the details, which may differ from yesterday's.
    let { high, low } = row;
    for (const detail of details) {
      high = (high + detail.high) | 0;
      low = (low + detail.low) | 0;
    }
    // A fingerprint must not be 0, because 0 marks a free slot in the table of known fingerprints.
    const print = joinHalves({ high, low }) || 1n;
    if (details.length === 0) this.#countLacking(row);
    if (this.#known.meet(print)) return;
    const fault = this.#stage(row, print, details);
    if (fault !== undefined) this.#main.rejects.add(row, fault);
  }

  /** Rejects a row of the details file whose key the main file lacks. */
  writeStray(row: Row): void {
    if (row.fault !== undefined) return;
    const reason = `no row of this ${this.#join.key} in ${this.#main.file.file}`;
    this.#details.rejects.add(row, reason);
  }

  #countLacking(row: Row): void {
    const fields = this.#main.readFields(row, true);
    if (typeof fields === 'object' && this.#join.needsDetails(fields)) this.lacking_count += 1;
  }

  /** Writes the COPY line of a record. @returns why the record cannot be read; undefined for a readable record */
  #stage(row: Row, print: bigint, rows: readonly Row[]): string | undefined {
    const details = this.#readDetails(rows);
    if (typeof details === 'string') return details;
    const main = this.#main;
    const fields = main.readFields(row, true);
    if (typeof fields === 'string') return fields;
    const combined = this.#join.combine(fields, [...details.keys()]);
    const { lines } = this;
    lines.addText(`${main.file.file_no};${row.line};${print};${main.isWellFormed(row)};`);
    this.#addColumns(row);
    lines.addText(`${joinFields(this.#join.combined.map((name) => String(combined[name])))};"[`);
    combined.listed.forEach((one, at) => {
      if (at > 0) lines.addBytes(comma);
      this.#addDetail(details.get(one)!);
    });
    lines.addText(']"\n');
    return undefined;
  }

  /** Adds the columns of a row of the main file. The row's bytes are copied if possible, since parsing takes longer. */
  #addColumns(row: Row): void {
    const { lines } = this;
    const main = this.#main;
    if (main.isVerbatim(row)) {
      main.eachField(row, (start, stop) => {
        lines.addBytes(row.data, start, stop);
        lines.addBytes(semicolon);
      });
      return;
    }
    const fields = main.readFields(row) as Fields;
    lines.addText(`${joinFields(main.data_columns.map((column) => fields[column] ?? ''))};`);
  }

  /** Returns the distinct rows of details by the fields in `join.brief`, or the reason why they cannot be used. */
  #readDetails(rows: readonly Row[]): Map<Fields, Row> | string {
    const { unique } = this.#join.details;
    const reader = this.#details;
    const found = new Map<Fields, Row>();
    const known = new Map<string, Row>();
    for (const row of rows) {
      const where = `${reader.file.file}, line ${row.line}`;
      if (row.fault !== undefined) return `${where}: ${row.fault}`;
      const fields = reader.readFields(row, true);
      if (typeof fields === 'string') {
        reader.rejects.add(row, fields);
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

  /** Adds a row of details as a JSON object within a quoted CSV field. */
  #addDetail(row: Row): void {
    const { lines } = this;
    const details = this.#details;
    if (!details.isVerbatim(row)) {
      lines.addText(JSON.stringify(details.readFields(row)).replaceAll('"', '""'));
      return;
    }
    let next = opening;
    details.eachField(row, (start, stop, name) => {
      if (start === stop) return;
      lines.addBytes(next);
      lines.addBytes(name);
      lines.addBytes(row.data, start, stop);
      lines.addBytes(end);
      next = between;
    });
    lines.addBytes(closing);
  }
}
