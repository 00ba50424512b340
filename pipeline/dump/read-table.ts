import type { JoinedTable, Separator, TableColumns } from '../sources/source.ts';
import { inflateBounds, type OnRead, readArchive } from './archive.ts';
import type { DumpFile } from './files.ts';
import { type Layout, readHeader, refuseHeader } from './header.ts';
import { LineMemory } from './line-memory.ts';
import { readParquet } from './parquet.ts';
import { type RecordHandler, RecordSplitter } from './record-splitter.ts';

/** A file that holds a table. */
export interface TableFile {
  file: Pick<DumpFile, 'file' | 'path'>;
  table: TableColumns & Pick<JoinedTable, 'touched'>;
  separator: Separator;
}

/** Reads a table as CSV, a part at a time. */
export function readTable(
  { file: { file, path }, table: { columns, touched }, separator }: TableFile,
  onRead: OnRead = () => undefined,
): AsyncGenerator<Buffer> {
  if (!/\.parquet$/i.test(file)) return readArchive(path, inflateBounds, onRead);
  const read = touched === undefined ? columns : [...columns, { header: touched }];
  return readParquet(path, read, separator, onRead);
}

/** Reads the header of a table, and no further; undefined for a file without any. */
export async function readLayout(from: TableFile): Promise<Layout | undefined> {
  const { file, table, separator } = from;
  let layout: Layout | undefined;
  const handler: RecordHandler = {
    record(data, start, end) {
      layout ??= readHeader(table, file.file, data.subarray(start, end), separator);
      return true;
    },
    reject(_data, _start, _end, _line, reason) {
      if (!layout) refuseHeader(file.file, reason);
    },
  };
  const splitter = new RecordSplitter(handler, new LineMemory(), separator);
  for await (const chunk of readTable(from)) {
    splitter.write(chunk);
    if (layout) return layout;
  }
  splitter.end();
  return layout;
}
