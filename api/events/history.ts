import { sql } from 'kysely';
import type { Db } from '../../sql/kysely.ts';
import { primaryIdentifierOf, type Numbers } from '../companies/identifier.ts';
import { type Paging, skippedBy } from '../http/paging.ts';

/** A page of the events of a company, the newest first, their count, and the number of today. */
export async function findHistory(db: Db, company_id: string, paging: Paging) {
  const { rows } = await sql<Numbers & { total: number; events: object[] }>`
    select
        company.nip,
        company.regon9,
        company.krs,
        (
            select count(*)::int
            from registry.event
            where event.company_id = company.company_id
        ) as total,
        (
            select coalesce(json_agg(page), '[]')
            from (
                select
                    event.event_id as id,
                    event.event_type,
                    event.old_value,
                    event.new_value,
                    event.event_date,
                    event_type.severity
                from registry.event
                join registry.event_type on event_type.event_type = event.event_type
                where event.company_id = company.company_id
                order by event.event_date desc, event.event_id desc
                limit ${paging.per_page} offset ${skippedBy(paging)}
            ) as page
        ) as events
    from registry.company
    where company.company_id = ${company_id}
  `.execute(db);
  const { total, events, ...numbers } = rows[0]!;
  return { total, events, primary: primaryIdentifierOf(numbers) };
}
