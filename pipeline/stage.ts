import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { finished } from 'node:stream/promises';
import pLimit from 'p-limit';
import { escapeIdentifier, type Pool, type PoolClient } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { runFile } from '../sql/database.ts';
import { readArchive } from './archive.ts';
import type { DumpFile } from './dump.ts';
import { FileReader, type RejectedRecord } from './file-reader.ts';
import type { KnownRecords } from './fingerprint.ts';
import { ROW_NUMBER_COLUMN } from './layout.ts';
import { RecordSplitter } from './record.ts';
import type { Source } from './source.ts';

/** Files that are read side by side, each with a session of its own. */
const PARALLEL_FILES = Math.min(4, Math.max(2, availableParallelism()));
/** Rejects that are gathered before they are sent. */
const REJECT_BATCH = 1000;

export interface Staging {
  pool: Pool;
  source: Source;
  files: readonly DumpFile[];
  /** Yesterday's records, which are dropped; those that are met are marked. */
  known: KnownRecords;
  /** Called now and then with the records read so far and the files that are done. */
  onProgress(records: number, files: number): void;
}

/** What was counted in one file. */
interface FileCount {
  file_no: number;
  read_count: number;
  line_count: number;
  /** Columns that the source does not describe. */
  unknown: readonly string[];
}

/**
 * Reads every file of a dump and sends what was not there yesterday to the tables of `stage`:
 * records to `column_text` and, normalised, to `entry`; unreadable ones to `reject`, counts to
 * `file`, unknown columns to `notice`.
 * Throws a `Refusal` when a file as a whole cannot be read.
 */
export async function stageDump(client: PoolClient, staging: Staging): Promise<void> {
  await createRecordTables(client, staging);
  const limit = pLimit(PARALLEL_FILES);
  const failure = new AbortController();
  let records = 0;
  let done = 0;
  // The largest first, so that no long file is left alone at the end.
  const files = staging.files.toSorted((a, b) => b.byte_count - a.byte_count);
  const tasks = files.map((file) =>
    limit(async () => {
      failure.signal.throwIfAborted();
      const count = await stageFile(staging, file, failure.signal, (more) => {
        records += more;
        staging.onProgress(records, done);
      });
      staging.onProgress(records, ++done);
      return count;
    }),
  );
  try {
    await saveCounts(client, await Promise.all(tasks));
  } catch (error) {
    // The other files stop at their next chunk; nobody may still write when we leave.
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
      partition of stage.column_text for values in (${file_no})`,
  );
  await client.query(`
    create table stage.column_text (
      file_no integer not null,
      line bigint not null,
      fingerprint bigint not null,
      needs_tidying boolean not null,
      ${columns.map((name) => `${name} text`).join(', ')}
    ) partition by list (file_no);
    ${partitions.join(';')};
    create view stage.record as
    select
      file_no, line, fingerprint, ${tidied.join(', ')},
      array_to_string(array[${columns.join(', ')}], ';', '') as raw
    from stage.column_text;
    create view stage.mapped as ${source.mapping}`);
  await client.query(
    `insert into stage.file (file_no, file_key, file, byte_count, sha256)
     select file_no, file_key, file, byte_count, sha256
     from jsonb_populate_recordset(null::stage.file, $1)`,
    [JSON.stringify(files)],
  );
  await client.query('analyze stage.night, stage.file');
}

async function stageFile(
  staging: Staging,
  file: DumpFile,
  signal: AbortSignal,
  onRecords: (more: number) => void,
): Promise<FileCount> {
  const reader = new FileReader(staging.source, file, staging.known);
  const splitter = new RecordSplitter(reader);
  const writer = new StageWriter(staging.pool, file.file_no);
  try {
    let counted = 0;
    for await (const chunk of readArchive(file.path)) {
      signal.throwIfAborted();
      splitter.write(chunk);
      await writer.write(reader);
      onRecords(reader.read_count - counted);
      counted = reader.read_count;
    }
    splitter.end();
    reader.end();
    await writer.write(reader);
    await writer.end();
    onRecords(reader.read_count - counted);
  } catch (error) {
    writer.abort();
    throw error;
  }
  return {
    file_no: file.file_no,
    read_count: reader.read_count,
    line_count: splitter.line,
    unknown: reader.layout!.unknown,
  };
}

/** One file's session: opened with the first line to send, since most files change little. */
class StageWriter {
  readonly #pool: Pool;
  readonly #file_no: number;
  #client: PoolClient | undefined;
  #copy: CopyStreamQuery | undefined;
  #rejects: RejectedRecord[] = [];

  constructor(pool: Pool, file_no: number) {
    this.#pool = pool;
    this.#file_no = file_no;
  }

  async write(reader: FileReader): Promise<void> {
    const lines = reader.lines.take();
    if (lines) {
      this.#copy ??= await this.#openCopy(reader);
      if (!this.#copy.write(lines)) await once(this.#copy, 'drain');
    }
    this.#rejects.push(...reader.rejects.splice(0));
    if (this.#rejects.length >= REJECT_BATCH) await this.#sendRejects();
  }

  /** Ends the file: what it holds is normalised at once, beside the files still being read. */
  async end(): Promise<void> {
    if (this.#copy && this.#client) {
      this.#copy.end();
      await finished(this.#copy);
      // Without it the plan is that of a handful of records.
      await this.#client.query(`analyze stage.column_text_${this.#file_no} (file_no)`);
      await runFile(this.#client, 'nightly/1a_normalise.sql', [this.#file_no]);
    }
    this.#client?.release();
    this.#client = undefined;
    await this.#sendRejects();
  }

  /** Gives the session up: what it sent is rolled back with it. */
  abort(): void {
    this.#client?.release(true);
    this.#client = undefined;
  }

  async #openCopy(reader: FileReader): Promise<CopyStreamQuery> {
    this.#client = await this.#pool.connect();
    const columns = reader.layout!.columns.filter((column) => column !== null);
    const names = ['file_no', 'line', 'fingerprint', 'needs_tidying', ...columns].map(
      escapeIdentifier,
    );
    const copy = this.#client.query(
      copyFrom(
        `copy stage.column_text_${this.#file_no} (${names.join(', ')})
         from stdin (format csv, delimiter ';', encoding utf8)`,
      ),
    );
    // An error between two writes is thrown by the next one.
    copy.on('error', () => undefined);
    return copy;
  }

  async #sendRejects(): Promise<void> {
    const rejects = this.#rejects;
    this.#rejects = [];
    if (rejects.length === 0) return;
    await this.#pool.query(
      `insert into stage.reject (file_no, line, reason, raw, is_repeat)
       select file_no, line, reason, raw, is_repeat
       from jsonb_populate_recordset(null::stage.reject, $1)`,
      [JSON.stringify(rejects)],
    );
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
