import { escapeIdentifier, type Pool, type PoolClient } from 'pg';
import { runFile } from '../../sql/database.ts';
import { inflateBounds, readArchive, StoredBytes } from './archive.ts';
import { CopyIn } from './copy-in.ts';
import { FileReader, type RejectedRecord } from './file-reader.ts';
import type { DumpFile } from './files.ts';
import type { TableShape } from './header.ts';
import type { KnownFingerprints } from './known-fingerprints.ts';
import { RecordSplitter } from './record-splitter.ts';

/** What is gathered before it is sent. */
const BATCH = { bytes: 192 * 1024, rejects: 1000 };
/** Between two reports of what was read. */
const PROGRESS_RECORDS = 10_000;

/** One file to be staged. */
export interface FileTask {
  /** The schema of the tables of the night. */
  stage: string;
  shape: TableShape;
  file: DumpFile;
  /** The entries of yesterday, whose records are skipped. */
  known: KnownFingerprints;
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
 * Reads one file of a dump and stages what was not there yesterday, in a session of its own: records go
 * to `column_text` and, normalised, to `entry`; unreadable ones to `reject`.
 * Throws a `Refusal` when the file as a whole cannot be read.
 *
 * @param onProgress called now and then with the number of further records, and of further bytes, read
 * @param signal aborted when the night is given up; the next batch is then not written
 */
export async function stageFile(
  pool: Pool,
  { stage, shape, file, known }: FileTask,
  onProgress: (records: number, bytes: number) => void,
  signal: AbortSignal,
): Promise<FileCount> {
  const reader = new FileReader(shape, file, known);
  const splitter = new RecordSplitter(reader);
  const writer = new FileWriter(pool, stage, reader, file.file_no);
  const stored = new StoredBytes();
  let reported = { records: 0, bytes: 0 };
  const report = (bytes: number) => {
    onProgress(reader.read_count - reported.records, bytes - reported.bytes);
    reported = { records: reader.read_count, bytes };
  };
  try {
    for await (const chunk of readArchive(file.path, inflateBounds, stored)) {
      signal.throwIfAborted();
      splitter.write(chunk);
      await writer.write(BATCH);
      if (reader.read_count - reported.records >= PROGRESS_RECORDS) report(stored.count);
    }
    splitter.end();
    reader.end();
    await writer.end();
  } catch (error) {
    writer.abort();
    throw error;
  }
  report(file.byte_count);
  return {
    file_no: file.file_no,
    read_count: reader.read_count,
    line_count: splitter.line,
    unknown: reader.layout!.unknown,
  };
}

/** Sends what a reader has gathered; the session is opened with the first line, since files may not change. */
class FileWriter {
  readonly #pool: Pool;
  readonly #stage: string;
  readonly #reader: FileReader;
  readonly #file_no: number;
  #client: PoolClient | undefined;
  #copy: CopyIn | undefined;

  constructor(pool: Pool, stage: string, reader: FileReader, file_no: number) {
    this.#pool = pool;
    this.#stage = stage;
    this.#reader = reader;
    this.#file_no = file_no;
  }

  /** @param least what has to have come together to be worth sending */
  async write(least: { bytes: number; rejects: number }): Promise<void> {
    const { lines, rejects } = this.#reader;
    if (lines.length > 0 && lines.length >= least.bytes) {
      this.#copy ??= await this.#openCopy();
      await this.#copy.write(lines.take());
    }
    if (rejects.length > 0 && rejects.length >= least.rejects) {
      await this.#saveRejects(rejects.splice(0));
    }
  }

  /** Sends the rest. What the file holds is normalised at once, while other files are still being read. */
  async end(): Promise<void> {
    await this.write({ bytes: 0, rejects: 0 });
    if (this.#copy && this.#client) {
      await this.#copy.end();
      // Without it the plan is that of a handful of records.
      await this.#client.query(`analyze ${this.#stage}.column_text_${this.#file_no} (file_no)`);
      await runFile(this.#client, 'nightly/1_read/normalise.sql', [[this.#file_no]], this.#stage);
    }
    this.#client?.release();
    this.#client = undefined;
  }

  /** Gives the session up: what it sent is rolled back with it. */
  abort(): void {
    this.#client?.release(true);
    this.#client = undefined;
  }

  async #openCopy(): Promise<CopyIn> {
    this.#client = await this.#pool.connect();
    await this.#client.query('set synchronous_commit = off; set jit = off');
    const columns = this.#reader.columns.map(escapeIdentifier).join(', ');
    return new CopyIn(
      this.#client,
      `copy ${this.#stage}.column_text_${this.#file_no} (${columns})
       from stdin (format csv, delimiter ';', encoding utf8)`,
    );
  }

  async #saveRejects(rows: readonly RejectedRecord[]): Promise<void> {
    await this.#pool.query(
      `insert into ${this.#stage}.reject (file_no, line, reason, raw)
       select file_no, line, reason, raw
       from jsonb_populate_recordset(null::${this.#stage}.reject, $1)`,
      [JSON.stringify(rows)],
    );
  }
}
