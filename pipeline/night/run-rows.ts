// Reads and writes rows of `registry.run`, such as the `reason` of `--accept`. nightly.ts runs the steps of a night.
import type { ClientBase, Pool, PoolClient } from 'pg';
import { isThere } from '../../sql/connection/database.ts';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';
import type { Source } from '../sources/source.ts';
import { describeFault, isDiskFull } from '../fault.ts';
import { type GuardFinding, NothingToDo, Refusal, WrongUsage } from '../errors.ts';
import type { Night, NightOptions, PublishedRun } from './context.ts';
import { tryLock } from './lock.ts';
import { type NightSessions, runSteps, stageOf } from './sessions.ts';

/** Returns the newest published run of a source. @param dump_kind the kind of its dump; if absent, any kind */
export async function findNewestPublished(
  client: ClientBase | Pool,
  source: string,
  dump_kind?: Source['dump_kind'],
): Promise<PublishedRun | undefined> {
  const { rows } = await client.query<PublishedRun>(
    `select run_id, dump_date
     from registry.run
     where source = $1 and state = 'published' and ($2::text is null or dump_kind = $2)
     order by dump_date desc
     limit 1`,
    [source, dump_kind],
  );
  return rows[0];
}

/** Marks running runs of a source as abandoned. As the caller holds the source's lock, their processes have ended. */
export async function abandonRuns(client: ClientBase, source: string, now: Date): Promise<number> {
  const { rowCount } = await client.query(
    `with abandoned as (
       update registry.run
       set state = 'abandoned', finished_at = $2, message = 'the process ended in the middle'
       where source = $1 and state = 'running'
       returning run_id
     )
     select registry.give_back_ids(run_id) from abandoned`,
    [source, now],
  );
  return rowCount ?? 0;
}

export async function startRun(
  client: ClientBase,
  { source, path, dump_date, now }: NightOptions,
): Promise<string> {
  const { rows } = await client.query<{ run_id: string }>(
    `insert into registry.run (source, dump_date, state, started_at, path)
     values ($1, $2, 'running', $3, $4)
     returning run_id`,
    [source, dump_date, now(), path],
  );
  return rows[0]!.run_id;
}

/** Saves the final state of a run. @param end.reason the operator's reason to publish a dump that the guards refuse */
export async function endRun(
  { client, run_id, now }: Night,
  end: {
    state: 'published' | 'imported' | 'refused' | 'failed';
    reason?: string | undefined;
    message?: string;
    findings?: readonly GuardFinding[];
  },
): Promise<void> {
  const { state, reason, message, findings } = end;
  await client.query(
    `update registry.run
     set state = $2, finished_at = $3, reason = $4, message = $5, refusals = $6
     where run_id = $1`,
    [run_id, state, now(), reason, message, findings && JSON.stringify(findings)],
  );
}

/**
 * Rolls back the open transaction, and saves why the run was refused or failed. Deletes the row of a run that was a dry
 * run, found no dump, or had nothing to do.
 *
 * @returns the error that the night throws
 */
export async function noteFailure(night: Night, error: unknown): Promise<unknown> {
  const { client } = night;
  try {
    await client.query('rollback');
    await client.query('begin; set local synchronous_commit to default');
    if (error instanceof NothingToDo || error instanceof WrongUsage || night.isDryRun) {
      await forgetRun(night);
    } else if (error instanceof Refusal) {
      // For a refused run, the list of files and the rejected rows are saved, if the night's tables exist already.
      if (await isThere(client, `${night.stage}.night`)) await runSteps(night, ['5_publish/run']);
      const { message, findings } = error;
      await endRun(night, { state: 'refused', message, findings });
    } else {
      await endRun(night, { state: 'failed', message: describeFault(error), findings: [] });
    }
    await client.query('select registry.give_back_ids($1)', [night.run_id]);
    await dropTables(night);
    await client.query('commit');
  } catch (cause) {
    // The database is probably unreachable. The next run of the source will mark this run as abandoned.
    night.reporter.note(`the run could not be recorded: ${(cause as Error).message}`);
    // `error` may not say that the connection was lost, because sessions fail in different ways.
    const saysWhy = isLostConnection(error) || isDiskFull(error);
    if (isLostConnection(cause) && !saysWhy) return cause;
  }
  return error;
}

/** Drops the tables of the night, because they hold personal data, which an ended run must not keep. */
export async function dropTables({ client, stage }: Omit<NightSessions, 'pool'>): Promise<void> {
  await client.query(`drop schema if exists ${stage} cascade`);
}

/** Drops the tables that a killed night of the source left. Takes the source's lock until the session ends. */
export async function dropIdleTables(client: PoolClient, source: string): Promise<void> {
  if (await tryLock(client, source)) await dropTables({ client, stage: stageOf(source) });
}

/** Deletes a run that publishes nothing, and gives back the ids that the run has reserved. */
export async function forgetRun({ client, run_id }: Night): Promise<void> {
  await client.query('select registry.give_back_ids($1)', [run_id]);
  await client.query('delete from registry.run where run_id = $1', [run_id]);
}
