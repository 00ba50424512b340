import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/kysely.ts';
import { changeWatchList, type Submission } from './add.ts';

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
  const { account_id, now } = removal;
  return changeWatchList(db, account_id, async (tx) => {
    const numbers = await findNumbers(tx, removal);
    await deleteEvents(tx, account_id, numbers);
    const watch_ids = numbers.map(({ watch_id }) => watch_id);
    await tx
      .deleteFrom('customer.watch')
      .where('watch_id', '=', sql<string>`any(${watch_ids}::bigint[])`)
      .execute();
    await sql`
      select customer.settle_submissions(array[${account_id}::bigint], ${now})
    `.execute(tx);
    return new Map(numbers.map(({ value, outcome }) => [value, outcome]));
  });
}

interface FoundNumber {
  value: string;
  outcome: RemovalOutcome;
  /** Null unless the company is removed. */
  watch_id: string | null;
  company_id: string | null;
}

async function findNumbers(
  tx: Tx,
  { account_id, identifier_type, values }: Submission,
): Promise<FoundNumber[]> {
  const { rows } = await sql<FoundNumber>`
    select
        asked.value,
        case
            when watch.watch_id is not null then 'removed'
            when known.company_id is not null then 'not_watched'
            else 'not_found'
        end as outcome,
        watch.watch_id,
        watch.company_id
    from unnest(${values}::text[]) as asked (value)
    cross join lateral registry.find_company(${identifier_type}, asked.value) as known (company_id)
    left join lateral (
        select watch_id, company_id
        from customer.watch
        where account_id = ${account_id} and company_id = known.company_id
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
    ) as watch on true
  `.execute(tx);
  return rows;
}

async function deleteEvents(tx: Tx, account_id: string, numbers: FoundNumber[]): Promise<void> {
  const company_ids = numbers.map(({ company_id }) => company_id);
  await sql`
    with deleted as (
        delete from customer.feed
        where account_id = ${account_id} and company_id = any(${company_ids}::bigint[])
        returning event_date, event_type
    ),
    counted as (
        select event_date, coalesce(event_type, '') as event_type, count(*) as event_count
        from deleted
        group by event_date, grouping sets ((event_type), ())
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
