import { sql, type Kysely } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { eventColumns, type EventRow, viewEvent } from './fields.ts';
import { type Paging, skippedBy } from '../http/paging.ts';

/** A page of the events of a company, the newest first, and how many there are. */
export async function findHistory(db: Kysely<Tables>, company_id: string, paging: Paging) {
  const { rows } = await sql<{ total: number } & (EventRow | { event_id: null })>`
    with total as (
        select count(*)::int as total
        from registry.event
        where event.company_id = ${company_id}
    ),

    page as (
        select ${eventColumns}
        from registry.event as event
        join registry.event_type as event_type on event_type.event_type = event.event_type
        where event.company_id = ${company_id}
        order by event.event_date desc, event.event_id desc
        limit ${paging.per_page} offset ${skippedBy(paging)}
    )

    select total.total, page.*
    from total
    left join page on true
    order by page.event_date desc, page.event_id desc
  `.execute(db);
  const events = rows.filter((row) => row.event_id !== null).map(viewEvent);
  return { total: rows[0]?.total ?? 0, events };
}
