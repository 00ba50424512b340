import { type Database, runFile } from '../../sql/database.ts';
import type { OnDemandSource } from './on-demand.ts';

/**
 * Takes care of what people wait for, without a night: gives up what has been waited for too long,
 * and asks again for what is due.
 */
export async function sweepWatches(
  { pool }: Database,
  sources: readonly OnDemandSource[],
  now: Date,
): Promise<void> {
  const client = await pool.connect();
  let fault: Error | undefined;
  try {
    await client.query('select customer.advance_watches($1)', [now]);
    if (sources.length > 0) await runFile(client, 'import/enqueue_due.sql', [now]);
  } catch (error) {
    fault = error as Error;
    throw error;
  } finally {
    client.release(fault);
  }
}
