import type { Pool, PoolClient } from 'pg';

/** Does some work in its own session; an error ends the session, and its open transaction. */
export async function inSession<T>(
  pool: Pool,
  use: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    const result = await use(client);
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Reads in one snapshot of the database. */
export function inSnapshot<T>(pool: Pool, use: (client: PoolClient) => Promise<T>): Promise<T> {
  return inSession(pool, async (client) => {
    await client.query('begin isolation level repeatable read read only');
    const result = await use(client);
    await client.query('commit');
    return result;
  });
}
