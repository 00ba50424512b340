import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/kysely.ts';
import { findCompanies } from '../companies/identifier.ts';
import { lockAccount, type Submission } from './add.ts';

/** `not_found`: no registry knows the number. */
export type RemovalOutcome = 'removed' | 'not_found' | 'not_watched';

/**
 * Removes companies from the watch list of an account, and their events from its feed. Any number of a
 * company names it; a queued or failed company has only the submitted number.
 *
 * @returns the outcome of each number
 */
export async function removeCompanies(
  db: Db,
  removal: Submission,
): Promise<Map<string, RemovalOutcome>> {
  const { account_id, values, now } = removal;
  return db.transaction().execute(async (tx) => {
    await lockAccount(tx, account_id);
    const companies = await findCompanies(tx, removal.identifier_type, values);
    const watches = await findWatches(tx, removal, companies);
    await deleteEvents(tx, account_id, [...watches.values()]);
    const watch_ids = [...watches.values()].map(({ watch_id }) => watch_id);
    await tx
      .deleteFrom('customer.watch')
      .where('watch_id', '=', sql<string>`any(${watch_ids}::bigint[])`)
      .execute();
    await sql`
      select customer.settle_submissions(array[${account_id}::bigint], ${now})
    `.execute(tx);
    return new Map(
      values.map((value) => {
        if (watches.has(value)) return [value, 'removed'];
        return [value, companies.has(value) ? 'not_watched' : 'not_found'];
      }),
    );
  });
}

interface Watch {
  watch_id: string;
  company_id: string | null;
}

/** The watch of each number, where there is one. */
async function findWatches(
  tx: Tx,
  { account_id, identifier_type, values }: Submission,
  companies: ReadonlyMap<string, string>,
): Promise<Map<string, Watch>> {
  const { rows } = await sql<Watch & { value: string }>`
    select asked.value, found.watch_id, found.company_id
    from unnest(
        ${values}::text[],
        ${values.map((value) => companies.get(value) ?? null)}::bigint[]
    ) as asked (value, company_id)
    cross join lateral (
        select watch_id, company_id
        from customer.watch
        where account_id = ${account_id} and company_id = asked.company_id
        union all
        select watch_id, company_id
        from customer.watch
        where
            account_id = ${account_id}
            and identifier_type = ${identifier_type}
            and identifier_value = asked.value
            and company_id is null
        order by company_id nulls last
        limit 1
    ) as found
  `.execute(tx);
  return new Map(rows.map(({ value, ...watch }) => [value, watch]));
}

async function deleteEvents(tx: Tx, account_id: string, watches: readonly Watch[]): Promise<void> {
  const company_ids = watches.map(({ company_id }) => company_id).filter((id) => id !== null);
  await sql`
    with deleted as (
        delete from customer.feed
        where account_id = ${account_id} and company_id = any(${company_ids}::bigint[])
        returning event_date, event_type
    ),
    counted as (
        select event_date, event_type, count(*) as event_count
        from deleted
        group by event_date, event_type
    )
    update customer.feed_count as feed_count
    set event_count = feed_count.event_count - counted.event_count
    from counted
    where
        feed_count.account_id = ${account_id}
        and feed_count.event_date = counted.event_date
        and feed_count.event_type = counted.event_type
  `.execute(tx);
  await tx
    .deleteFrom('customer.feed_count')
    .where('account_id', '=', account_id)
    .where('event_count', '=', '0')
    .execute();
}
