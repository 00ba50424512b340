import type { Database } from '../../sql/connection/database.ts';
import type { ServerState } from '../../sql/connection/readers.ts';
import { dayIn } from '../../sql/country.ts';
import { answer, minute } from './print.ts';
import { describeRunRows, readRuns } from './runs.ts';
import { withDatabase } from './session.ts';
import { figure } from '../written-figure.ts';
import { shown } from '../figures/output-limits.ts';

interface SnapshotStatus {
  source: string;
  dump_date: string;
  age_days: number;
  entries: number;
  /** The number of nights since the newest snapshot of the source in which a dump of the source was refused. */
  refused_nights: number;
  /** Whether any published dump of the source was a dump of `fixtures/`, where all companies are invented. */
  is_invented: boolean;
  /** The number of duplicates: identifiers that the registry has replaced by the identifier of another entry. */
  duplicates: number;
}

type Status = Awaited<ReturnType<typeof readStatus>>;

export async function showStatus({ json }: { json?: boolean }): Promise<void> {
  await withDatabase(
    async (db) => {
      const status = await readStatus(db, dayIn(new Date()));
      answer(json, status, [describeStatus(status)]);
    },
    { reads: true },
  );
}

/** Returns the newest published snapshot of each source. @param today the current day, YYYY-MM-DD */
export async function readSnapshots(
  { pool }: Pick<Database, 'pool'>,
  today: string,
): Promise<SnapshotStatus[]> {
  const { rows } = await pool.query<SnapshotStatus>(
    `select
       source, dump_date, $1::date - dump_date as age_days, entry_count::float8 as entries,
       refused_nights, coalesce(listed.duplicates, 0) as duplicates,
       exists (
         select
         from registry.run
         where run.source = newest.source and run.state = 'published' and registry.is_invented(run)
       ) as is_invented
     from registry.newest_snapshot as newest
     left join (
       select source.source, count(*)::float8 as duplicates
       from registry.past_number
       join registry.identifier_type as type using (identifier_type)
       join registry.source using (country_code)
       where type.stored_in = 'key'
       group by source.source
     ) as listed using (source)
     where dump_date is not null
     order by source`,
    [today],
  );
  return rows;
}

export async function readStatus(db: Database, today: string) {
  return {
    snapshots: await readSnapshots(db, today),
    runs: await readRuns(db, { limit: 10 }),
    mail: await readMailStatus(db, today),
    jobs: await readJobStatus(db),
    watch_lists: await readWatchStatus(db, today),
    sessions: await readSessions(db),
    readers: db.readers?.states() ?? [],
  };
}

export function describeStatus(status: Status): string {
  return [
    ...describeRuns(status),
    ...describeWatches(status.watch_lists),
    ...describeMails(status),
    ...describeServers(status),
  ].join('\n');
}

function describeRuns({ snapshots, runs }: Status): string[] {
  if (runs.length === 0)
    return ['No run yet. Start with: registry ingest <source> <path> --date <day>'];
  return [
    snapshots.length > 0 ? 'Newest snapshots' : 'Nothing is published yet',
    ...snapshots.map(describeSnapshot),
    'Last runs',
    ...describeRunRows(runs),
  ];
}

function describeSnapshot(snapshot: SnapshotStatus): string {
  const { source, dump_date, age_days, entries, refused_nights, duplicates, is_invented } =
    snapshot;
  const invented = is_invented ? '  invented' : '';
  const nights = refused_nights === 1 ? 'last night' : `${refused_nights} nights in a row`;
  const refused = refused_nights > 0 ? `  refused ${nights}` : '';
  const found = duplicates > 0 ? `  ${counted(duplicates, 'duplicate')}` : '';
  return `  ${source.padEnd(8)} ${dump_date}  ${counted(age_days, 'day')} old  ${figure(entries)} entries${found}${invented}${refused}`;
}

/** Returns the number of client sessions by process (`application_name`), and the server's maximum of sessions. */
async function readSessions({ pool }: Database) {
  const { rows } = await pool.query<{ process: string; count: number; most: number }>(
    `select
       application_name as process, count(*)::integer as count,
       current_setting('max_connections')::integer as most
     from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend'
     group by application_name
     order by application_name`,
  );
  return rows;
}

function describeServers({ sessions, readers }: Status): string[] {
  const sum = sessions.reduce((total, { count }) => total + count, 0);
  return [
    `Sessions: ${figure(sum)} of ${figure(sessions[0]?.most ?? 0)} that the server admits`,
    ...sessions.map(({ process, count }) => `  ${process.padEnd(18)} ${figure(count)}`),
    ...(readers.length > 0 ? ['Readers'] : []),
    ...readers.map((reader) => `  ${describeReader(reader)}`),
  ];
}

export function describeReader({ name, is_up, lag_seconds, snapshot_no }: ServerState): string {
  if (!is_up) return `The reader ${name} does not answer`;
  const lag = lag_seconds === null ? 'an unknown time' : `${lag_seconds.toFixed(1)} s`;
  return `The reader ${name} has snapshot ${figure(snapshot_no)}, ${lag} behind`;
}

/** The number of queued mails (or imports), and the number of mails (or imports) that failed in the last seven days. */
interface QueueStatus {
  queued: number;
  oldest_queued_at: string | null;
  failed: number;
}

