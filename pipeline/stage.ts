import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { finished } from 'node:stream/promises';
import pLimit from 'p-limit';
import { escapeIdentifier, type Pool, type PoolClient } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
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
  /** Columns that the source does not describe. */
  unknown: readonly string[];
}

/**
 * Reads every file of a dump and sends what was not there yesterday to the tables of `stage`:
 * records to `record`, unreadable ones to `reject`, counts to `file`, unknown columns to `notice`.
 * Throws a `Refusal` when a file as a whole cannot be read.
 */
export async function stageDump(client: PoolClient, staging: Staging): Promise<void> {
  await createRecordTable(client, staging.source);
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
    await saveCounts(client, staging.files, await Promise.all(tasks));
  } catch (error) {
    // The other files stop at their next chunk; nobody may still write when we leave.
    failure.abort(error);
    await Promise.allSettled(tasks);
    throw error;
  }
}

/**
 * The columns as they stand in the files, and `stage.record`, which the mapping reads: white space
 * tidied where there may be any, and the whole row again as `raw`.
 */
async function createRecordTable(client: PoolClient, source: Source): Promise<void> {
  const columns = [ROW_NUMBER_COLUMN, ...source.columns.map(({ column }) => column)].map(
    escapeIdentifier,
  );
  const tidied = columns.map(
    (name) => `case when needs_tidying then registry.squeeze(${name}) else ${name} end as ${name}`,
  );
  await client.query(`
    create unlogged table stage.column_text (
      file_no integer not null,
      line bigint not null,
      fingerprint bigint not null,
      needs_tidying boolean not null,
      ${columns.map((name) => `${name} text`).join(', ')}
    );
    create view stage.record as
    select
      file_no, line, fingerprint, ${tidied.join(', ')},
      array_to_string(array[${columns.join(', ')}], ';', '') as raw
    from stage.column_text`);
}

/** `stage.mapped`: the records in the terms of all sources. To be made once they are staged. */
export async function createMappedView(client: PoolClient, source: Source): Promise<void> {
  await client.query(`
    analyze stage.column_text;
    analyze stage.unmet;
    create view stage.mapped as ${source.mapping}`);
}

async function stageFile(
  staging: Staging,
  file: DumpFile,
  signal: AbortSignal,
  onRecords: (more: number) => void,
): Promise<FileCount> {
  const reader = new FileReader(staging.source, file, staging.known);
  const splitter = new RecordSplitter(reader);
  const writer = new StageWriter(staging.pool);
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
  return { file_no: file.file_no, read_count: reader.read_count, unknown: reader.layout!.unknown };
}

/** One file's session: opened with the first line to send, since most files change little. */
class StageWriter {
  readonly #pool: Pool;
  #client: PoolClient | undefined;
  #copy: CopyStreamQuery | undefined;
  #rejects: RejectedRecord[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
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

  async end(): Promise<void> {
    if (this.#copy) {
      this.#copy.end();
      await finished(this.#copy);
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
        `copy stage.column_text (${names.join(', ')})
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

async function saveCounts(
  client: PoolClient,
  files: readonly DumpFile[],
  counts: readonly FileCount[],
): Promise<void> {
  const rows = counts.map((count) => ({ ...files[count.file_no]!, ...count }));
  await client.query(
    `insert into stage.file (file_no, file_key, file, byte_count, sha256, read_count)
     select file_no, file_key, file, byte_count, sha256, read_count
     from jsonb_populate_recordset(null::stage.file, $1)`,
    [JSON.stringify(rows)],
  );
  const unknown = rows.flatMap((row) =>
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
