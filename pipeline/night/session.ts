import pLimit from 'p-limit';
import type { Pool, PoolClient } from 'pg';
import { runFile } from '../../sql/database.ts';

/** Runs work in a session of its own, beside that of the night. */
export type Sessions = <T>(work: (client: PoolClient) => Promise<T>) => Promise<T>;

/** Prepares a session for the large statements of a night, which makes indexes side by side. */
export async function configureSession(client: PoolClient): Promise<void> {
  await client.query(`
    set work_mem = '128MB';
    set maintenance_work_mem = '256MB';
    set max_parallel_maintenance_workers = 0;
    set jit = off;
    set max_parallel_workers_per_gather = 3;
    set min_parallel_table_scan_size = '8MB'`);
}

/**
 * Sessions for large statements, so many at a time. Whoever waits for one of the pool gives up after a
 * while, and an index of millions of entries takes longer than that: there have to be enough left.
 */
export function openSessions(pool: Pool, count: number): Sessions {
  const limit = pLimit(count);
  return (work) =>
    limit(() =>
      runInSession(pool, async (client) => {
        // They keep all processors busy as they are: passing rows between processes is more work.
        await client.query('set max_parallel_workers_per_gather = 0');
        return await work(client);
      }),
    );
}

/** Runs files of `sql/nightly/`, named without their ending, one after another. */
export async function runSteps(client: PoolClient, steps: readonly string[]): Promise<void> {
  for (const step of steps) await runFile(client, `nightly/${step}.sql`);
}

/**
 * Runs lists of steps side by side, each in a session of its own, which sees nothing of what the
 * transaction of another one has not committed.
 */
export async function runBeside(
  pool: Pool,
  ...lists: readonly (readonly string[])[]
): Promise<void> {
  await settle(
    lists.map((steps) =>
      runInSession(pool, async (client) => {
        // What is staged is made anew anyway: nobody need wait until it is on the disk.
        await client.query('set synchronous_commit = off');
        await runSteps(client, steps);
      }),
    ),
  );
}

/**
 * Waits for all, also when one fails: nobody may still write when the others are given up. Of
 * several errors it throws that of the first task in the list.
 */
export async function settle<Tasks extends readonly Promise<unknown>[]>(
  tasks: readonly [...Tasks],
): Promise<{ [Place in keyof Tasks]: Awaited<Tasks[Place]> }> {
  const results = await Promise.allSettled(tasks);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return Promise.all(tasks);
}

async function runInSession<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await configureSession(client);
    const result = await work(client);
    await client.query('reset all');
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
