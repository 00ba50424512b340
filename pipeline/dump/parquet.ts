import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  brotliDecompressSync,
  constants,
  crc32,
  gunzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import {
  type AsyncBuffer,
  type DecodedArray,
  parquetMetadataAsync,
  type ParquetParsers,
  parquetSchema,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import { Refusal } from '../errors.ts';
import { figure } from '../figure.ts';
import type { Separator, SourceColumn } from '../sources/source.ts';
import type { OnRead } from './archive.ts';
import { quoteField } from './copy-lines.ts';

/** Rows written at a time. */
const PART_ROWS = 4096;
/** Fields of a column in a part take less, mostly. */
const PART_BYTES = 128 * 1024;
/** The fields of a group of more rows are kept compressed: as texts they take a kilobyte a row. */
const UNPACKED_ROWS = 32 * 1024;
/** Of a page, inflated. Usual are one or two megabytes. */
const PAGE_BYTES = 128 * 1024 ** 2;

/** The fastest. */
const packing = { chunkSize: PART_BYTES, params: { [constants.ZSTD_c_compressionLevel]: 1 } };

type Inflate = (
  input: Uint8Array,
  options: { maxOutputLength: number; chunkSize: number },
) => Uint8Array;

/** Inflates a page to the size that its header tells, and no further. */
function bounded(inflate: Inflate) {
  return (input: Uint8Array, size: number): Uint8Array => {
    if (size > PAGE_BYTES) throw new Error(`a page of more than ${figure(PAGE_BYTES)} bytes`);
    // In one piece: zlib would join many small ones.
    return inflate(input, { maxOutputLength: Math.max(size, 1), chunkSize: Math.max(size, 64) });
  };
}

/** Beside SNAPPY and no compression, which hyparquet reads by itself. */
const compressors = {
  ZSTD: bounded(zstdDecompressSync),
  GZIP: bounded(gunzipSync),
  BROTLI: bounded(brotliDecompressSync),
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Values as a CSV file writes them. Times are local, without a zone. */
const parsers: ParquetParsers = {
  ...DEFAULT_PARSERS,
  stringFromBytes: (bytes: Uint8Array) => decoder.decode(bytes),
  dateFromDays: (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10),
  timestampFromMilliseconds: (time: bigint) => writeTime(time),
  timestampFromMicroseconds: (time: bigint) => writeTime(time / 1000n),
  timestampFromNanoseconds: (time: bigint) => writeTime(time / 1_000_000n),
};

function writeTime(time_ms: bigint): string {
  return new Date(Number(time_ms)).toISOString().slice(0, 19);
}

/**
 * The rows of a Parquet file as the CSV file that says the same. Columns that are not read are blank in it.
 * Throws a `Refusal` for a file that is damaged, or compressed or nested in another way.
 *
 * @param onRead as that of `readArchive`; size and CRC-32 are those of the CSV
 */
export async function* readParquet(
  path: string,
  read: readonly Pick<SourceColumn, 'header' | 'digits'>[],
  separator: Separator,
  onRead: OnRead,
): AsyncGenerator<Buffer> {
  await using handle = await open(path);
  const { size: byteLength } = await handle.stat();
  let read_bytes = 0;
  const file: AsyncBuffer = {
    byteLength,
    async slice(start, end = byteLength) {
      const bytes = new Uint8Array(end - start);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
      read_bytes = Math.min(byteLength, Math.max(read_bytes, end));
      if (bytesRead < bytes.length) throw new Error('unexpected end of file');
      return bytes.buffer;
    },
  };
  let size = 0;
  let crc = 0;
  const pass = (text: string): Buffer => {
    const bytes = Buffer.from(text);
    size += bytes.length;
    crc = crc32(bytes, crc);
    onRead(read_bytes, size, crc);
    return bytes;
  };
  try {
    for await (const text of readText(file, read, separator)) yield pass(text);
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal(`${basename(path)}: ${(cause as Error).message}`, { cause });
  }
}

async function* readText(
  file: AsyncBuffer,
  read: readonly Pick<SourceColumn, 'header' | 'digits'>[],
  separator: Separator,
): AsyncGenerator<string> {
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const tree = parquetSchema(metadata);
  const { children } = tree;
  const names = children.map(({ element }) => element.name);
  yield `${names.map((name) => quoteField(name, separator)).join(separator)}\n`;
  const found = children.flatMap(({ element: { name }, children: { length } }, at) => {
    const column = read.find(({ header }) => header === name);
    if (column && length > 0)
      throw new Error(`'${name}' is nested, and no text, number, date or time`);
    return column ? [{ at, name, digits: column.digits ?? 0 }] : [];
  });
  for (const group of metadata.row_groups) {
    const columns: Part[][] = [];
    for (const column of found) {
      const write = (value: unknown) => quoteField(writeValue(value, column), separator);
      const pages = await readPages(file, tree, group, column.name);
      columns.push(Array.from(listParts(pages, write, group.num_rows > UNPACKED_ROWS)));
    }
    for (let no = 0; no * PART_ROWS < group.num_rows; no += 1) {
      const values = columns.map((parts) => unpack(parts[no]!));
      let text = '';
      for (let row = 0; row < values[0]!.length; row += 1) {
        const fields: string[] = Array.from(names, () => '');
        found.forEach(({ at }, of) => (fields[at] = values[of]![row]!));
        text += `${fields.join(separator)}\n`;
      }
      yield text;
    }
  }
}

/** Reads a column of a group of rows. @returns its values, page by page: each is decoded when it is asked for */
async function readPages(
  file: AsyncBuffer,
  tree: SchemaTree,
  group: RowGroup,
  name: string,
): Promise<Generator<ArrayLike<unknown>>> {
  const { meta_data: chunk } = group.columns.find(
    ({ meta_data }) => meta_data?.path_in_schema[0] === name,
  )!;
  const { path_in_schema: pathInSchema, type, codec } = chunk!;
  const schemaPath = getTreePath(tree, pathInSchema);
  const { element } = schemaPath.at(-1)!;
  const form = { pathInSchema, schemaPath, element, type, codec, compressors, parsers };
  const start = Number(chunk!.dictionary_page_offset || chunk!.data_page_offset);
  const bytes = await file.slice(start, start + Number(chunk!.total_compressed_size));
  return (function* () {
    const reader = { view: new DataView(bytes), offset: 0 };
    let dictionary: DecodedArray | undefined;
    for (let row = 0; row < group.num_rows;) {
      const header = parquetHeader(reader);
      const { data = [] } = readPage(reader, header, form, dictionary, undefined, 0);
      if (header.type === 'DICTIONARY_PAGE') {
        dictionary = convert(data, form);
        continue;
      }
      yield data;
      row += data.length;
    }
  })();
}

/** Some fields of a column; of a large group compressed. */
type Part = readonly string[] | Uint8Array;

function* listParts(
  pages: Iterable<ArrayLike<unknown>>,
  write: (value: unknown) => string,
  isLarge: boolean,
): Generator<Part> {
  let fields: string[] = [];
  const take = () => {
    const part = isLarge ? pack(fields) : fields;
    fields = [];
    return part;
  };
  for (const values of pages) {
    for (let at = 0; at < values.length; at += 1) {
      fields.push(write(values[at]));
      if (fields.length === PART_ROWS) yield take();
    }
  }
  if (fields.length > 0) yield take();
}

function pack(fields: readonly string[]): Uint8Array {
  // A copy, since what zlib returns lies in a larger buffer.
  return new Uint8Array(zstdCompressSync(JSON.stringify(fields), packing));
}

function unpack(part: Part): readonly string[] {
  return part instanceof Uint8Array
    ? (JSON.parse(zstdDecompressSync(part, { chunkSize: PART_BYTES }).toString()) as string[])
    : part;
}

/** A value as CSV has it. Numbers get the zeros back that they have lost. */
function writeValue(value: unknown, { name, digits }: { name: string; digits: number }): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') {
    throw new Error(`'${name}' has a value that is no text, number, date or time`);
  }
  const text = `${value as string | number | bigint | boolean}`;
  return /^[0-9]+$/.test(text) ? text.padStart(digits, '0') : text;
}
