import { escapeIdentifier, type Pool, type PoolClient } from 'pg';
import { runFile } from '../../sql/database.ts';
import { CopyIn } from './copy-in.ts';
import type { RejectedRecord } from './file-reader.ts';
import type { RecordBatch } from './read-file.ts';

/** Rejects that are gathered before they are sent. */
const REJECT_BATCH = 1000;

/** What every staged record begins with, as `recordPrefix` writes it. */
const recordColumns = ['file_no', 'line', 'fingerprint', 'needs_tidying', 'is_sound'];

/** One file's session: opened with the first line to send, since most files change little. */
export class StageWriter {
  readonly #pool: Pool;
  readonly #file_no: number;
  #client: PoolClient | undefined;
  #copy: CopyIn | undefined;
  #rejects: RejectedRecord[] = [];

  constructor(pool: Pool, file_no: number) {
    this.#pool = pool;
    this.#file_no = file_no;
  }

  async write({ lines, columns, rejects }: RecordBatch): Promise<void> {
    if (lines) {
      this.#copy ??= await this.#openCopy(columns);
      await this.#copy.write(lines);
    }
    this.#rejects.push(...rejects);
    if (this.#rejects.length >= REJECT_BATCH) await this.#sendRejects();
  }

  /** Ends the file: what it holds is normalised at once, beside the files still being read. */
  async end(): Promise<void> {
    if (this.#copy && this.#client) {
      await this.#copy.end();
      // Without it the plan is that of a handful of records.
      await this.#client.query(`analyze stage.column_text_${this.#file_no} (file_no)`);
      await runFile(this.#client, 'nightly/1a_normalise.sql', [[this.#file_no]]);
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

  async #openCopy(columns: readonly string[]): Promise<CopyIn> {
    this.#client = await this.#pool.connect();
    const names = recordColumns.concat(columns).map(escapeIdentifier);
    return new CopyIn(
      this.#client,
      `copy stage.column_text_${this.#file_no} (${names.join(', ')})
       from stdin (format csv, delimiter ';', encoding utf8)`,
    );
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
