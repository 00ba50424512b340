import { sql } from 'kysely';
import type { Db } from '../../sql/kysely.ts';
import type { IdentifierType } from '../companies/identifier.ts';
import { type Paging, rowCount, skippedBy } from '../http/paging.ts';

/** The number of a watched company today; without one, the submitted number. */
export const shownNumber = [
  sql<string>`
    coalesce(company.nip, company.regon9, company.krs, watch.identifier_value)
  `.as('primary_identifier'),
  sql<IdentifierType>`
    case
      when company.nip is not null then 'NIP'
      when company.regon9 is not null then 'REGON9'
      when company.krs is not null then 'KRS'
      else watch.identifier_type
    end
  `.as('identifier_type'),
] as const;

/** The name of a watched company; empty while the company is not known. */
export const shownName = sql<string>`coalesce(company.name, '')`.as('name');

const watched_since = sql<string>`
  to_char(watch.created_at at time zone 'UTC', 'YYYY-MM-DD')
`.as('watched_since');

const last_event_at = sql<string | null>`
  to_char(watch.last_event_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
`.as('last_event_at');

/**
 * A page of the watch list of an account, and the length of the list.
 *
 * Spec: silent on the order; we give the newest first.
 */
export async function findWatched(db: Db, account_id: string, paging: Paging) {
  const counted = await db
    .selectFrom('customer.watch')
    .select(rowCount)
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow();
  const watched = await db
    // An index-only scan skips the rows before the page.
    .with('listed', (query) =>
      query
        .selectFrom('customer.watch')
        .select('watch_id')
        .where('account_id', '=', account_id)
        .orderBy('watch_id', 'desc')
        .limit(paging.per_page)
        .offset(skippedBy(paging)),
    )
    .selectFrom('listed')
    .innerJoin('customer.watch as watch', 'watch.watch_id', 'listed.watch_id')
    .leftJoin('registry.company as company', 'company.company_id', 'watch.company_id')
    .select(shownNumber)
    .select(['identifier_value as submitted_identifier', 'watch.company_id as company_ref'])
    .select([shownName, watched_since, last_event_at])
    .select((eb) => eb.cast<number>('events_count', 'integer').as('events_count'))
    .select(['state', 'failure', 'has_custom_settings'])
    .orderBy('watch.watch_id', 'desc')
    .execute();
  return { ...counted, watched };
}
