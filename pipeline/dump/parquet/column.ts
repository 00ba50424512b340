import type { AsyncBuffer, RowGroup, SchemaTree } from 'hyparquet';
import { type ColumnDecoder, compressors, type Page, readPages } from './page.ts';
import { parsers } from './text.ts';

/** The number of rows of a part: so few rows of all columns stay in the cache of the processor. */
export const PART_ROWS = 1024;

const [marks, numbers] = [new Uint32Array(PART_ROWS), new Uint32Array(PART_ROWS)];

/** Reads a column of a Parquet file a page at a time, and finds the fields of the next rows. */
export class Column {
  /** The index of the column in a row. */
  readonly at: number;
  readonly name: string;
  /** The bytes of the fields of the last `find`: row n has bytes[starts[n], ends[n]). */
  bytes: Uint8Array = new Uint8Array();
  readonly starts = new Uint32Array(PART_ROWS);
  readonly ends = new Uint32Array(PART_ROWS);
  /** The number of bytes in all fields of the last `find`. */
  byte_count = 0;
  /** The number of rows that `find` can find before the next `load`. */
  row_count = 0;
  readonly digits: number;
  readonly #path: SchemaTree[];
  #pages: AsyncGenerator<Page> | undefined;
  #page: Page | undefined;
  /** The index of the next text of the page. */
  #next = 0;

  constructor(path: SchemaTree[], at: number, digits: number) {
    this.#path = path;
    this.at = at;
    this.digits = digits;
    this.name = path.at(-1)!.element.name;
    const [, { element, children }] = path as [SchemaTree, SchemaTree];
    if (children.length > 0 || element.repetition_type === 'REPEATED') {
      throw new Error(`'${this.name}' is nested, and no text, number, date or time`);
    }
  }

  /** Opens the column in a row group of the file. */
  open(file: AsyncBuffer, group: RowGroup): void {
    const { meta_data: chunk } = group.columns.find(
      ({ meta_data }) => meta_data?.path_in_schema[0] === this.name,
    )!;
    const { path_in_schema: pathInSchema, type, codec } = chunk!;
    const { element } = this.#path.at(-1)!;
    const form: ColumnDecoder = {
      pathInSchema,
      schemaPath: this.#path,
      element,
      type,
      codec,
      compressors,
      parsers,
    };
    const start = Number(chunk!.dictionary_page_offset || chunk!.data_page_offset);
    this.#pages = readPages(file, start, start + Number(chunk!.total_compressed_size), form);
    this.row_count = 0;
  }

  /** Reads pages until a page has a row. */
  async load(): Promise<void> {
    while (this.row_count === 0) {
      const { done, value } = await this.#pages!.next();
      if (done) throw new Error(`'${this.name}' ends before other columns`);
      this.#page = value;
      this.#next = 0;
      this.bytes = value.texts.bytes;
      this.row_count = value.row_count;
    }
  }

  /** Finds the fields of the next `count` rows. @returns false when all fields are blank */
  find(count: number): boolean {
    const page = this.#page!;
    this.row_count -= count;
    this.byte_count = 0;
    let present = count;
    if (page.marks) {
      page.marks.read(marks, count);
      present = 0;
      for (let row = 0; row < count; row += 1) present += marks[row]!;
      if (present === 0) return false;
    }
    page.numbers?.read(numbers, present);
    this.#place(page, count, present === count);
    return true;
  }

  #place({ texts, numbers: isNumbered }: Page, count: number, isFull: boolean): void {
    const { starts, ends } = this;
    let byte_count = 0;
    for (let row = 0, found = 0; row < count; row += 1) {
      if (!isFull && marks[row] === 0) {
        starts[row] = ends[row] = 0;
        continue;
      }
      const number = isNumbered ? numbers[found++]! : this.#next++;
      if (number >= texts.count) throw new Error(`'${this.name}' has a row without a value`);
      const [start, end] = [texts.starts[number]!, texts.ends[number]!];
      starts[row] = start;
      ends[row] = end;
      byte_count += end - start;
    }
    this.byte_count = byte_count;
  }
}
