import { Refusal } from '../../errors.ts';
import { figure } from '../../written-figure.ts';
import type { Row, RowReader } from './row-reader.ts';

/** The size in bytes up to which the rows of a file may have any order. */
const SORTED_BYTES = 16 * 1024 ** 2;

/** Iterates over the rows of a joined table in the order of their keys. Reads a part of the file at a time. */
export class Cursor {
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

  /** Moves to the next row. */
  advance(): void {
    this.#at += 1;
  }

  /** Reads parts of the file until there is a current row. @returns false after the last row */
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.return(undefined);
  }

  #checkOrder({ key, line }: Row): void {
    if (key < this.#last_key) {
      const { join, file } = this.reader.context;
      const written = (number: number) => String(number).padStart(join.key_digits, '0');
      throw new Refusal(
        `${file.file}, line ${line}: ${join.key} ${written(key)} after ${written(this.#last_key)}; ` +
          `a file of more than ${figure(SORTED_BYTES)} bytes must be sorted by ${join.key}`,
      );
    }
    this.#last_key = key;
  }
}

/** Yields the rows of a file in parts. Sorts a small file; a larger file must be sorted already, as INSEE's are. */
async function* readParts(reader: RowReader): AsyncGenerator<Row[]> {
  const held: Row[] = [];
  for await (const _ of reader.read()) {
    if (reader.read_bytes > SORTED_BYTES) yield held.splice(0).concat(reader.takeRows());
    else for (const row of reader.takeRows()) held.push(row);
  }
  yield [...held, ...reader.takeRows()].toSorted((a, b) => a.key - b.key);
}
