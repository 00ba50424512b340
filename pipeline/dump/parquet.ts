import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { brotliDecompressSync, crc32, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type AsyncBuffer, parquetMetadataAsync, parquetScan, parquetSchema } from 'hyparquet';
import { Refusal } from '../errors.ts';
import { figure } from '../figure.ts';
import type { Separator, SourceColumn } from '../sources/source.ts';
import type { OnRead } from './archive.ts';
import { quoteField } from './copy-lines.ts';

/** Rows decoded at a time. A page has about as many; each is decoded once for every part it is in. */
const PART_ROWS = 32 * 1024;
const CHUNK_ROWS = 2048;
/** Of a page, inflated. Usual are one or two megabytes. */
const PAGE_BYTES = 128 * 1024 ** 2;

type Inflate = (input: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

/** Inflates a page to the size that its header tells, and no further. */
function bounded(inflate: Inflate) {
  return (input: Uint8Array, size: number): Uint8Array => {
    if (size > PAGE_BYTES) throw new Error(`a page of more than ${figure(PAGE_BYTES)} bytes`);
    return inflate(input, { maxOutputLength: Math.max(size, 1) });
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
const parsers = {
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
  const { children } = parquetSchema(metadata);
  const names = children.map(({ element }) => element.name);
  yield `${names.map((name) => quoteField(name, separator)).join(separator)}\n`;
  const found = children.flatMap(({ element: { name }, children: { length } }, at) => {
    const column = read.find(({ header }) => header === name);
    if (column && length > 0)
      throw new Error(`'${name}' is nested, and no text, number, date or time`);
    return column ? [{ at, name, digits: column.digits ?? 0 }] : [];
  });
  const columns = found.map(({ name }) => name);
  const scan = await parquetScan({
    file,
    metadata,
    columns,
    compressors,
    parsers,
    geoparquet: false,
  });
  for (const range of scan.ranges) {
    for (let rowStart = range.rowStart; rowStart < range.rowEnd; rowStart += PART_ROWS) {
      const rowEnd = Math.min(range.rowEnd, rowStart + PART_ROWS);
      const values: ArrayLike<unknown>[] = [];
      for (const { name: column } of found) {
        values.push(await scan.readColumn({ column, rowStart, rowEnd }));
      }
      for (let from = 0; from < rowEnd - rowStart; from += CHUNK_ROWS) {
        let text = '';
        for (let row = from; row < Math.min(rowEnd - rowStart, from + CHUNK_ROWS); row += 1) {
          const fields: string[] = Array.from(names, () => '');
          found.forEach((column, no) => {
            fields[column.at] = quoteField(writeValue(values[no]![row], column), separator);
          });
          text += `${fields.join(separator)}\n`;
        }
        yield text;
      }
    }
  }
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
