import { daysBetween } from '../../calendar.ts';
import { Refusal } from '../../errors.ts';
import { figure } from '../../written-figure.ts';
import { CopyLines } from '../copy-lines.ts';
import { BATCH_BYTES, type StagedRows } from '../stage-rows.ts';
import type { KnownFingerprints } from '../known-fingerprints.ts';
import { RecordWriter } from './record-writer.ts';
import { type Row, type RowContext, RowReader } from './row-reader.ts';

/** The number of rows of the main file that may lack rows of details; if the file is large, one per cent may. */
const LACKING_ROWS = 100;

/** Joins the rows of a dump's main and details file by their key; writes COPY lines of new and changed records. */
export class JoinedRows implements StagedRows {
  readonly readers: readonly RowReader[];
  readonly table: string;
  row_count = 0;
  readonly #writer: RecordWriter;
  readonly #main: RowReader;
  readonly #details: RowReader;

  constructor(main: RowContext, details: RowContext, known: KnownFingerprints) {
    this.#main = new RowReader(main);
    this.#details = new RowReader(details);
    this.readers = [this.#main, this.#details];
    this.table = `column_text_${main.file.file_no}`;
    this.#writer = new RecordWriter(known, this.#main, this.#details);
  }

  get columns() {
    return this.#writer.columns;
  }

  get lines() {
    return this.#writer.lines;
  }

  /** Reads both files. Throws a `Refusal` when a file cannot be read, or the files do not belong together. */
  async *read(): AsyncGenerator<void> {
    await using main = new Cursor(this.#main);
    await using details = new Cursor(this.#details);
    const writer = this.#writer;
    let key = -1;
    let group: Row[] = [];
    let row: Row | undefined;
    while ((row = main.current ?? (await main.fill()))) {
      // Several rows of the main file may have the same key, and then share their details.
      if (row.number !== key) {
        key = row.number;
        group = await this.#findDetails(details, key);
      }
      writer.write(row, group);
      main.advance();
      if (!main.current || writer.lines.length >= BATCH_BYTES) yield;
    }
    while ((row = details.current ?? (await details.fill()))) {
      writer.writeStray(row);
      details.advance();
      if (!details.current) yield;
    }
    this.#assertPair();
  }

  /** Returns the rows of the details file with the key `key`. Rejects skipped rows, whose key the main file lacks. */
  async #findDetails(details: Cursor, key: number): Promise<Row[]> {
    const group: Row[] = [];
    let next: Row | undefined;
    while ((next = details.current ?? (await details.fill())) && next.number <= key) {
      if (next.number === key) group.push(next);
      else this.#writer.writeStray(next);
      details.advance();
    }
    // The unreadable row before `next` may have the key `key`, so the record of `key` is rejected by `next.fault`.
    return group.length === 0 && next?.fault !== undefined ? [next] : group;
  }

  /** Throws a `Refusal` if the two files are from different months, or too many rows of the main file lack details. */
  #assertPair(): void {
    const [main, details] = [this.#main, this.#details];
    const [one, other] = [main.processed_until, details.processed_until];
    if (one !== undefined && other !== undefined && Math.abs(daysBetween(one, other)) > 1) {
      throw new Refusal(
        `${main.file.file} goes up to ${one}, and ${details.file.file} up to ${other}: ` +
          'the files are not of the same month',
      );
    }
    const { lacking_count } = this.#writer;
    if (lacking_count > LACKING_ROWS && lacking_count > main.read_count / 100) {
      throw new Refusal(
        `${details.file.file}: ${figure(lacking_count)} of ${figure(main.read_count)} rows of ` +
          `${main.file.file} have no row of their ${main.context.join.key} in it, perhaps it is cut off`,
      );
    }
  }
}

/** The size, in bytes, above which the rows of a file must be sorted by key. Smaller files are sorted in memory. */
const SORTED_BYTES = 16 * 1024 ** 2;

/** Iterates over the rows of a joined table in the order of their keys. Keeps one part of a large file in memory. */
class Cursor {
  readonly reader: RowReader;
  readonly #parts: AsyncGenerator<Row[]>;
  #rows: Row[] = [];
  #at = 0;
  #last_key = -1;

  constructor(reader: RowReader) {
    this.reader = reader;
    this.#parts = readParts(reader);
  }

  /** Returns the current row; undefined until `fill` reads more rows. */
  get current(): Row | undefined {
    return this.#rows[this.#at];
  }

  advance(): void {
    this.#at += 1;
  }

  /** Reads the file until a row is the current row. @returns this row; undefined after the last row */
  async fill(): Promise<Row | undefined> {
    while (!this.current) {
      const { done, value } = await this.#parts.next();
      if (done) return undefined;
      this.#rows = value;
      this.#at = 0;
      for (const row of value) this.#checkOrder(row);
    }
    return this.current;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.return(undefined);
  }

  #checkOrder({ number, line }: Row): void {
    if (number < this.#last_key) {
      const { join, file } = this.reader.context;
      const written = (key: number) => String(key).padStart(join.key_digits, '0');
      throw new Refusal(
        `${file.file}, line ${line}: ${join.key} ${written(number)} after ${written(this.#last_key)}; ` +
          `a file of more than ${figure(SORTED_BYTES)} bytes must be sorted by ${join.key}`,
      );
    }
    this.#last_key = number;
  }
}

/** Yields the rows of a file by key, in parts. Sorts a small file in memory; a large file must be sorted already. */
async function* readParts(reader: RowReader): AsyncGenerator<Row[]> {
  const held: Row[] = [];
  for await (const _ of reader.read()) {
    if (reader.read_bytes > SORTED_BYTES) yield held.splice(0).concat(reader.takeRows());
    else for (const row of reader.takeRows()) held.push(row);
  }
  yield [...held, ...reader.takeRows()].toSorted((a, b) => a.number - b.number);
}

/** Reads a side file, a further table of a dump with two joined files, into `stage.side_row`. */
export class SideRows extends RowReader implements StagedRows {
  readonly readers = [this];
  readonly table = 'side_row';
  readonly columns = ['file_no', 'line', 'file_key', 'fields'];
  row_count = 0;
  readonly lines = new CopyLines();

  override async *read(): AsyncGenerator<void> {
    for await (const _ of super.read()) {
      this.#write();
      yield;
    }
    this.#write();
  }

  #write(): void {
    const { file_no, file_key } = this.file;
    for (const row of this.takeRows()) {
      const fields = this.readFields(row);
      if (typeof fields === 'string') this.rejects.add(row, fields);
      else this.lines.addFields(`${file_no};${row.line};`, [file_key, JSON.stringify(fields)]);
    }
  }
}
