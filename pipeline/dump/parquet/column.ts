import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { AsyncBuffer, DataPageHeader, PageHeader, RowGroup, SchemaTree } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { decompressPage, readDataPage } from 'hyparquet/src/datapage.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { figure } from '../../written-figure.ts';
import type { Separator } from '../../sources/source.ts';
import { Fields } from './fields.ts';

/** The number of bytes that are first read of a page. A page with more bytes is then read again as a whole. */
const READ_BYTES = 64 * 1024;
/** The maximum size of a page in bytes (one or two megabytes are usual), and its maximum number of rows. */
const PAGE_BYTES = 128 * 1024 ** 2;
const PAGE_ROWS = 1024 ** 2;
/** The maximum number of values whose texts a column caches. */
const KNOWN_VALUES = 65_536;

type ColumnDecoder = Parameters<typeof readDataPage>[2];
type Inflate = (
  input: Uint8Array,
  options: { maxOutputLength: number; chunkSize: number },
) => Uint8Array;

/** Returns a function that inflates a page, and throws an error if the page is larger than its header states. */
function bounded(inflateWhole: Inflate) {
  return (input: Uint8Array, size: number): Uint8Array =>
    // The page is inflated into one chunk of the page's size, so that zlib need not join many small chunks.
    inflateWhole(input, { maxOutputLength: Math.max(size, 1), chunkSize: Math.max(size, 64) });
}

/** The decompressors that the library hyparquet lacks; hyparquet itself reads SNAPPY and uncompressed pages. */
const compressors = {
  ZSTD: bounded(zstdDecompressSync),
  GZIP: bounded(gunzipSync),
  BROTLI: bounded(brotliDecompressSync),
};

/** The number of units in a day by the type of a column (`TIMESTAMP_MILLIS`: 86,400,000). */
const units: Record<string, number> = {
  DATE: 1,
  TIMESTAMP_MILLIS: 86_400e3,
  TIMESTAMP_MICROS: 86_400e6,
  TIMESTAMP_NANOS: 86_400e9,
};

/** Reads a column of a Parquet file as CSV fields, one page at a time. */
export class Column {
  /** The index of the column in a row. */
  readonly at: number;
  /** The fields of the current page, the field number of each row (0: blank), and the index of the row to read next. */
  fields: Fields | undefined;
  numbers = new Uint32Array();
  next = 0;
  readonly #name: string;
  readonly #root: SchemaTree;
  readonly #element: SchemaTree['element'];
  readonly #separator: Separator;
  readonly #digits: number;
  readonly #kind: string;
  /** A cache of the texts of numbers, booleans and days, by value. */
  readonly #known = new Map<unknown, Uint8Array>();
  #codec: NonNullable<RowGroup['columns'][0]['meta_data']>['codec'] = 'UNCOMPRESSED';
  #pages: AsyncGenerator<void> | undefined;

  constructor(root: SchemaTree, at: number, digits: number, separator: Separator) {
    const { element, children } = root.children[at]!;
    this.at = at;
    this.#name = element.name;
    this.#root = root;
    this.#element = element;
    this.#digits = digits;
    this.#separator = separator;
    const { type, converted_type, logical_type } = element;
    const unit = logical_type?.type === 'TIMESTAMP' ? `_${logical_type.unit}` : '';
    this.#kind = converted_type ?? (logical_type ? `${logical_type.type}${unit}` : type!);
    if (children.length > 0 || element.repetition_type === 'REPEATED') {
      throw new Error(`'${this.#name}' is nested, and no text, number, date or time`);
    }
  }

  /** Begins to read the column's part of a row group of the file. */
  open(file: AsyncBuffer, group: RowGroup): void {
    const chunk = group.columns.find(
      ({ meta_data }) => meta_data?.path_in_schema[0] === this.#name,
    )!.meta_data!;
    const start = Number(chunk.dictionary_page_offset || chunk.data_page_offset);
    this.#codec = chunk.codec;
    this.#pages = this.#readPages(file, start, start + Number(chunk.total_compressed_size));
    this.next = this.numbers.length;
  }

  /** Reads pages until a page has unread rows. @returns the number of unread rows of the page */
  async load(): Promise<number> {
    while (this.next === this.numbers.length) {
      const { done } = await this.#pages!.next();
      if (done) throw new Error(`'${this.#name}' ends before other columns`);
    }
    return this.numbers.length - this.next;
  }

