import { insertRows, inSession } from '../../sql/connection/database.ts';
import { reads } from '../figures/dump-limits.ts';
import { copyBatches, type CopyLines } from './copy-lines.ts';
import type { Staging } from './staging.ts';
import type { TableReader } from './table-reader.ts';

/** The approximate size of a batch of COPY lines, in bytes. */
export const BATCH_BYTES = 192 * 1024;

/** The rows to stage of one file, or of two files whose rows are joined. */
export interface StagedRows {
  /** The readers of the files. The staged rows have the line numbers of the first file. */
  readonly readers: readonly TableReader[];
  /** The table of the night to which `lines` are copied; `columns` is valid after the first row. */
  readonly table: string;
  readonly columns: readonly string[];
  /** The number of rows that `stageRows` has staged. */
  row_count: number;
  readonly lines: CopyLines;
  /** Reads the files, and yields after each part. Throws a `Refusal` when a file as a whole cannot be read. */
  read(): AsyncGenerator<void>;
}

/**
 * Stages rows, and unreadable rows in `stage.reject`. Throws a `Refusal` when a file as a whole cannot be read.
 *
 * @param onRead called after each part that was read; may throw to end the reading
 */
export async function stageRows(
  staging: Pick<Staging, 'pool' | 'stage'>,
  rows: StagedRows,
  onRead: () => void,
): Promise<void> {
  const { lines, readers } = rows;
  async function* readBatches() {
    for await (const _ of rows.read()) {
      onRead();
      if (lines.length >= BATCH_BYTES) yield lines.take();
      await saveRejects(staging, readers, reads.rejectBatch);
    }
    if (lines.length > 0) yield lines.take();
    await saveRejects(staging, readers, 1);
  }
  rows.row_count = await copyRows(staging, rows, readBatches());
}

/** Saves the rejected rows of each file that has at least `count` unsaved rows. */
async function saveRejects(
  { pool, stage }: Pick<Staging, 'pool' | 'stage'>,
  readers: readonly TableReader[],
  count: number,
): Promise<void> {
  for (const { rejects } of readers) {
    if (rejects.length < count) continue;
    await inSession(pool, (client) => insertRows(client, `${stage}.reject`, rejects.take()));
  }
}

/** Copies the lines of rows into their table. @returns the number of rows */
async function copyRows(
  { pool, stage }: Pick<Staging, 'pool' | 'stage'>,
  rows: StagedRows,
  lines: AsyncGenerator<Buffer>,
): Promise<number> {
  await using batches = lines;
  const first = await batches.next();
  // Opens a session only for new rows: most files have no new rows.
  if (first.done) return 0;
  async function* readAll() {
    yield first.value as Buffer;
    yield* batches;
  }
  // Awaited here, since the end of this function ends the batches.
  return await inSession(pool, async (client) => {
    await client.query('set synchronous_commit = off; set jit = off');
    return copyBatches(client, `${stage}.${rows.table}`, rows.columns, readAll());
  });
}
