import type { Database } from '../../sql/database.ts';
import { moment } from './mail-status.ts';

/** How long a company that was waited for in vain is shown. */
const SHOWN_DAYS = 7;

/** What the watch lists of all accounts hold. */
export interface WatchStatus {
  ready: number;
  /** Companies that no registry has told of yet. */
  queued: number;
  oldest_queued_at: string | null;
  /** Of the last seven days. */
  failed: number;
  /** Submissions that no mail has told of yet, since something of them is queued. */
  open_submissions: number;
}

/** @param today the calendar day, YYYY-MM-DD */
export async function readWatchStatus({ pool }: Database, today: string): Promise<WatchStatus> {
  const { rows } = await pool.query<WatchStatus>(
    `select
       count(*) filter (where state = 'ready')::float8 as ready,
       count(*) filter (where state = 'queued')::float8 as queued,
       to_json(min(created_at) filter (where state = 'queued'))#>>'{}' as oldest_queued_at,
       count(*) filter (where failed_at >= $1::date - $2::integer)::float8 as failed,
       (select count(*) from customer.submission where settled_at is null)::float8
         as open_submissions
     from customer.watch`,
    [today, SHOWN_DAYS],
  );
  return rows[0]!;
}

export function describeWatches(watch: WatchStatus): string[] {
  const { ready, queued, oldest_queued_at, failed, open_submissions } = watch;
  const since = oldest_queued_at === null ? '' : `, the oldest since ${moment(oldest_queued_at)}`;
  const open = `${open_submissions} ${open_submissions === 1 ? 'submission' : 'submissions'} open`;
  return [
    'Watch lists',
    `  ${ready} ready; ${queued} queued${since}; ${failed} failed in the last ${SHOWN_DAYS} days; ${open}`,
  ];
}