  /** Reads the pages in the bytes file[start, end), and yields after each page that contains rows. */
  async *#readPages(file: AsyncBuffer, start: number, end: number): AsyncGenerator<void> {
    let dictionary: Fields | undefined;
    for (let at = start; at < end;) {
      const read = new Uint8Array(await file.slice(at, Math.min(end, at + READ_BYTES)));
      const reader = readerOf(read);
      const header = parquetHeader(reader);
      const { type, compressed_page_size, uncompressed_page_size } = header;
      if (Math.max(compressed_page_size, uncompressed_page_size) > PAGE_BYTES) {
        throw new Error(`a page of more than ${figure(PAGE_BYTES)} bytes`);
      }
      const from = at + reader.offset;
      at = from + compressed_page_size;
      if (at > end || compressed_page_size < 0) throw new Error('a page that ends too early');
      const isWhole = reader.offset + compressed_page_size <= read.length;
      const body = isWhole
        ? read.subarray(reader.offset, reader.offset + compressed_page_size)
        : new Uint8Array(await file.slice(from, at));
      if (type === 'DICTIONARY_PAGE') {
        const page = this.#inflate(body, uncompressed_page_size);
        dictionary = this.#readFields(page, header.dictionary_page_header!.num_values, 'PLAIN');
      } else {
        this.#readRows(header, body, dictionary);
        yield;
      }
    }
  }

  #readRows(header: PageHeader, body: Uint8Array, dictionary: Fields | undefined): void {
    const second = header.data_page_header_v2;
    const { num_values, encoding } = (header.data_page_header ?? second)!;
    if (num_values > PAGE_ROWS) throw new Error(`a page of more than ${figure(PAGE_ROWS)} rows`);
    const isOptional = this.#element.repetition_type !== 'REQUIRED';
    const marks = new Uint8Array(num_values).fill(isOptional ? 0 : 1);
    const head = second
      ? second.repetition_levels_byte_length + second.definition_levels_byte_length
      : 0;
    const packed = body.subarray(head);
    const page =
      second?.is_compressed === false
        ? packed
        : this.#inflate(packed, header.uncompressed_page_size - head);
    const reader = readerOf(page);
    if (isOptional && second) {
      const levels = readerOf(body.subarray(second.repetition_levels_byte_length, head));
      readRleBitPackedHybrid(levels, 1, marks, second.definition_levels_byte_length);
    } else if (isOptional) readRleBitPackedHybrid(reader, 1, marks);
    let count = 0;
    for (let row = 0; row < num_values; row += 1) count += marks[row]!;
    const values = page.subarray(reader.offset);
    const rows = new Uint32Array(num_values);
    this.next = 0;
    this.numbers = rows;
    if (count === 0) return;
    const numbers = new Uint32Array(count);
    if (encoding.endsWith('_DICTIONARY')) {
      const width = values[0] ?? 0;
      if (width > 24) throw new Error(`a dictionary with indices of ${width} bits`);
      if (width > 0) readRleBitPackedHybrid(readerOf(values.subarray(1)), width, numbers, 0);
      if (!dictionary) throw new Error(`'${this.#name}' has a page without its dictionary`);
      this.fields = dictionary;
    } else {
      for (let at = 0; at < count; at += 1) numbers[at] = at;
      this.fields = this.#readFields(values, count, encoding);
    }
    const { length } = this.fields.ends;
    for (let row = 0, found = 0; row < num_values; row += 1) {
      if (marks[row] === 0) continue;
      const number = numbers[found++]! + 1;
      if (number >= length) throw new Error(`'${this.#name}' has a row without a value`);
      rows[row] = number;
    }
  }

  #inflate(body: Uint8Array, size: number): Uint8Array {
    return size === 0 ? new Uint8Array() : decompressPage(body, size, this.#codec, compressors);
  }

  #readFields(page: Uint8Array, count: number, encoding: DataPageHeader['encoding']): Fields {
    const fields = new Fields(count, page.length + 1024, this.#separator, this.#digits);
    const { type } = this.#element;
    const isText = type === 'BYTE_ARRAY' && [type, 'UTF8', 'STRING'].includes(this.#kind);
    if (isText && encoding === 'PLAIN') {
      // hyparquet would make an object of each text, which would double the time of reading a file.
      const { view } = readerOf(page);
      for (let number = 0, at = 0; number < count; number += 1) {
        const start = at + 4;
        at = start + view.getUint32(at, true);
        if (at > page.length) throw new Error('a page that ends too early');
        fields.add(page, start, at);
      }
      return fields;
    }
    const header = { num_values: count, encoding } as DataPageHeader;
    const { dataPage } = readDataPage(page, header, this.#form);
    for (let number = 0; number < count; number += 1) {
      const value: unknown = dataPage[number];
      const text = isText ? (value as Uint8Array) : this.#write(value);
      fields.add(text, 0, text.length);
    }
    return fields;
  }

  /** Returns a number or boolean as text, and a timestamp as its day, because mappings use no time of day. */
  #write(value: unknown): Uint8Array {
    const unit = units[this.#kind];
    const key = unit === undefined ? value : Math.floor(Number(value) / unit);
    const known = this.#known.get(key);
    if (known) return known;
    const read: unknown =
      unit === undefined ? convert([value], this.#form)[0] : new Date(Number(key) * 86_400e3);
    if (typeof read === 'object' && !(read instanceof Date)) {
      throw new Error(`'${this.#name}' has a value that is no text, number, date or time`);
    }
    // A timestamp outside the range of `Date`, or with a year above 9999, results in a text that is no day.
    const text = Buffer.from(
      read instanceof Date
        ? JSON.stringify(read).slice(1, 11)
        : `${read as string | number | bigint | boolean}`,
    );
    if (this.#known.size < KNOWN_VALUES) this.#known.set(key, text);
    return text;
  }

  /** Returns the column's description for hyparquet. `schemaPath` omits the column, so hyparquet reads no levels. */
  get #form(): ColumnDecoder {
    const element = this.#element;
    const form = {
      type: element.type!,
      element,
      schemaPath: [this.#root],
      parsers: DEFAULT_PARSERS,
    };
    return form as unknown as ColumnDecoder;
  }
}

/** Returns the reader with which hyparquet reads the bytes from the first byte on. */
function readerOf({ buffer, byteOffset, byteLength }: Uint8Array) {
  return { view: new DataView(buffer, byteOffset, byteLength), offset: 0 };
}
