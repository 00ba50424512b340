import { escapeIdentifier, type Pool, type PoolClient } from 'pg';
import { runFile } from '../../sql/database.ts';
import { inflateBounds, readArchive } from './archive.ts';
import { CopyIn } from './copy-in.ts';
import type { FileReader } from './file-reader.ts';
import type { DumpFile } from './files.ts';
import { REJECT_BATCH, saveRejects } from './rejects.ts';
import { RecordSplitter } from './record-splitter.ts';

/** Bytes of lines that are gathered before they are sent. */
const BATCH_BYTES = 192 * 1024;
const PROGRESS_RECORDS = 10_000;

export interface FileCount {
  file_no: number;
  read_count: number;
  line_count: number;
  /** Columns that the source does not describe. */
  unknown: readonly string[];
  /** Whether its records still have to be normalised, together with the records of other small files. */
  is_left: boolean;
}

/**
 * Reads one file of a dump and stages what was not there yesterday, in its own session: records go to
 * `column_text` and, normalised, to `entry`; unreadable ones to `reject`. A small file is left to be
 * normalised with others: one statement for many small files takes as long as for one.
 * Throws a `Refusal` when the file as a whole cannot be read.
 *
 * @param onProgress called now and then with the number of further records, and of further bytes, read
 * @param signal aborted when the night is given up; the next batch is then not written
 */
export async function stageFile(
  pool: Pool,
  stage: string,
  { file_no, path, byte_count }: DumpFile,
  reader: FileReader,
  onProgress: (records: number, bytes: number) => void,
  signal: AbortSignal,
): Promise<FileCount> {
  const { lines, rejects } = reader;
  const table = `${stage}.column_text_${file_no}`;
  const splitter = new RecordSplitter(reader);
  let stored_bytes = 0;
  let client: PoolClient | undefined;
  let copy: CopyIn | undefined;
  let batch_count = 0;
  // Opens the session with the first lines: most files do not change.
  const sendLines = async () => {
    if (!copy) {
      client = await pool.connect();
      // To count the rows of a table, a small sample is enough.
      await client.query(
        'set synchronous_commit = off; set jit = off; set default_statistics_target = 1',
      );
      const columns = reader.columns.map(escapeIdentifier).join(', ');
      const options = `format csv, delimiter ';', encoding utf8`;
      copy = new CopyIn(client, `copy ${table} (${columns}) from stdin (${options})`);
    }
    await copy.write(lines.take());
    batch_count += 1;
  };
  let reported = { records: 0, bytes: 0 };
  const report = (bytes: number) => {
    onProgress(reader.read_count - reported.records, bytes - reported.bytes);
    reported = { records: reader.read_count, bytes };
  };
  try {
    const onRead = (bytes: number) => void (stored_bytes = bytes);
    for await (const chunk of readArchive(path, inflateBounds, onRead)) {
      signal.throwIfAborted();
      splitter.write(chunk);
      if (lines.length >= BATCH_BYTES) await sendLines();
      if (rejects.length >= REJECT_BATCH) await saveRejects(pool, stage, rejects.splice(0));
      if (reader.read_count - reported.records >= PROGRESS_RECORDS) report(stored_bytes);
    }
    splitter.end();
    reader.end();
    if (lines.length > 0) await sendLines();
    await saveRejects(pool, stage, rejects);
    await copy?.end();
    if (batch_count > 1) {
      // Without a count Postgres plans for a handful of records.
      await client!.query(`analyze ${table} (file_no)`);
      // Normalises the records while other files are still being read.
      await runFile(client!, 'nightly/1_read/normalise.sql', [[file_no]], stage);
    }
    client?.release();
  } catch (error) {
    // Ends the session, which rolls back what it sent.
    client?.release(true);
    throw error;
  }
  report(byte_count);
  const { read_count, layout } = reader;
  const is_left = batch_count === 1;
  return { file_no, read_count, line_count: splitter.line, unknown: layout!.unknown, is_left };
}
