import { readArchive } from './archive.ts';
import type { DumpFile } from './files.ts';
import { FileReader, type RejectedRecord } from './file-reader.ts';
import type { KnownRecords } from './known-records.ts';
import type { TableShape } from './header.ts';
import { RecordSplitter } from './record.ts';

/** Lines, rejects and records that are gathered before they are handed out. */
const BATCH = { bytes: 192 * 1024, rejects: 1000, records: 10_000 };

/** What was found in a stretch of a file. */
export interface RecordBatch {
  /** For each field of a line the column of `stage.column_text`; those the source does not describe are not in it. */
  columns: readonly string[];
  /** Lines to COPY, in memory of their own, so that they can be given to another thread. */
  lines: Uint8Array<ArrayBuffer> | undefined;
  rejects: RejectedRecord[];
  /** Records read. */
  read_count: number;
}

/** What was counted in one file. */
export interface FileCount {
  file_no: number;
  read_count: number;
  line_count: number;
  /** Columns that the source does not describe. */
  unknown: readonly string[];
}

/**
 * Reads one file of a dump: what was not there yesterday, and what cannot be read.
 * Throws a `Refusal` when the file as a whole cannot be read.
 *
 * @param known yesterday's records, which are dropped; those that are met are marked
 */
export async function* readFile(
  shape: TableShape,
  file: DumpFile,
  known: KnownRecords,
): AsyncGenerator<RecordBatch, FileCount> {
  const reader = new FileReader(shape, file, known);
  const splitter = new RecordSplitter(reader);
  let counted = 0;
  const take = (): RecordBatch => {
    const read_count = reader.read_count - counted;
    counted = reader.read_count;
    return {
      columns: reader.layout!.columns.filter((column) => column !== null),
      lines: reader.lines.take(),
      rejects: reader.rejects.splice(0),
      read_count,
    };
  };
  for await (const chunk of readArchive(file.path)) {
    splitter.write(chunk);
    const isBatch =
      reader.lines.length >= BATCH.bytes ||
      reader.rejects.length >= BATCH.rejects ||
      reader.read_count - counted >= BATCH.records;
    if (isBatch) yield take();
  }
  splitter.end();
  reader.end();
  yield take();
  return {
    file_no: file.file_no,
    read_count: reader.read_count,
    line_count: splitter.line,
    unknown: reader.layout!.unknown,
  };
}
