import pLimit from 'p-limit';
import type { Pool, PoolClient } from 'pg';

/** Runs work in a session of its own, beside that of the night. */
export type SideSessions = <T>(work: (client: PoolClient) => Promise<T>) => Promise<T>;

/**
 * Sessions that work side by side, no more than `count`. Whoever waits for one of the pool gives up
 * after a while, and an index of millions of entries takes longer than that: there have to be enough
 * left.
 *
 * @param configure prepares a session for large statements
 */
export function openSideSessions(
  pool: Pool,
  count: number,
  configure: (client: PoolClient) => Promise<void>,
): SideSessions {
  const limit = pLimit(count);
  return (work) =>
    limit(async () => {
      const client = await pool.connect();
      try {
        await configure(client);
        return await work(client);
      } finally {
        client.release(true);
      }
    });
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
