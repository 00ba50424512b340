import type { Database } from '../../sql/database.ts';
import {
  describeMails,
  type JobStatus,
  type MailStatus,
  readJobStatus,
  readMailStatus,
} from './mail-status.ts';
import { describeWatches, readWatchStatus, type WatchStatus } from './watch-status.ts';

/** The newest snapshot of a source. */
export interface SnapshotStatus {
  source: string;
  dump_date: string;
  /** Days between the dump date and today. */
  age_days: number;
  entries: number;
}

export interface RunStatus {
  run_id: number;
  source: string;
  dump_date: string;
  state: string;
  reason: string | null;
  message: string | null;
  started_at: string;
  finished_at: string | null;
}

export interface Status {
  snapshots: SnapshotStatus[];
  /** The newest first. */
  runs: RunStatus[];
  mail: MailStatus;
  jobs: JobStatus[];
  watch_lists: WatchStatus;
}

/** @param today the calendar day, YYYY-MM-DD */
export async function readStatus(db: Database, today: string): Promise<Status> {
  const snapshots = await db.pool.query<SnapshotStatus>(
    `select distinct on (source)
       source, dump_date, $1::date - dump_date as age_days, entry_count::float8 as entries
     from registry.run
     where state = 'published'
     order by source, dump_date desc`,
    [today],
  );
  const runs = await db.pool.query<RunStatus>(
    `select run_id::float8 as run_id, source, dump_date, state, reason, message,
       to_json(started_at)#>>'{}' as started_at, to_json(finished_at)#>>'{}' as finished_at
     from registry.run
     -- Of what is asked for on demand there may be many a day.
     where state <> 'imported'
     order by run_id desc
     limit 10`,
  );
  return {
    snapshots: snapshots.rows,
    runs: runs.rows,
    mail: await readMailStatus(db, today),
    jobs: await readJobStatus(db),
    watch_lists: await readWatchStatus(db, today),
  };
}

export function describeStatus({ snapshots, runs, mail, jobs, watch_lists }: Status): string {
  return [
    ...describeRuns(snapshots, runs),
    ...describeWatches(watch_lists),
    ...describeMails(mail, jobs),
  ].join('\n');
}

function describeRuns(snapshots: readonly SnapshotStatus[], runs: readonly RunStatus[]): string[] {
  if (runs.length === 0)
    return ['No run yet. Start with: registry ingest <source> <path> --date <day>'];
  return [
    snapshots.length > 0 ? 'Newest snapshots' : 'Nothing is published yet',
    ...snapshots.map(
      ({ source, dump_date, age_days, entries }) =>
        `  ${source.padEnd(8)} ${dump_date}  ${age_days} ${age_days === 1 ? 'day' : 'days'} old  ${entries.toLocaleString('en')} entries`,
    ),
    'Last runs',
    ...runs.map((run) =>
      `  ${String(run.run_id).padStart(5)}  ${run.source.padEnd(8)} ${run.dump_date}  ${run.state.padEnd(9)} ${run.reason ? `accepted: ${run.reason}` : (run.message ?? '')}`.trimEnd(),
    ),
  ];
}

export interface RejectedRow {
  file: string;
  line: number;
  reason: string;
  raw: string;
}

/** The rejected rows of a run; undefined when there is no such run. */
export async function readRejects(
  db: Database,
  run_id: number,
): Promise<RejectedRow[] | undefined> {
  const run = await db.pool.query('select from registry.run where run_id = $1', [run_id]);
  if (run.rowCount === 0) return undefined;
  const { rows } = await db.pool.query<RejectedRow>(
    `select file, line::float8 as line, reason, raw
     from registry.reject
     where run_id = $1
     order by file, line`,
    [run_id],
  );
  return rows;
}
