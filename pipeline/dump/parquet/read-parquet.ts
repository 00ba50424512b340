import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { type AsyncBuffer, parquetMetadataAsync, parquetSchema } from 'hyparquet';
import { Refusal } from '../../errors.ts';
import type { Separator, SourceColumn } from '../../sources/source.ts';
import type { OnRead } from '../archive.ts';
import { quoteField } from '../copy-lines.ts';
import { Column, PART_ROWS } from './column.ts';
import { LineWriter } from './line-writer.ts';

type ReadColumn = Pick<SourceColumn, 'header' | 'digits'>;

/**
 * Yields the rows of a Parquet file as CSV; columns that are not read are blank. Each part is valid until the next
 * part. Throws a `Refusal` for a file that is damaged, nested, or compressed with an unknown codec.
 *
 * @param onRead called as by `readArchive`, with the size and the CRC-32 of the CSV
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
  const pass = (bytes: Buffer): Buffer => {
    size += bytes.length;
    crc = crc32(bytes, crc);
    onRead(read_bytes, size, crc);
    return bytes;
  };
  try {
    for await (const lines of readLines(file, read, separator)) yield pass(lines);
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
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
  const columns = tree.children.flatMap((child, at) => {
    const column = read.find(({ header }) => header === names[at]);
    return column ? [new Column([tree, child], at, column.digits ?? 0)] : [];
  });
  const writer = new LineWriter(separator);
  for (const group of metadata.row_groups) {
    for (const column of columns) column.open(file, group);
    for (let left = Number(group.num_rows); left > 0;) {
      for (const column of columns) await column.load();
      const rows = columns.map(({ row_count }) => row_count);
      const count = Math.min(left, PART_ROWS, ...rows);
      yield writer.write(columns, names.length, count);
      left -= count;
    }
  }
}
