import { insertRows, inSession } from '../../sql/connection/database.ts';
import { reads } from '../figures/dump-reading-limits.ts';
import { copyBatches, type CopyLines } from './copy-lines.ts';
import type { Staging } from './staging.ts';
import type { TableReader } from './table-reader.ts';

/** The approximate size of a batch of COPY lines, in bytes. */
export const BATCH_BYTES = 192 * 1024;

/** The rows of one file, or of two joined files, which `stageRows` copies into a table of the night. */
export interface StagedRows {
  /** One reader per file. The line number of a copied row is its line in the file of the first reader. */
  readonly readers: readonly TableReader[];
  /** The table into which `lines` are copied, and its columns' names, which are known once the first row is read. */
  readonly table: string;
  readonly columns: readonly string[];
  /** The number of rows that `stageRows` has copied. */
  row_count: number;
  readonly lines: CopyLines;
  /** Reads the files, and yields after each part of a file. Throws a `Refusal` for an unreadable file. */
  read(): AsyncGenerator<void>;
}

/**
 * Copies rows to a table of the night, unreadable rows to `stage.reject`. Throws a `Refusal` for an unreadable file.
 *
 * @param onRead called after each part of a file that was read; may throw an error to stop reading
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

/** Saves the rejected rows of each reader that has collected at least `count` rejected rows since the last call. */
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

/** Copies `lines` into the table of `rows`. @returns the number of copied rows */
async function copyRows(
  { pool, stage }: Pick<Staging, 'pool' | 'stage'>,
  rows: StagedRows,
  lines: AsyncGenerator<Buffer>,
): Promise<number> {
  await using batches = lines;
  const first = await batches.next();
  // A session is opened only for a file with new or changed rows, because most files have none.
  if (first.done) return 0;
  async function* readAll() {
    yield first.value as Buffer;
    yield* batches;
  }
  // The function awaits the copy, since the end of the function closes `batches`.
  return await inSession(pool, async (client) => {
    await client.query('set synchronous_commit = off; set jit = off');
    return copyBatches(client, `${stage}.${rows.table}`, rows.columns, readAll());
  });
}
