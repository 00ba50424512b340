import { insertRows, inSession, runFile } from '../../sql/connection/database.ts';
import { inParallel } from '../parallel.ts';
import { reads } from '../figures/dump-limits.ts';
import { copyBatches, type CopyLines } from './copy-lines.ts';
import type { Staging } from './staging.ts';
import type { FileCount, TableReader } from './table-reader.ts';

/** The approximate size of a batch of COPY lines, in bytes. */
export const BATCH_BYTES = 192 * 1024;
const PROGRESS_RECORDS = 10_000;

/** The rows to stage of one file, or of two files whose rows are joined. */
export interface StagedRows {
  /** The readers of the files. The staged rows have the line numbers of the first file. */
  readonly readers: readonly TableReader[];
  /** The table of the night to which `lines` are copied; `columns` is valid after the first row. */
  readonly table: string;
  readonly columns: readonly string[];
  /** The number of sessions that normalise the records in parallel; 0 for rows that are no records. */
  readonly normaliser_count: number;
  readonly lines: CopyLines;
  /** Reads the files, and yields after each part. Throws a `Refusal` when a file as a whole cannot be read. */
  read(): AsyncGenerator<void>;
}

/** The counts of a file whose rows are staged. */
export interface StagedCount extends FileCount {
  /** Whether the file has a few records that are not normalised yet. */
  is_left: boolean;
  /** Whether the rows of the file are joined with the rows of another file. */
  is_joined: boolean;
}

/**
 * Stages rows, and unreadable rows in `stage.reject`. Normalises the records of a large file into `stage.entry`.
 * The caller normalises all small files together, which takes as long as one small file. Throws a `Refusal` when
 * a file as a whole cannot be read.
 */
export async function stageRows(
  staging: Pick<Staging, 'pool' | 'stage' | 'steps' | 'onProgress'>,
  rows: StagedRows,
  signal: AbortSignal,
): Promise<StagedCount[]> {
  const { lines, readers } = rows;
  const reported = { records: 0, bytes: 0 };
  const report = (least: number) => {
    const records = sum(readers.map(({ read_count }) => read_count)) - reported.records;
    if (records < least) return;
    const bytes = sum(readers.map(({ stored_bytes }) => stored_bytes)) - reported.bytes;
    staging.onProgress(records, bytes);
    reported.records += records;
    reported.bytes += bytes;
  };
  async function* readBatches() {
    for await (const _ of rows.read()) {
      signal.throwIfAborted();
      if (lines.length >= BATCH_BYTES) yield lines.take();
      await saveRejects(staging, readers, reads.rejectBatch);
      report(PROGRESS_RECORDS);
    }
    if (lines.length > 0) yield lines.take();
    await saveRejects(staging, readers, 1);
  }
  const batch_count = await copyRows(staging, rows, readBatches());
  const isRecord = rows.normaliser_count > 0;
  if (isRecord && batch_count > 1) await normaliseLarge(staging, rows);
  report(0);
  return readers.map((reader, at) => ({
    ...reader.count(),
    is_left: isRecord && batch_count === 1 && at === 0,
    is_joined: readers.length > 1,
  }));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
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

/** Copies the lines of rows into their table. @returns the number of batches */
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

/** Normalises the records of a large file in parallel sessions, each for an equal range of lines. */
async function normaliseLarge(
  staging: Pick<Staging, 'pool' | 'stage' | 'steps'>,
  { readers, normaliser_count }: StagedRows,
): Promise<void> {
  const { file, line_count } = readers[0]!;
  const size = Math.ceil((line_count + 1) / normaliser_count);
  const parts = Array.from({ length: normaliser_count }, (_, at) => at * size);
  await inParallel(parts, normaliser_count, (from) =>
    inSession(staging.pool, async (client) => {
      await client.query('set synchronous_commit = off; set jit = off');
      await normalise({ ...staging, client }, [file.file_no], [from, from + size - 1]);
    }),
  );
}

/** Writes entries for the records of files, or for the records between two lines. */
export async function normalise(
  { client, stage, steps }: Pick<Staging, 'client' | 'stage' | 'steps'>,
  file_nos: readonly number[],
  lines: readonly [from: number, to: number] = [0, Number.MAX_SAFE_INTEGER],
): Promise<void> {
  await runFile(client, steps.normalise, [file_nos, ...lines], stage);
}