/** The counts of watched companies. `open_submissions` counts submissions (lists of companies) with running imports. */
type WatchStatus = QueueStatus & {
  ready: number;
  open_submissions: number;
  /** The number of accounts with queued imports. `longest_waiting` lists the five accounts that have waited longest. */
  waiting_accounts: number;
  longest_waiting: { user_ref: string; numbers: number; due_since: string }[];
};

export async function readWatchStatus({ pool }: Database, today: string): Promise<WatchStatus> {
  const { rows } = await pool.query<WatchStatus>(
    `select
       count(*) filter (where state = 'ready')::float8 as ready,
       count(*) filter (where state = 'queued')::float8 as queued,
       to_json(min(created_at) filter (where state = 'queued'))#>>'{}' as oldest_queued_at,
       count(*) filter (where failed_at >= $1::date - $2::integer)::float8 as failed,
       (select count(*) from customer.submission where settled_at is null)::float8 as open_submissions,
       (select count(*) from customer.import_queue)::float8 as waiting_accounts,
       (
         select coalesce(json_agg(longest order by due_since), '[]')
         from (
           select user_ref, number_count as numbers, due_since
           from customer.import_queue
           join customer.account using (account_id)
           order by due_since
           limit 5
         ) as longest
       ) as longest_waiting
     from customer.watch`,
    [today, shown.failureDays],
  );
  return rows[0]!;
}

export function describeWatches(watch: WatchStatus): string[] {
  const { ready, open_submissions, waiting_accounts, longest_waiting } = watch;
  const waiting = counted(waiting_accounts, 'account waits', 'accounts wait');
  return [
    'Watch lists',
    `  ${figure(ready)} ready; ${describeQueue(watch)}; ${counted(open_submissions, 'submission')} open`,
    ...(waiting_accounts > 0 ? [`  ${waiting} for imports, longest:`] : []),
    ...longest_waiting.map(
      ({ user_ref, numbers, due_since }) =>
        `    ${user_ref}  since ${minute(due_since)}, ${counted(numbers, 'number')}`,
    ),
  ];
}

function counted(count: number, one: string, several = `${one}s`): string {
  return `${figure(count)} ${count === 1 ? one : several}`;
}

function describeQueue({ queued, oldest_queued_at, failed }: QueueStatus): string {
  const since = oldest_queued_at === null ? '' : `, the oldest since ${minute(oldest_queued_at)}`;
  return `${figure(queued)} queued${since}; ${figure(failed)} failed in the last ${shown.failureDays} days`;
}

/** A mail that has failed, or whose last attempt failed. */
type TroubledMail = Record<'mail_id' | 'attempt_count', number> &
  Record<'template' | 'recipient' | 'state' | 'last_error' | 'created_at', string> & {
    /** The time of the next attempt; null during an attempt, and when no attempt is planned. */
    next_attempt_at: string | null;
  };

/** Returns the counts of mails by state, and the ten newest mails with an error, the newest first. */
async function readMailStatus({ pool }: Database, today: string) {
  const counts = await pool.query<QueueStatus>(
    `select
       count(*) filter (where state = 'queued')::float8 as queued,
       to_json(min(created_at) filter (where state = 'queued'))#>>'{}' as oldest_queued_at,
       count(*) filter (where state = 'failed')::float8 as failed
     from customer.mail
     where state = 'queued' or (state = 'failed' and ended_at >= $1::date - $2::integer)`,
    [today, shown.failureDays],
  );
  const troubled = await pool.query<TroubledMail>(
    `select
       mail.mail_id::float8 as mail_id, mail.template, mail.recipient, mail.state,
       mail.attempt_count, mail.last_error, to_json(mail.created_at)#>>'{}' as created_at,
       case when mail.state = 'queued' and mail.sending_since is null
         then to_json(mail.next_attempt_at)#>>'{}' end as next_attempt_at
     from customer.mail
     where (mail.state = 'queued' and mail.last_error is not null)
       or (mail.state = 'failed' and mail.ended_at >= $1::date - $2::integer)
     order by mail.mail_id desc
     limit 10`,
    [today, shown.failureDays],
  );
  return { ...counts.rows[0]!, troubled: troubled.rows };
}

/** Returns the number of jobs of each task by state. `given_up` counts failed jobs that are not retried any more. */
async function readJobStatus({ pool }: Database) {
  const { rows } = await pool.query<
    { task: string } & Record<'waiting' | 'running' | 'given_up', number>
  >(
    `select
       task,
       count(*) filter (where state = 'waiting')::float8 as waiting,
       count(*) filter (where state = 'running')::float8 as running,
       count(*) filter (where state = 'given_up')::float8 as given_up
     from customer.job
     group by task
     order by task`,
  );
  return rows;
}

function describeMails({ mail, jobs }: Status): string[] {
  return [
    'Mail',
    `  ${describeQueue(mail)}`,
    ...mail.troubled.map(describeTrouble),
    ...(jobs.length > 0 ? ['Jobs'] : []),
    ...jobs.map(
      ({ task, waiting, running, given_up }) =>
        `  ${task.padEnd(12)} ${figure(waiting)} waiting, ${figure(running)} running, ${figure(given_up)} given up`,
    ),
  ];
}

function describeTrouble(mail: TroubledMail): string {
  const attempts = counted(mail.attempt_count, 'attempt');
  const next = mail.next_attempt_at ? `, the next at ${minute(mail.next_attempt_at)}` : '';
  return `  ${String(mail.mail_id).padStart(5)}  ${mail.template.padEnd(8)} ${mail.recipient}  ${mail.state} after ${attempts}${next}: ${mail.last_error}`;
}
