import { pipeline } from 'node:stream/promises';
import { escapeIdentifier, type PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { insertRows, inSession, runFile } from '../../sql/connection/database.ts';
import type { TableSource } from '../sources/source.ts';
import { inflateBounds, readArchive } from './archive.ts';
import { FileReader } from './file-reader.ts';
import type { DumpFile } from './files.ts';
import type { KnownFingerprints } from './known-fingerprints.ts';
import { inParallel } from '../parallel.ts';
import { REJECT_BATCH } from '../sources/rejects.ts';
import { RecordSplitter } from './record-splitter.ts';
import type { RejectList } from './reject-list.ts';
import type { Staging } from './stage.ts';

/** COPY lines are sent in batches of about this many bytes. */
export const BATCH_BYTES = 192 * 1024;
export const PROGRESS_RECORDS = 10_000;

/** What the file of a dump holds. */
export interface FileCount {
  file_no: number;
  read_count: number;
  line_count: number;
  content_hash: string;
  /** The columns that the source does not name. */
  unknown: readonly string[];
  /** Known columns that it lacks. */
  absent: readonly string[];
  /** Whether its rows are joined with those of another file. */
  is_joined?: boolean;
  /** The newest day on which the registry touched a row, YYYY-MM-DD; absent where it does not tell. */
  processed_until?: string | undefined;
  /** Whether a few records are still to be normalised. */
  is_left: boolean;
}

/**
 * Reads one file of a dump and stages its new records in `column_text`, its unreadable ones in `reject`.
 * Normalises a large file into `entry`; the caller normalises small files together, which takes as long as
 * one of them. Throws a `Refusal` when the file as a whole cannot be read.
 */
export async function stageFile(
  staging: Staging<TableSource>,
  file: DumpFile,
  known: KnownFingerprints,
  signal: AbortSignal,
): Promise<FileCount> {
  const { source, onProgress } = staging;
  const { file_no, path, byte_count } = file;
  const reader = new FileReader(source, file, known);
  const { lines, rejects } = reader;
  const splitter = new RecordSplitter(reader, known.memory);
  let stored_bytes = 0;
  let content_hash = '';
  const onRead = (bytes: number, size: number, crc: number) => {
    stored_bytes = bytes;
    content_hash = `${size}-${crc.toString(16)}`;
  };
  let reported = { records: 0, bytes: 0 };
  const report = (bytes: number) => {
    onProgress(reader.read_count - reported.records, bytes - reported.bytes);
    reported = { records: reader.read_count, bytes };
  };
  async function* readBatches() {
    for await (const chunk of readArchive(path, inflateBounds, onRead)) {
      signal.throwIfAborted();
      splitter.write(chunk);
      if (lines.length >= BATCH_BYTES) yield lines.take();
      await saveRejects(staging, rejects);
      if (reader.read_count - reported.records >= PROGRESS_RECORDS) report(stored_bytes);
    }
    splitter.end();
    reader.end();
    if (lines.length > 0) yield lines.take();
    await saveRejects(staging, rejects, 1);
  }
  const is_left = await stageBatches(staging, file_no, () => reader.columns, readBatches());
  report(byte_count);
  const { read_count, layout } = reader;
  const { line: line_count } = splitter;
  return {
    file_no,
    read_count,
    line_count,
    content_hash,
    unknown: layout!.unknown,
    absent: layout!.absent,
    is_left,
  };
}

/** Saves rejected rows once there are so many of them. */
export async function saveRejects(
  { pool, stage }: Pick<Staging, 'pool' | 'stage'>,
  rejects: RejectList,
  count = REJECT_BATCH,
): Promise<void> {
  if (rejects.length < count) return;
  await inSession(pool, (client) => insertRows(client, `${stage}.reject`, rejects.take()));
}

/**
 * Copies the lines of a file into its `column_text`, and normalises them where there are many.
 *
 * @param listColumns called after the first batch
 * @param countLines of the file, after the last batch: its records are normalised in parallel; absent where
 *   other files are
 * @returns whether a few records are still to be normalised
 */
export async function stageBatches(
  staging: Pick<Staging, 'pool' | 'stage' | 'steps'>,
  file_no: number,
  listColumns: () => readonly string[],
  lines: AsyncGenerator<Buffer>,
  countLines?: () => number,
): Promise<boolean> {
  const { pool, stage } = staging;
  let batch_count = 0;
  await using batches = lines;
  const first = await batches.next();
  // Opens a session only for new records: most files have none.
  if (first.done) return false;
  const table = `${stage}.column_text_${file_no}`;
  await inSession(pool, async (client) => {
    await client.query('set synchronous_commit = off; set jit = off');
    const columns = listColumns().map(escapeIdentifier).join(', ');
    const options = `format csv, delimiter ';', encoding utf8`;
    const copy = client.query(copyFrom(`copy ${table} (${columns}) from stdin (${options})`));
    async function* countBatches() {
      for (let next = first; !next.done; next = await batches.next()) {
        batch_count += 1;
        yield next.value;
      }
    }
    await pipeline(countBatches(), copy);
    if (batch_count === 1) return;
    // Without a row count, Postgres plans for a handful of records. A small sample is enough for it, but
    // not for later steps that use the session.
    await client.query(
      `begin; set local default_statistics_target = 1; analyze ${table} (file_no, line); commit`,
    );
    if (!countLines) await normalise(client, staging, [file_no]);
  });
  if (batch_count > 1 && countLines) {
    const half = Math.ceil(countLines() / 2);
    await inParallel(
      [[0, half] as const, [half + 1, Number.MAX_SAFE_INTEGER] as const],
      2,
      (part) =>
        inSession(pool, async (client) => {
          await client.query('set synchronous_commit = off; set jit = off');
          await normalise(client, staging, [file_no], part);
        }),
    );
  }
  return batch_count === 1;
}

/** Makes entries of the records of files, or of those between two lines. */
export async function normalise(
  client: PoolClient,
  { stage, steps }: Pick<Staging, 'stage' | 'steps'>,
  file_nos: readonly number[],
  lines: readonly [from: number, to: number] = [0, Number.MAX_SAFE_INTEGER],
): Promise<void> {
  await runFile(client, steps.normalise, [file_nos, ...lines], stage);
}
