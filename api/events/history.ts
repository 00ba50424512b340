import { sql, type Kysely } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { primaryIdentifierOf } from '../companies/identifier.ts';
import { eventColumns, type EventRow, viewEvent } from './fields.ts';
import { type Paging, skippedBy } from '../http/paging.ts';

interface CompanyRow {
  nip: string | null;
  regon9: string | null;
  krs: string | null;
  total: number;
}

/** A page of the events of a company, the newest first, how many there are, and its numbers of today. */
export async function findHistory(db: Kysely<Tables>, company_id: string, paging: Paging) {
  const { rows } = await sql<CompanyRow & (EventRow | { id: null })>`
    with company as (
        select
            company.nip,
            company.regon9,
            company.krs,
            (
                select count(*)::int
                from registry.event
                where event.company_id = company.company_id
            ) as total
        from registry.company
        where company.company_id = ${company_id}
    ),

    page as (
        select ${eventColumns}
        from registry.event as event
        join registry.event_type as event_type on event_type.event_type = event.event_type
        where event.company_id = ${company_id}
        order by event.event_date desc, event.event_id desc
        limit ${paging.per_page} offset ${skippedBy(paging)}
    )

    select company.*, page.*
    from company
    left join page on true
    order by page.event_date desc, page.id desc
  `.execute(db);
  const { total, ...numbers } = rows[0]!;
  const events = rows.filter((row) => row.id !== null).map(viewEvent);
  return { total, events, primary: primaryIdentifierOf(numbers) };
}
