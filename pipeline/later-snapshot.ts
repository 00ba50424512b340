import type { Pool, PoolClient } from 'pg';
import { runBeside, runSteps, settle } from './night-session.ts';

/** The steps that tell events, side by side. */
export const eventSteps = [['3a_events'], ['3b_activities'], ['3c_persons', '3d_units']] as const;

/**
 * Writes what a snapshot that is not the first one changes, in the transaction of `client`. Other
 * sessions, which still see yesterday's entries, work out beside it what it will write.
 *
 * @param onWorkedOut called when all is worked out
 */
export async function publishChanges(
  pool: Pool,
  client: PoolClient,
  onWorkedOut: () => void,
): Promise<void> {
  const told = runBeside(pool, ...eventSteps);
  const touched = runBeside(pool, ['4b_touched']);
  const shown = async () => {
    await touched;
    await runBeside(pool, ['4b_alone']);
    await runBeside(pool, ['4b_alone_bits'], ['4b_alone_activities'], ['4b_alone_places']);
  };
  const written = async () => {
    await runSteps(client, ['4b_new_sum', '4b_new_companies', '4c_entries']);
    await settle([touched, told]);
    await runSteps(client, ['4c_due', '4d_events']);
  };
  await settle([written(), shown(), told]);
  onWorkedOut();
  await runSteps(client, ['4e_alone']);
  await settle([runSteps(client, ['4e_alone_bits']), runBeside(pool, ['4e_search_names'])]);
}
