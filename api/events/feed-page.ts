import { sql, type Kysely } from 'kysely';
import { prepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { joinEvent, toldFor } from './fields.ts';
import { JsonText } from '../http/json-text.ts';
import { highestPerPage, type Paging, skippedBy } from '../http/paging.ts';

/** Which events of a feed are asked for; dates are inclusive. */
export interface FeedFilter {
  event_type?: string | undefined;
  from_date?: string | undefined;
  to_date?: string | undefined;
}

// The counts by day: of one event type, or of all.
function countsOf(account_id: string, { event_type, from_date, to_date }: FeedFilter) {
  const [table, ofType] =
    event_type === undefined
      ? [sql`customer.feed_day`, sql``]
      : [sql`customer.feed_count`, sql`and day.event_type = ${event_type}`];
  return sql`
    select day.event_date, day.event_count::int as event_count
    from ${table} as day
    where
        day.account_id = ${account_id} ${ofType}
        and day.event_date >= coalesce(${from_date ?? null}::date, '-infinity')
        and day.event_date <= coalesce(${to_date ?? null}::date, 'infinity')
        and day.event_count > 0
  `;
}

/**
 * A page of the feed of an account, the newest first, as JSON, and how many events the filter finds.
 *
 * A page far back costs as much as the first: the day on which it begins is found by counting, and
 * only the events of that day that come before it are passed over, in an index alone.
 */
export async function findFeedPage(
  db: Kysely<Tables>,
  account_id: string,
  filter: FeedFilter,
  paging: Paging,
) {
  const skipped = skippedBy(paging);
  const ofType =
    filter.event_type === undefined ? sql`` : sql`and feed.event_type = ${filter.event_type}`;
  const { rows } = await sql<{ total: number; events: string }>`${prepared}
    with day as materialized (
        select
            counted.event_date,
            counted.event_count,
            sum(counted.event_count) over (
                order by counted.event_date desc rows unbounded preceding
            ) as running_count
        from (${countsOf(account_id, filter)}) as counted
    ),

    total as (
        select coalesce(sum(day.event_count), 0)::float8 as total
        from day
    ),

    first_day as (
        select
            day.event_date,
            ${skipped}::bigint - (day.running_count - day.event_count) as skipped_count
        from day
        where day.running_count > ${skipped}
        order by day.event_date desc
        limit 1
    ),

    page as materialized (
        select feed.event_id
        from first_day
        -- The highest number first: by a parameter alone the planner expects a part of all events.
        cross join lateral (
            select feed.event_id
            from customer.feed as feed
            where
                feed.account_id = ${account_id} ${ofType}
                and feed.event_date <= first_day.event_date
                and feed.event_date >= coalesce(${filter.from_date ?? null}::date, '-infinity')
            order by feed.event_date desc, feed.event_id desc
            limit ${sql.lit(highestPerPage)} offset first_day.skipped_count
        ) as feed
        limit ${paging.per_page}
    )

    select
        total.total,
        (
            select coalesce(json_agg(told)::text, '[]')
            from (
                select ${toldFor(account_id)}
                from page
                ${joinEvent(sql`page`)}
                order by event.event_date desc, event.event_id desc
            ) as told
        ) as events
    from total
  `.execute(db);
  return { total: rows[0]?.total ?? 0, events: new JsonText(rows[0]?.events ?? '[]') };
}
