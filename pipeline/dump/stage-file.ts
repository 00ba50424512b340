import { escapeIdentifier, type PoolClient } from 'pg';
import { runFile } from '../../sql/database.ts';
import { insertRows } from '../night/steps.ts';
import type { TableSource } from '../sources/source.ts';
import { inflateBounds, readArchive } from './archive.ts';
import { CopyIn } from './copy-in.ts';
import { FileReader } from './file-reader.ts';
import type { DumpFile } from './files.ts';
import type { KnownFingerprints } from './known-fingerprints.ts';
import { REJECT_BATCH } from './rejects.ts';
import { RecordSplitter } from './record-splitter.ts';
import type { Staging } from './stage.ts';

/** COPY lines are sent in batches of about this many bytes. */
const BATCH_BYTES = 192 * 1024;
const PROGRESS_RECORDS = 10_000;

export type FileCount = Awaited<ReturnType<typeof stageFile>>;

/**
 * Reads one file of a dump and stages its new records, in its own session. Records go to `column_text`,
 * and normalised to `entry`. Unreadable records go to `reject`. The caller normalises small files
 * together: one statement for many small files takes as long as for one. Throws a `Refusal` when the
 * file as a whole cannot be read.
 *
 * @param signal aborted when the night fails; the next batch is then not written
 */
export async function stageFile(
  { pool, stage, source, onProgress }: Staging<TableSource>,
  file: DumpFile,
  known: KnownFingerprints,
  signal: AbortSignal,
) {
  const { file_no, path, byte_count } = file;
  const reader = new FileReader(source, file, known);
  const { lines, rejects } = reader;
  const table = `${stage}.column_text_${file_no}`;
  const splitter = new RecordSplitter(reader);
  let stored_bytes = 0;
  let client: PoolClient | undefined;
  let copy: CopyIn | undefined;
  let batch_count = 0;
  // Opens the session only for the first lines: most files have no new records.
  const sendLines = async () => {
    if (!copy) {
      client = await pool.connect();
      await client.query('set synchronous_commit = off; set jit = off');
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
      if (rejects.length >= REJECT_BATCH)
        await insertRows(pool, `${stage}.reject`, rejects.splice(0));
      if (reader.read_count - reported.records >= PROGRESS_RECORDS) report(stored_bytes);
    }
    splitter.end();
    reader.end();
    if (lines.length > 0) await sendLines();
    await insertRows(pool, `${stage}.reject`, rejects);
    await copy?.end();
    if (batch_count > 1) {
      // Without a row count, Postgres plans for a handful of records. A small sample is enough for it,
      // but not for later steps that use the session.
      await client!.query(
        `begin; set local default_statistics_target = 1; analyze ${table} (file_no); commit`,
      );
      // Normalises the records in parallel with the reading of other files.
      await runFile(client!, 'nightly/1_read/normalise.sql', [[file_no]], stage);
    }
    client?.release();
  } catch (error) {
    // Ends the session, which rolls back its COPY.
    client?.release(true);
    throw error;
  }
  report(byte_count);
  const { read_count, layout } = reader;
  // The records of a small file are still to be normalised.
  const is_left = batch_count === 1;
  return { file_no, read_count, line_count: splitter.line, unknown: layout!.unknown, is_left };
}
