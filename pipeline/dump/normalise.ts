import { inSession, runFile } from '../../sql/connection/database.ts';
import { inParallel } from '../parallel.ts';
import { LARGE_ROWS } from './copy-lines.ts';
import type { StagedRows } from './stage-rows.ts';
import type { Staging } from './staging.ts';

/** The maximum number of files (or halves of joined files) whose records are normalised in parallel. */
const PARALLEL_PARTS = 4;

/**
 * Makes entries of the records in the night's tables. One statement normalises all small files in the time of one such
 * file. Each large file gets its own session. Two joined files get two sessions, because their records are long.
 */
export async function normaliseAll(
  staging: Pick<Staging, 'pool' | 'client' | 'stage'>,
  staged: readonly StagedRows[],
): Promise<void> {
  const small = staged.filter(({ row_count }) => row_count > 0 && row_count < LARGE_ROWS);
  const file_nos = small.map(({ readers }) => readers[0]!.file.file_no);
  if (file_nos.length > 0) await normalise(staging, file_nos);
  const large = staged.filter(({ row_count }) => row_count >= LARGE_ROWS);
  const parts = large.flatMap(({ readers }) => {
    const { file, line_count } = readers[0]!;
    const size = Math.ceil((line_count + 1) / readers.length);
    return readers.map((_, at) => ({ file, from: at * size, to: (at + 1) * size - 1 }));
  });
  await inParallel(parts, PARALLEL_PARTS, ({ file, from, to }) =>
    inSession(staging.pool, async (client) => {
      await client.query('set synchronous_commit = off; set jit = off');
      await normalise({ ...staging, client }, [file.file_no], [from, to]);
    }),
  );
}

/** Makes entries of the records of files in the night's tables, or only of the records in a range of lines. */
export async function normalise(
  { client, stage }: Pick<Staging, 'client' | 'stage'>,
  file_nos: readonly number[],
  lines: readonly [from: number, to: number] = [0, Number.MAX_SAFE_INTEGER],
): Promise<void> {
  await runFile(client, 'nightly/1_read/normalise.sql', [file_nos, ...lines], stage);
}
