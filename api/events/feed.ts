import { sql, type Kysely } from 'kysely';
import { prepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { joinEvent, toldFor } from './fields.ts';
import { highestLimit } from './query.ts';
import type { FeedPosition } from './cursor.ts';
import { JsonText } from '../http/json-text.ts';

// Of the highest number first: by a parameter alone the planner expects a part of all events.
function eventsAfter(account_id: string, { scope, event_id }: FeedPosition, limit: number) {
  const events =
    scope === 'all'
      ? sql`
          select event.event_id
          from registry.event as event
          where event.event_id > ${event_id}::bigint
          order by event.event_id
        `
      : sql`
          select feed.event_id
          from customer.feed as feed
          where feed.account_id = ${account_id} and feed.event_id > ${event_id}::bigint
          order by feed.event_id
        `;
  return sql`
    select event_id from (${events} limit ${sql.lit(highestLimit + 1)}) as event limit ${limit}
  `;
}

interface FeedRow {
  events: string;
  last_event_id: string | null;
  has_more: boolean;
  is_published: boolean;
}

/**
 * The events that come after a position, the oldest first, at most `limit`, as JSON; undefined when there is
 * no such position.
 *
 * Events are numbered in the order in which they are published: nights publish one after another,
 * each in one transaction, under a lock that is held until the transaction has ended. So nobody who
 * has seen an event has missed one with a smaller number.
 */
export async function readFeed(
  db: Kysely<Tables>,
  account_id: string,
  position: FeedPosition,
  limit: number,
) {
  // One more than is shown tells whether there are more. The number of the newest event is written in
  // the transaction that publishes it. A position beyond it is that of another database: from there
  // on, events would be missed in silence.
  const { rows } = await sql<FeedRow>`${prepared}
    with page as materialized (${eventsAfter(account_id, position, limit + 1)}),
    shown as materialized (
        select page.event_id from page order by page.event_id limit ${limit}
    )

    select
        (
            select coalesce(json_agg(told)::text, '[]')
            from (
                select event.event_id, ${toldFor(account_id)}
                from shown
                ${joinEvent(sql`shown`)}
                order by event.event_id
            ) as told
        ) as events,
        (select max(shown.event_id) from shown) as last_event_id,
        (select count(*) > ${limit} from page) as has_more,
        (
            ${position.event_id}::bigint = 0
            or coalesce(last_id.last_id >= ${position.event_id}::bigint, false)
        ) as is_published
    from (
        select max(last_id) as last_id from registry.last_id where table_name = 'event'
    ) as last_id
  `.execute(db);
  const { events, last_event_id, has_more, is_published } = rows[0]!;
  if (!is_published) return undefined;
  return {
    events: new JsonText(events),
    last: { ...position, event_id: last_event_id ?? position.event_id },
    has_more,
  };
}
