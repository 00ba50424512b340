import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { AsyncBuffer, PageHeader } from 'hyparquet';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { convert } from 'hyparquet/src/convert.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { figure } from '../../written-figure.ts';
import { Hybrid } from './hybrid.ts';
import { findTexts, type Texts, writeDays, writeTexts, writeTimes } from './text.ts';

/** The most bytes of a page header. */
const HEADER_BYTES = 64 * 1024;
/** The number of bytes of a column read at a time. */
const READ_BYTES = 256 * 1024;
/** The most bytes of an inflated page. One or two megabytes are usual. */
export const PAGE_BYTES = 128 * 1024 ** 2;

type Inflate = (
  input: Uint8Array,
  options: { maxOutputLength: number; chunkSize: number },
) => Uint8Array;

/** Returns a function that inflates a page to the size in its header, and no further. */
function bounded(inflateWhole: Inflate) {
  return (input: Uint8Array, size: number): Uint8Array =>
    // Inflates in one chunk: zlib would join many small chunks.
    inflateWhole(input, { maxOutputLength: Math.max(size, 1), chunkSize: Math.max(size, 64) });
}

/** The decompressors that hyparquet lacks. hyparquet itself reads SNAPPY and uncompressed pages. */
export const compressors = {
  ZSTD: bounded(zstdDecompressSync),
  GZIP: bounded(gunzipSync),
  BROTLI: bounded(brotliDecompressSync),
};

/** The description of a column by which hyparquet decodes its pages. */
export type ColumnDecoder = Parameters<typeof readPage>[2];

/** A page as the file stores it: its header, and its body, which may be compressed. */
interface StoredPage {
  header: PageHeader;
  body: Uint8Array;
}

/** The decoded rows of a page. */
export interface Page {
  row_count: number;
  texts: Texts;
  /** Whether each row has a text; absent where all rows have a text. */
  marks?: Hybrid | undefined;
  /** The index of the text of each row; absent where the texts follow the order of the rows. */
  numbers?: Hybrid | undefined;
}

/** Yields the pages of a column of a row group, which lie at file[start, end). */
export async function* readPages(
  file: AsyncBuffer,
  start: number,
  end: number,
  form: ColumnDecoder,
): AsyncGenerator<Page> {
  let [offset, read] = [start, new Uint8Array()];
  const fill = async (count: number) => {
    if (read.length >= count || offset + read.length >= end) return;
    read = new Uint8Array(
      await file.slice(offset, Math.min(end, offset + Math.max(count, READ_BYTES))),
    );
  };
  const take = (count: number) => {
    if (count < 0 || count > read.length) throw new Error('a page that ends too early');
    const taken = read.subarray(0, count);
    read = read.subarray(count);
    offset += count;
    return taken;
  };
  let dictionary: Texts | undefined;
  for (;;) {
    await fill(HEADER_BYTES);
    if (read.length === 0) return;
    const reader = readerOf(read);
    const header = parquetHeader(reader);
    take(reader.offset);
    if (Math.max(header.compressed_page_size, header.uncompressed_page_size) > PAGE_BYTES) {
      throw new Error(`a page of more than ${figure(PAGE_BYTES)} bytes`);
    }
    await fill(header.compressed_page_size);
    const page = { header, body: take(header.compressed_page_size) };
    if (header.type === 'DICTIONARY_PAGE') dictionary = readDictionary(page, form);
    else yield readRows(page, form, dictionary);
  }
}

function readerOf({ buffer, byteOffset, byteLength }: Uint8Array) {
  return { view: new DataView(buffer, byteOffset, byteLength), offset: 0 };
}

/** Finds at most `most` texts of the rows of a page, from the index `at` on. */
type FindTexts = (page: Uint8Array, at: number, most: number) => Pick<Page, 'texts' | 'numbers'>;

const findPlain: FindTexts = (page, at, most) => ({ texts: findTexts(page, at, most) });
const findTimes = (a_second: number): FindTexts => {
  return (page, at) => ({ texts: writeTimes(page, at, a_second) });
};

