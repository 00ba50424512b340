import { Refusal } from '../../errors.ts';
import { figure } from '../../figure.ts';
import type { OnRead } from '../archive.ts';
import type { DumpFile } from '../files.ts';
import { RecordSplitter } from '../record-splitter.ts';
import { readTable } from '../read-table.ts';
import type { FileCount } from '../stage-file.ts';
import { type Row, type RowContext, RowReader } from './row-reader.ts';

/** The rows of a file of at most so many bytes may have any order. */
const SORTED_BYTES = 16 * 1024 ** 2;

/** Reads the rows of a joined table in the order of their keys, a part of the file at a time. */
export class Cursor {
  readonly reader: RowReader;
  readonly file: DumpFile;
  /** What was read so far. */
  stored_bytes = 0;
  #content_hash = '';
  #line_count = 0;

  readonly #context: RowContext;
  readonly #parts: AsyncGenerator<Row[]>;
  #rows: Row[] = [];
  #at = 0;
  #last_key = -1;

  constructor(context: RowContext) {
    this.#context = context;
    this.file = context.file;
    this.reader = new RowReader(context);
    this.#parts = this.#readParts();
  }

  /** The next row, as far as it is read: else `fill` reads on. */
  get current(): Row | undefined {
    return this.#rows[this.#at];
  }

  /** Goes on to the next row. */
  advance(): void {
    this.#at += 1;
  }

  /** Reads on until there is a row. @returns false after the last row */
  async fill(): Promise<boolean> {
    while (this.#at >= this.#rows.length) {
      const { done, value } = await this.#parts.next();
      if (done) return false;
      this.#rows = value;
      this.#at = 0;
      for (const row of value) this.#checkOrder(row);
    }
    return true;
  }

  /** What the file holds, after its last row. */
  count(): Omit<FileCount, 'is_left'> {
    return {
      file_no: this.file.file_no,
      read_count: this.reader.read_count,
      line_count: this.#line_count,
      content_hash: this.#content_hash,
      unknown: this.reader.layout!.unknown,
      absent: this.reader.layout!.absent,
      processed_until: this.reader.processed_until,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.return(undefined);
  }

  async *#readParts(): AsyncGenerator<Row[]> {
    const { join, table } = this.#context;
    const { reader } = this;
    const splitter = new RecordSplitter(reader, reader.memory, join.separator);
    const onRead: OnRead = (stored_bytes, size, crc) => {
      this.stored_bytes = stored_bytes;
      this.#content_hash = `${size}-${crc.toString(16)}`;
    };
    // Sorts the rows of a small file. Those of a larger one are sorted already, as INSEE's are.
    let held: Row[] | undefined = [];
    let held_bytes = 0;
    for await (const chunk of readTable(
      { file: this.file, table, separator: join.separator },
      onRead,
    )) {
      splitter.write(chunk);
      const rows = reader.take();
      if (!held) {
        yield rows;
        continue;
      }
      for (const row of rows) held.push(row);
      held_bytes += chunk.length;
      if (held_bytes > SORTED_BYTES) {
        yield held;
        held = undefined;
      }
    }
    splitter.end();
    reader.end(splitter.line);
    this.#line_count = splitter.line;
    const last = reader.take();
    yield held ? [...held, ...last].toSorted((a, b) => a.key - b.key) : last;
  }

  #checkOrder({ key, line }: Row): void {
    if (key < this.#last_key) {
      const { join, file } = this.#context;
      const written = (number: number) => String(number).padStart(join.key_digits, '0');
      throw new Refusal(
        `${file.file}, line ${line}: ${join.key} ${written(key)} after ${written(this.#last_key)}; ` +
          `a file of more than ${figure(SORTED_BYTES)} bytes must be sorted by ${join.key}`,
      );
    }
    this.#last_key = key;
  }
}
