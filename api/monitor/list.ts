import { sql } from 'kysely';
import type { Db } from '../../sql/kysely.ts';
import { primaryIdentifierOf } from '../companies/identifier.ts';
import { type Paging, skippedBy } from '../http/paging.ts';

const last_event_at = sql<string | null>`
  to_char(watch.last_event_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
`;

const watched_since = sql<string>`to_char(watch.created_at at time zone 'UTC', 'YYYY-MM-DD')`;

/**
 * A page of the watch list of an account, and the length of the list.
 *
 * Spec: silent on the order; we give the newest first. A queued or failed company has the submitted
 * number and a blank name.
 */
export async function findWatched(db: Db, account_id: string, paging: Paging) {
  const { total } = await db
    .selectFrom('customer.watch')
    .select((eb) => eb.fn.countAll<string>().as('total'))
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow();
  const rows = await db
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
    .select(['identifier_type', 'identifier_value', 'state', 'failure', 'events_count'])
    .select(['company.name', 'nip', 'regon9', 'krs', 'has_custom_settings', 'watch.company_id'])
    .select([watched_since.as('watched_since'), last_event_at.as('last_event_at')])
    .orderBy('watch.watch_id', 'desc')
    .execute();
  const watched = rows.map(({ nip, regon9, krs, ...watch }) => {
    const { identifier_type, identifier_value } =
      primaryIdentifierOf({ nip, regon9, krs }) ?? watch;
    return {
      primary_identifier: identifier_value,
      identifier_type,
      submitted_identifier: watch.identifier_value,
      company_ref: watch.company_id,
      name: watch.name ?? '',
      watched_since: watch.watched_since,
      last_event_at: watch.last_event_at,
      events_count: Number(watch.events_count),
      state: watch.state,
      failure: watch.failure,
      has_custom_settings: watch.has_custom_settings,
    };
  });
  return { watched, total: Number(total) };
}
