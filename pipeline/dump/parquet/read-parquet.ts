import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { type AsyncBuffer, parquetMetadataAsync, parquetSchema } from 'hyparquet';
import { Refusal } from '../../errors.ts';
import type { Separator, SourceColumn } from '../../sources/source.ts';
import type { OnRead } from '../archive.ts';
import { quoteField } from '../copy-lines.ts';
import { Column } from './column.ts';

/** The maximum number of rows per part, so small that all columns of a part fit into the processor's cache. */
const PART_ROWS = 1024;

type ReadColumn = Pick<SourceColumn, 'header' | 'digits'>;

/**
 * Yields the rows of a Parquet file as CSV, in parts. Columns that are not in `read` are blank. Each part overwrites
 * the bytes of the previous part. Throws a `Refusal` for a file that is damaged, has nested columns, or is compressed
 * with an unknown codec. `compressors` of column.ts inflates ZSTD, GZIP and BROTLI; hyparquet inflates SNAPPY.
 * fields.ts adds the leading zeros that a number has lost.
 *
 * @param onRead called after each part with the file's bytes read so far, and the size and CRC-32 of the CSV so far
 */
export async function* readParquet(
  path: string,
  read: readonly ReadColumn[],
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
  try {
    for await (const lines of readLines(file, read, separator)) {
      size += lines.length;
      crc = crc32(lines, crc);
      onRead(read_bytes, size, crc);
      yield lines;
    }
  } catch (cause) {
    throw new Refusal(`${basename(path)}: ${(cause as Error).message}`, { cause });
  }
}

async function* readLines(
  file: AsyncBuffer,
  read: readonly ReadColumn[],
  separator: Separator,
): AsyncGenerator<Buffer> {
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const tree = parquetSchema(metadata);
  const names = tree.children.map(({ element }) => element.name);
  yield Buffer.from(`${names.map((name) => quoteField(name, separator)).join(separator)}\n`);
  const columns = tree.children.flatMap((_, at) => {
    const column = read.find(({ header }) => header === names[at]);
    return column ? [new Column(tree, at, column.digits ?? 0, separator)] : [];
  });
  const write = lineWriter(columns, names.length, separator);
  for (const group of metadata.row_groups) {
    for (const column of columns) column.open(file, group);
    for (let left = Number(group.num_rows); left > 0;) {
      let count = Math.min(left, PART_ROWS);
      for (const column of columns) count = Math.min(count, await column.load());
      yield write(count);
      left -= count;
    }
  }
}

/** Returns a function that writes the next rows as CSV lines of `width` fields. Each call overwrites these lines. */
function lineWriter(columns: readonly Column[], width: number, separator: Separator) {
  const [between, lineFeed] = Buffer.from(`${separator}\n`) as unknown as [number, number];
  let lines = Buffer.allocUnsafeSlow(256 * 1024);
  return (row_count: number): Buffer => {
    let bytes = lines;
    let length = 0;
    for (let row = 0; row < row_count; row += 1) {
      let place = 0;
      for (const column of columns) {
        const number = column.numbers[column.next + row]!;
        if (number === 0) continue;
        const { bytes: data, ends } = column.fields!;
        const [start, end] = [ends[number - 1]!, ends[number]!];
        const most = length + end - start + width;
        if (most > bytes.length) lines = bytes = Buffer.concat([bytes], most * 2);
        for (; place < column.at; place += 1) bytes[length++] = between;
        for (let at = start; at < end; at += 1) bytes[length++] = data[at]!;
      }
      for (; place < width - 1; place += 1) bytes[length++] = between;
      bytes[length++] = lineFeed;
    }
    for (const column of columns) column.next += row_count;
    return bytes.subarray(0, length);
  };
}
