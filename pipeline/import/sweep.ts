import { type Database, runFile } from '../../sql/database.ts';
import type { OnDemandSource } from './on-demand.ts';

/** Fails the numbers that are awaited for too long, and queues the import where one is due. */
export async function sweepWatches(
  { pool }: Database,
  sources: readonly OnDemandSource[],
  now: Date,
): Promise<void> {
  await pool.query('select customer.advance_watches($1)', [now]);
  if (sources.length > 0) await runFile(pool, 'import/enqueue_due.sql', [now]);
}
