import type { Database } from '../../sql/database.ts';

/** How long a mail that failed is shown. */
const SHOWN_DAYS = 7;

/** A mail that could not be sent, so far or for good. */
export interface TroubledMail {
  mail_id: number;
  template: string;
  recipient: string;
  state: 'queued' | 'failed';
  attempt_count: number;
  last_error: string;
  created_at: string;
  /** Null when it is not tried again, or is being tried now. */
  next_attempt_at: string | null;
}

/** The jobs of one kind. */
export interface JobStatus {
  task: string;
  waiting: number;
  running: number;
  /** Are not tried again. */
  given_up: number;
}

export interface MailStatus {
  queued: number;
  oldest_queued_at: string | null;
  /** Of the last seven days. */
  failed: number;
  /** The newest ten, the newest first. */
  troubled: TroubledMail[];
}

/** @param today the calendar day, YYYY-MM-DD */
export async function readMailStatus({ pool }: Database, today: string): Promise<MailStatus> {
  const counts = await pool.query<Omit<MailStatus, 'troubled'>>(
    `select
       count(*) filter (where state = 'queued')::float8 as queued,
       to_json(min(created_at) filter (where state = 'queued'))#>>'{}' as oldest_queued_at,
       count(*) filter (where state = 'failed')::float8 as failed
     from customer.mail
     where state = 'queued' or (state = 'failed' and ended_at >= $1::date - $2::integer)`,
    [today, SHOWN_DAYS],
  );
  const troubled = await pool.query<TroubledMail>(
    `select
       mail.mail_id::float8 as mail_id, mail.template, mail.recipient, mail.state,
       mail.attempt_count, mail.last_error, to_json(mail.created_at)#>>'{}' as created_at,
       to_json(jobs.run_at)#>>'{}' as next_attempt_at
     from customer.mail
     left join graphile_worker.jobs
       on mail.state = 'queued'
       and jobs.key = 'mail:' || mail.mail_id
       and jobs.locked_at is null
     where (mail.state = 'queued' and mail.last_error is not null)
       or (mail.state = 'failed' and mail.ended_at >= $1::date - $2::integer)
     order by mail.mail_id desc
     limit 10`,
    [today, SHOWN_DAYS],
  );
  return { ...counts.rows[0]!, troubled: troubled.rows };
}

export async function readJobStatus({ pool }: Database): Promise<JobStatus[]> {
  const { rows } = await pool.query<JobStatus>(
    `select
       task_identifier as task,
       count(*) filter (where locked_at is null and attempts < max_attempts)::float8 as waiting,
       count(*) filter (where locked_at is not null)::float8 as running,
       count(*) filter (where locked_at is null and attempts >= max_attempts)::float8 as given_up
     from graphile_worker.jobs
     group by task_identifier
     order by task_identifier`,
  );
  return rows;
}

export function describeMails(mail: MailStatus, jobs: readonly JobStatus[]): string[] {
  const since = mail.oldest_queued_at && `, the oldest since ${moment(mail.oldest_queued_at)}`;
  return [
    'Mail',
    `  ${mail.queued} queued${since ?? ''}; ${mail.failed} failed in the last ${SHOWN_DAYS} days`,
    ...mail.troubled.map(describeTrouble),
    ...(jobs.length > 0 ? ['Jobs'] : []),
    ...jobs.map(
      ({ task, waiting, running, given_up }) =>
        `  ${task.padEnd(12)} ${waiting} waiting, ${running} running, ${given_up} given up`,
    ),
  ];
}

function describeTrouble(mail: TroubledMail): string {
  const attempts = `${mail.attempt_count} ${mail.attempt_count === 1 ? 'attempt' : 'attempts'}`;
  const next = mail.next_attempt_at ? `, the next at ${moment(mail.next_attempt_at)}` : '';
  return `  ${String(mail.mail_id).padStart(5)}  ${mail.template.padEnd(8)} ${mail.recipient}  ${mail.state} after ${attempts}${next}: ${mail.last_error}`;
}

/** To the minute; the sessions of this product are in UTC. */
export function moment(timestamp: string): string {
  return `${timestamp.slice(0, 16).replace('T', ' ')} UTC`;
}
