import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { escapeIdentifier, type Pool, type PoolClient } from 'pg';
import { runFile } from '../../sql/database.ts';
import type { DumpFile } from './files.ts';
import type { KnownRecords, Prints } from './known-records.ts';
import { ROW_NUMBER_COLUMN } from './header.ts';
import { settle } from '../night/session.ts';
import type { FileCount } from './read-file.ts';
import { ReadingThreads } from './threads.ts';
import type { TableSource } from '../sources/source.ts';
import { StageWriter } from './stage-writer.ts';

/** Files read side by side, each with a session of its own: some wait for the disk or the server. */
const PARALLEL_FILES = Math.min(6, Math.max(3, availableParallelism() + 2));

export interface Staging {
  pool: Pool;
  source: TableSource;
  files: readonly DumpFile[];
  /** Those of yesterday's records, which are dropped. */
  prints: Prints;
  /** Whether the source has no entries yet: all are staged. */
  isFirst: boolean;
  /** Those that were started while it was loaded. */
  threads?: ReadingThreads | undefined;
  /** Called now and then with the records read so far and the files that are done. */
  onProgress(records: number, files: number): void;
}

/**
 * Reads every file of a dump and sends what was not there yesterday to the tables of `stage`:
 * records to `column_text` and, normalised, to `entry`; unreadable ones to `reject`, counts to
 * `file`, unknown columns to `notice`.
 * Throws a `Refusal` when a file as a whole cannot be read.
 *
 * @returns yesterday's records, those being marked that are there today
 */
export async function stageDump(client: PoolClient, staging: Staging): Promise<KnownRecords> {
  // If not yet, they start while the tables are made.
  const threads = staging.threads ?? new ReadingThreads(staging.source, staging.files);
  try {
    // Yesterday's records are learnt, and the files begun, while the tables are made.
    const tables = createRecordTables(client, staging);
    const read = async () => {
      const known = await threads.learn(staging.prints);
      return { known, counts: await stageFiles(staging, threads, tables) };
    };
    const [{ known, counts }] = await settle([read(), tables]);
    await saveCounts(client, counts);
    return known;
  } finally {
    await threads.close();
  }
}

async function stageFiles(
  staging: Staging,
  threads: ReadingThreads,
  tables: Promise<void>,
): Promise<FileCount[]> {
  const limit = pLimit(PARALLEL_FILES);
  const failure = new AbortController();
  let records = 0;
  let done = 0;
  // The largest first, so that no long file is left alone at the end.
  const files = staging.files.toSorted((a, b) => b.byte_count - a.byte_count);
  const tasks = files.map((file) =>
    limit(async () => {
      failure.signal.throwIfAborted();
      const batches = threads.read(file);
      const writer = new StageWriter(staging.pool, file.file_no);
      const count = await stageFile(batches, writer, async (more) => {
        await tables;
        failure.signal.throwIfAborted();
        records += more;
        staging.onProgress(records, done);
      });
      staging.onProgress(records, ++done);
      return count;
    }),
  );
  try {
    return await Promise.all(tasks);
  } catch (error) {
    // The other files stop at their next batch; nobody may still write when we leave.
    failure.abort(error);
    await Promise.allSettled(tasks);
    throw error;
  }
}

/**
 * The tables that depend on the source: the columns as they stand in the files, a partition a file;
 * `stage.record`, which the mapping reads, with white space tidied where there may be any, and the
 * whole row again as `raw`; `stage.mapped`, the records in the terms of all sources.
 */
async function createRecordTables(client: PoolClient, staging: Staging): Promise<void> {
  const { source, files } = staging;
  const columns = [ROW_NUMBER_COLUMN, ...source.columns.map(({ column }) => column)].map(
    escapeIdentifier,
  );
  const tidied = columns.map(
    (name) => `case when needs_tidying then registry.squeeze(${name}) else ${name} end as ${name}`,
  );
  const partitions = files.map(
    ({ file_no }) => `
      create unlogged table stage.column_text_${file_no}
      partition of stage.column_text for values in (${file_no})
      with (autovacuum_enabled = false)`,
  );
  await client.query(`
    create table stage.column_text (
      file_no integer not null,
      line bigint not null,
      fingerprint bigint not null,
      needs_tidying boolean not null,
      is_sound boolean not null,
      ${columns.map((name) => `${name} text`).join(', ')}
    ) partition by list (file_no);
    ${partitions.join(';')};
    create view stage.record as
    select
      file_no, line, fingerprint, is_sound, ${tidied.join(', ')},
      array_to_string(array[${columns.join(', ')}], ';', '') as raw
    from stage.column_text;
    create view stage.mapped as ${source.mapping}`);
  await saveFiles(client, files);
  if (staging.isFirst) await runFile(client, 'nightly/baseline/split_entry.sql');
}

/** Makes the files of the dump known. */
export async function saveFiles(client: PoolClient, files: readonly DumpFile[]): Promise<void> {
  await client.query(
    `insert into stage.file (file_no, file_key, file, byte_count, sha256)
     select file_no, file_key, file, byte_count, sha256
     from jsonb_populate_recordset(null::stage.file, $1)`,
    [JSON.stringify(files)],
  );
  await client.query('analyze stage.night, stage.file');
}

/** @param onRecords called with the records of each batch, before it is written */
async function stageFile(
  batches: ReturnType<ReadingThreads['read']>,
  writer: StageWriter,
  onRecords: (more: number) => Promise<void>,
): Promise<FileCount> {
  try {
    for (;;) {
      const { done, value } = await batches.next();
      if (done) {
        await writer.end();
        return value;
      }
      await onRecords(value.read_count);
      await writer.write(value);
    }
  } catch (error) {
    writer.abort();
    throw error;
  }
}

async function saveCounts(client: PoolClient, counts: readonly FileCount[]): Promise<void> {
  await client.query(
    `update stage.file
     set read_count = counted.read_count,
       line_count = counted.line_count,
       lines_before = counted.lines_before
     from (
       select file_no, read_count, line_count,
         coalesce(sum(line_count) over (
           order by file_no rows between unbounded preceding and 1 preceding
         ), 0) as lines_before
       from jsonb_populate_recordset(null::stage.file, $1)
     ) as counted
     where file.file_no = counted.file_no`,
    [JSON.stringify(counts)],
  );
  const unknown = counts.flatMap((row) =>
    row.unknown.map((value) => ({ subject: 'column', value, row_count: row.read_count })),
  );
  await client.query(
    `insert into stage.notice (subject, value, row_count)
     select subject, value, sum(row_count)
     from jsonb_populate_recordset(null::stage.notice, $1)
     group by subject, value`,
    [JSON.stringify(unknown)],
  );
}
