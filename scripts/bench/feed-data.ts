import type { PoolClient } from 'pg';

const companyCount = 1_000_000;
/** Companies that one account watches, the events in its feed, and the days that they cover. */
const largeCount = 100_000;
export const eventCount = 1_000_000;
export const dayCount = 500;
/** Other accounts, and what each of them watches. */
export const [watcherCount, watchedCount] = [1000, 1000];

/** Adds the companies that the country lacks, and events of a part of all companies. */
const registry = `
  select setseed(0.5);

  insert into registry.company (company_id, country_code, nip, name, status, changed_snapshot_no)
  select id, 'PL', lpad(id::text, 10, '0'), 'Company ' || id, 'ACTIVE', 0
  from generate_series(1, ${companyCount}) as id
  on conflict do nothing;
  -- The id of a new company is that of its entry.
  update registry.last_id set last_id = greatest(last_id, ${companyCount}) where table_name = 'entry';

  create temporary table bench_company as
  select company_id, row_number() over (order by company_id) - 1 as no
  from registry.company
  where merged_into_id is null
  order by company_id
  limit ${companyCount};
  create unique index on bench_company (no);
  analyze bench_company;

  create temporary table bench_type as
  select event_type, row_number() over (order by event_type) - 1 as no
  from registry.event_type;

  -- The first types happen most, the last ones hardly ever.
  with numbered as (
    select no, power(random(), 4) as rarity
    from generate_series(1::bigint, ${eventCount}) as no
  )
  insert into registry.event
  select
    company_id, last_id + numbered.no, company_id,
    date '2024-01-01' + (numbered.no * ${dayCount} / ${eventCount})::int, 'bench', event_type,
    'What was there before', 'What is there now'
  from numbered
  join bench_company on bench_company.no = numbered.no * 7919 % ${largeCount}
  join bench_type on bench_type.no = floor(rarity * (select count(*) from bench_type))
  join registry.last_id on table_name = 'event';
  update registry.last_id set last_id = last_id + ${eventCount} where table_name = 'event';
  select registry.end_publication(last_id - ${eventCount} + 1, last_id, 'PL')
  from registry.last_id where table_name = 'event'`;

const watchColumns = `account_id, company_id, identifier_type, identifier_value, state, created_at,
    ready_at`;

/** Accounts that watch companies all over the country. */
const watchLists = `
  with watcher as (
    insert into customer.account (user_ref, email, name, password_hash, created_at)
    select
      upper(substr(md5('bench' || no), 1, 12)), 'bench' || no || '@company.example', 'Anna Nowak',
      '-', now()
    from generate_series(1, ${watcherCount}) as no
    returning account_id
  ),
  numbered as (
    select account_id, row_number() over () as no from watcher
  )
  insert into customer.watch (${watchColumns})
  select account_id, company_id, 'NIP', company_id, 'ready', now(), now()
  from numbered
  cross join generate_series(1, ${watchedCount}) as place
  join bench_company on bench_company.no =
    (numbered.no * 7919 + place * ${companyCount / watchedCount}) % ${companyCount}`;

/** One account that watches a tenth of the companies, with all their events in its feed. */
const feedOf = (account_id: string) => `
  insert into customer.watch (${watchColumns}, events_count, last_event_at)
  select ${account_id}, company_id, 'NIP', company_id, 'ready', now(), now(), 10, now()
  from bench_company
  where no < ${largeCount};

  insert into customer.feed (account_id, event_id, company_id, event_date, event_type)
  select ${account_id}, event_id, company_id, event_date, event_type
  from registry.event
  where source = 'bench';

  insert into customer.feed_count (account_id, event_date, event_type, country_code, event_count)
  select account_id, event_date, coalesce(event_type, ''), 'PL', count(*)
  from customer.feed
  where account_id = ${account_id}
  group by account_id, event_date, grouping sets ((event_type), ())`;

/**
 * Fills the registry, the feed of an account, and the watch lists of others. The session keeps the
 * temporary tables `bench_company` and `bench_type`, which number the companies and event types.
 */
export async function fillFeeds(client: PoolClient, account_id: string): Promise<void> {
  await client.query(registry);
  // What is written refers to what was written just before.
  await client.query('set session_replication_role = replica');
  await client.query(watchLists);
  await client.query(feedOf(account_id));
  await client.query('reset session_replication_role');
  await client.query(
    `vacuum analyze registry.event, customer.watch, customer.feed, customer.feed_count,
       registry.company`,
  );
}
