import type { Pool } from 'pg';

/** The result of a run, as `--json` prints it. */
export interface RunSummary {
  run_id: number;
  source: string;
  dump_date: string;
  state: string;
  is_baseline: boolean;
  is_dry_run: boolean;
  reason: string | null;
  message: string | null;
  read: number;
  accepted: number;
  rejected: number;
  new: number;
  updated: number;
  deleted: number;
  /** The number of entries that vanished but are not struck off yet, since a rejected row may be their row. */
  waiting: number;
  entries: number;
  events: number;
  /** The number of events of each type, the most frequent type first. */
  event_types: Record<string, number>;
  /**
   * Unknown values, ignored files and doubtful identifiers, each with a number of rows. The steps of the night and the
   * sources insert notices into `stage.notice`; ../console/sentences.ts writes the sentence about each notice.
   */
  notices: { subject: string; value: string; rows: number }[];
}

export async function summarise(client: Pick<Pool, 'query'>, run_id: string): Promise<RunSummary> {
  const { rows } = await client.query<RunSummary>(
    `select
       run_id::float8 as run_id, source, dump_date, registry.state_of(run) as state, is_baseline,
       false as is_dry_run, reason, message, read_count::float8 as read,
       accepted_count::float8 as accepted, rejected_count::float8 as rejected,
       new_count::float8 as new, updated_count::float8 as updated,
       deleted_count::float8 as deleted, waiting_count::float8 as waiting,
       entry_count::float8 as entries, event_count::float8 as events,
       coalesce((
         select json_object_agg(kind.event_type, kind.row_count order by kind.row_count desc, kind.event_type)
         from (
           select event.event_type, count(*) as row_count
           from registry.event
           where event.event_date = run.dump_date
             and event.source = run.source
             and run.state = 'published'
           group by event.event_type
         ) as kind
       ), '{}') as event_types,
       coalesce((
         select json_agg(
           json_build_object(
             'subject', notice.subject, 'value', notice.value, 'rows', notice.row_count
           ) order by notice.subject, notice.value
         )
         from registry.notice
         where notice.run_id = run.run_id
       ), '[]') as notices
     from registry.run
     where run.run_id = $1`,
    [run_id],
  );
  return rows[0]!;
}
