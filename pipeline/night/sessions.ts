import type { PoolClient } from 'pg';
import { inSession, runFile, type Sessions } from '../../sql/connection/database.ts';
import { isDiskFull } from '../fault.ts';

/** The schema with the tables of one night, and the database sessions that work on these tables. */
export interface NightSessions {
  pool: Sessions;
  /** The session that holds the locks of the night and runs the publishing transaction. */
  client: PoolClient;
  stage: string;
}

/** The names of files of `sql/nightly/`, without `.sql`, that run one after another. */
export type Steps = readonly string[];

/** Returns the name of the schema that holds the tables of a source's night. */
export function stageOf(source: string): string {
  return `stage_${source}`;
}

/** Sets the settings of a session for a night's large statements. */
export async function configureSession(client: PoolClient): Promise<void> {
  await client.query(`
    set work_mem = '128MB';
    set maintenance_work_mem = '256MB';
    set max_parallel_maintenance_workers = 0;
    set max_parallel_workers_per_gather = 2;
    set min_parallel_table_scan_size = '8MB';
    set jit = off`);
}

export async function runSteps({ client, stage }: NightSessions, steps: Steps): Promise<void> {
  for (const step of steps) await runFile(client, `nightly/${step}.sql`, undefined, stage);
}

/**
 * Runs lists of steps in parallel. The first list runs in the night's main session. Each other list runs in a session
 * of its own, in which changes of the main session's open transaction are invisible.
 */
export async function runParallel(
  sessions: NightSessions,
  [first, ...others]: readonly Steps[],
): Promise<void> {
  const inOther = (steps: Steps) =>
    inSession(sessions.pool, async (client) => {
      await configureSession(client);
      // Commits need not wait for the disk, because the next night creates the tables anew after a crash.
      await client.query('set synchronous_commit = off');
      await runSteps({ ...sessions, client }, steps);
      await client.query('reset all');
    });
  await settle([runSteps(sessions, first ?? []), ...others.map(inOther)]);
}

/**
 * Waits for all tasks, even after a task fails, so that no task still writes after the night. If tasks failed, throws
 * the error of a full disk (which makes other tasks fail too), else the first error.
 */
export async function settle<Tasks extends readonly Promise<unknown>[]>(
  tasks: readonly [...Tasks],
): Promise<{ [Place in keyof Tasks]: Awaited<Tasks[Place]> }> {
  const results = await Promise.allSettled(tasks);
  const errors = results.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  if (errors.length > 0) throw errors.find(isDiskFull) ?? errors[0];
  return Promise.all(tasks);
}
