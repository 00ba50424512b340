import type { Database } from '../../sql/database.ts';
import {
  describeMails,
  type JobStatus,
  type MailStatus,
  readJobStatus,
  readMailStatus,
} from './mail-status.ts';
import { describeRunRows, readRuns, type RunStatus } from './runs.ts';
import { describeWatches, readWatchStatus, type WatchStatus } from './watch-status.ts';

/** The newest snapshot of a source. */
export interface SnapshotStatus {
  source: string;
  dump_date: string;
  /** Days between the dump date and today. */
  age_days: number;
  entries: number;
  /** Nights in a row, since it was published, on which a dump of the source was refused. */
  refused_nights: number;
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
export async function readSnapshots({ pool }: Database, today: string): Promise<SnapshotStatus[]> {
  const { rows } = await pool.query<SnapshotStatus>(
    `select distinct on (run.source)
       run.source, run.dump_date, $1::date - run.dump_date as age_days,
       run.entry_count::float8 as entries, refused.nights as refused_nights
     from registry.run
     cross join lateral (
       select count(distinct (started_at at time zone 'Europe/Warsaw')::date)::integer as nights
       from registry.run as later
       where later.source = run.source and later.run_id > run.run_id and later.state = 'refused'
     ) as refused
     where run.state = 'published'
     order by run.source, run.dump_date desc`,
    [today],
  );
  return rows;
}

/** @param today the calendar day, YYYY-MM-DD */
export async function readStatus(db: Database, today: string): Promise<Status> {
  return {
    snapshots: await readSnapshots(db, today),
    runs: await readRuns(db, { limit: 10 }),
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
    ...snapshots.map(describeSnapshot),
    'Last runs',
    ...describeRunRows(runs),
  ];
}

function describeSnapshot(snapshot: SnapshotStatus): string {
  const { source, dump_date, age_days, entries, refused_nights } = snapshot;
  const age = `${age_days} ${age_days === 1 ? 'day' : 'days'} old`;
  const nights = refused_nights === 1 ? 'last night' : `${refused_nights} nights in a row`;
  const refused = refused_nights > 0 ? `  refused ${nights}` : '';
  return `  ${source.padEnd(8)} ${dump_date}  ${age}  ${entries.toLocaleString('en')} entries${refused}`;
}
