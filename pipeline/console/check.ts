import type { Database } from '../../sql/connection/database.ts';
import { dayIn } from '../../sql/country.ts';
import { exitCodes } from '../exit-codes.ts';
import { answer } from './print.ts';
import { withDatabase } from './session.ts';
import { describeReader } from './status.ts';

interface Options {
  json?: boolean;
  maxAge: number;
  maxWait: number;
}

/** Runs `registry check`: prints a sentence for each problem of the service. The exit code is 1 if it finds one. */
export async function checkHealth(options: Options): Promise<void> {
  const limits = { max_age_days: options.maxAge, max_wait_minutes: options.maxWait };
  await withDatabase(
    async (db) => {
      const findings = await findTrouble(db, dayIn(new Date()), limits);
      const is_well = findings.length === 0;
      const lines = is_well ? ['All is well'] : findings.map(({ sentence }) => sentence);
      answer(options.json, { is_well, findings }, lines);
      if (!is_well) process.exitCode = exitCodes.failed;
    },
    { reads: true },
  );
}

/** Finds old snapshots, sources whose last run was refused or failed, overdue mails and jobs, and lagging standbys. */
export async function findTrouble(
  { pool, readers }: Database,
  today: string,
  limits: { max_age_days: number; max_wait_minutes: number },
) {
  const { rows } = await pool.query<{ kind: string; subject: string | null; sentence: string }>(
    `select 'snapshot' as kind, null as subject, 'Nothing is published yet' as sentence
     where not exists (select from registry.run where state = 'published')
     union all
     select 'snapshot', source, format(
       'The newest snapshot of %s, %s, is %s days old; the limit is %s',
       source, dump_date, $1::date - dump_date, $2::integer
     )
     from registry.newest_snapshot
     where $1::date - dump_date > $2::integer
     union all
     select 'run', source, format('The last run of %s, %s of %s, was %s', source, run_id, dump_date, state)
     from (
       select distinct on (source) source, run_id, dump_date, registry.state_of(run) as state
       from registry.run
       where state not in ('imported', 'stopped')
       order by source, run_id desc
     ) as last_run
     where state in ('refused', 'failed', 'abandoned')
     union all
     select 'mail', null, format(
       '%s mails wait, the oldest since %s; the limit is %s minutes',
       registry.figure(count(*)), to_char(min(created_at), 'YYYY-MM-DD HH24:MI "UTC"'), $3::integer
     )
     from customer.mail
     where state = 'queued'
     having min(created_at) < now() - make_interval(mins => $3::integer)
     union all
     select 'job', task, format(
       '%s jobs %s are due, the oldest since %s; the limit is %s minutes. Does a worker run?',
       registry.figure(count(*)), task, to_char(min(due_at), 'YYYY-MM-DD HH24:MI "UTC"'), $3::integer
     )
     from customer.job
     where state = 'waiting'
     group by task
     having min(due_at) < now() - make_interval(mins => $3::integer)`,
    [today, limits.max_age_days, limits.max_wait_minutes],
  );
  const behind = (readers?.states() ?? []).filter(
    ({ is_up, lag_seconds }) => !is_up || (lag_seconds ?? 0) > limits.max_wait_minutes * 60,
  );
  return [
    ...rows,
    ...behind.map((reader) => ({
      kind: 'reader',
      subject: reader.name,
      sentence: describeReader(reader),
    })),
  ];
}
