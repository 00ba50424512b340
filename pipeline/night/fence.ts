import type { Pool, PoolClient } from 'pg';
import type { Sessions } from '../../sql/connection/database.ts';

/**
 * Returns a pool for the additional sessions of a night. The epoch of a session identifies the primary server and its
 * last start. A session whose epoch differs from the epoch of `first` is refused, because a failover or a crash has
 * emptied or removed the tables of the night.
 */
export async function fence(pool: Pool, first: PoolClient): Promise<Sessions> {
  const readEpoch = 'select registry.epoch() as epoch';
  const { rows } = await first.query<{ epoch: string }>(readEpoch);
  const connect = async () => {
    const client = await pool.connect();
    try {
      const found = await client.query<{ epoch: string }>(readEpoch);
      if (found.rows[0]!.epoch === rows[0]!.epoch) return client;
      throw new Error(
        'The database has moved to another server, or was started anew: run it again',
      );
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
  return { connect };
}