/** The finders of plain texts, by the types of a column. hyparquet reads other types, several times slower. */
const plain: Record<string, FindTexts> = {
  'BYTE_ARRAY ': findPlain,
  'BYTE_ARRAY UTF8': findPlain,
  'BYTE_ARRAY STRING': findPlain,
  'INT32 DATE': (page, at) => ({ texts: writeDays(page, at) }),
  'INT64 TIMESTAMP_MILLIS': findTimes(1e3),
  'INT64 TIMESTAMP_MICROS': findTimes(1e6),
};

function plainOf({ type, element }: ColumnDecoder): FindTexts | undefined {
  const { converted_type, logical_type } = element;
  const unit = logical_type?.type === 'TIMESTAMP' ? `_${logical_type.unit}` : '';
  return plain[`${type} ${converted_type ?? `${logical_type?.type ?? ''}${unit}`}`];
}

const falseAndTrue = writeTexts([false, true], '');

/** Returns the finder of the texts of a page; undefined where hyparquet has to read the page. */
function finderOf(
  encoding: string,
  form: ColumnDecoder,
  dictionary: Texts | undefined,
): FindTexts | undefined {
  if (encoding === 'PLAIN') return plainOf(form);
  if (encoding === 'RLE' && form.type === 'BOOLEAN') {
    return (page, at) => ({ texts: falseAndTrue, numbers: new Hybrid(page, at + 4, 1) });
  }
  if (!encoding.endsWith('_DICTIONARY')) return undefined;
  if (!dictionary) throw new Error(`'${form.element.name}' has a page without its dictionary`);
  return (page, at) => ({ texts: dictionary, numbers: new Hybrid(page, at + 1, page[at] ?? 0) });
}

function inflate(body: Uint8Array, size: number, { codec }: ColumnDecoder): Uint8Array {
  return size === 0 ? new Uint8Array() : decompressPage(body, size, codec, compressors);
}

function readDictionary({ header, body }: StoredPage, form: ColumnDecoder): Texts {
  const { num_values } = header.dictionary_page_header!;
  const find = plainOf(form);
  if (find) return find(inflate(body, header.uncompressed_page_size, form), 0, num_values).texts;
  const { data = [] } = readPage(readerOf(body), header, form, undefined, undefined, 0);
  return writeTexts(convert(data, form), form.element.name);
}

function readRows(stored: StoredPage, form: ColumnDecoder, dictionary: Texts | undefined): Page {
  const { header, body } = stored;
  const { num_values: row_count, encoding } = (header.data_page_header ??
    header.data_page_header_v2)!;
  const find = finderOf(encoding, form, dictionary);
  if (find) {
    const { page, at, marks } = findMarks(stored, form);
    return { row_count, marks, ...find(page, at, row_count) };
  }
  const { data = [] } = readPage(readerOf(body), header, form, undefined, undefined, 0);
  return { row_count: data.length, texts: writeTexts(data, form.element.name) };
}

/** Inflates a page of rows. @returns the index of its values, and the marks of rows with a value */
function findMarks({ header, body }: StoredPage, form: ColumnDecoder) {
  const isOptional = form.element.repetition_type !== 'REQUIRED';
  const size = header.uncompressed_page_size;
  const second = header.data_page_header_v2;
  if (second) {
    const begin = second.repetition_levels_byte_length;
    const end = begin + second.definition_levels_byte_length;
    const rest = body.subarray(end);
    const page = second.is_compressed === false ? rest : inflate(rest, size - end, form);
    return { page, at: 0, marks: isOptional ? new Hybrid(body, begin, 1) : undefined };
  }
  const page = inflate(body, size, form);
  if (!isOptional) return { page, at: 0, marks: undefined };
  const at = 4 + readerOf(page).view.getUint32(0, true);
  return { page, at, marks: new Hybrid(page, 4, 1) };
}
