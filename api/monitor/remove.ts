import { sql, type Kysely, type Transaction } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { findCompanies, type IdentifierType } from '../companies/identifier.ts';
import { lockAccount } from './add.ts';

/** Numbers that an account wants to watch no longer. */
export interface Removal {
  account_id: string;
  identifier_type: IdentifierType;
  /** As `normalizeIdentifier` gives them, each once. */
  values: readonly string[];
  now: Date;
}

/** `unknown`: to the registry too. */
export type RemovalOutcome = 'removed' | 'not_found' | 'not_watched';

/**
 * Takes companies off the watch list of an account, and their events out of its feed. A company may
 * be named by any of its numbers; one that is waited for, or was in vain, by the one submitted.
 *
 * @returns what became of each number
 */
export async function removeCompanies(
  db: Kysely<Tables>,
  removal: Removal,
): Promise<Map<string, RemovalOutcome>> {
  const { account_id, values, now } = removal;
  return db.transaction().execute(async (tx) => {
    await lockAccount(tx, account_id);
    const companies = await findCompanies(tx, removal.identifier_type, values);
    const watches = await findWatches(tx, removal, companies);
    await forgetEvents(tx, account_id, [...watches.values()]);
    await tx
      .deleteFrom('customer.watch')
      .where('watch_id', '=', sql<string>`any(${watchIdsOf(watches)}::bigint[])`)
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

function watchIdsOf(watches: ReadonlyMap<string, Watch>): string[] {
  return [...watches.values()].map(({ watch_id }) => watch_id);
}

/** The watch that each number stands for, where there is one. */
async function findWatches(
  tx: Transaction<Tables>,
  { account_id, identifier_type, values }: Removal,
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
        from ${sql.table('customer.watch')}
        where account_id = ${account_id} and company_id = asked.company_id
        union all
        select watch_id, company_id
        from ${sql.table('customer.watch')}
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

async function forgetEvents(
  tx: Transaction<Tables>,
  account_id: string,
  watches: readonly Watch[],
): Promise<void> {
  const company_ids = watches.map(({ company_id }) => company_id).filter((id) => id !== null);
  await sql`
    with forgotten as (
        delete from ${sql.table('customer.feed')}
        where account_id = ${account_id} and company_id = any(${company_ids}::bigint[])
        returning event_date, event_type
    ),
    counted as (
        select event_date, event_type, count(*) as event_count
        from forgotten
        group by event_date, event_type
    )
    update ${sql.table('customer.feed_count')} as feed_count
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
