import { sql, type Kysely } from 'kysely';
import { prepared } from '../sql/prepared.ts';
import type { Tables } from '../sql/tables.ts';
import {
  companyColumnsFor,
  type CompanyEventRow,
  eventColumns,
  joinEvent,
  viewCompanyEvent,
} from './event-fields.ts';
import { highestLimit } from './event-query.ts';
import type { FeedPosition } from './feed-cursor.ts';

// The number of the newest event is written in the transaction that publishes it. A position beyond
// it is that of another database: from there on, events would be missed in silence.
async function isPublished(db: Kysely<Tables>, event_id: string): Promise<boolean> {
  const { rows } = await sql<{ is_published: boolean }>`${prepared}
    select last_id.last_id >= ${event_id}::bigint as is_published
    from registry.last_id
    where last_id.table_name = 'event'
  `.execute(db);
  return rows[0]?.is_published ?? false;
}

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

/**
 * The events that come after a position, the oldest first, at most `limit`; undefined when there is
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
  if (position.event_id !== '0' && !(await isPublished(db, position.event_id))) return undefined;
  // One more than is shown tells whether there are more.
  const { rows } = await sql<CompanyEventRow>`${prepared}
    with page as materialized (${eventsAfter(account_id, position, limit + 1)})

    select ${eventColumns}, ${companyColumnsFor(account_id)}
    from page
    ${joinEvent(sql`page`)}
    order by event.event_id
  `.execute(db);
  const shown = rows.slice(0, limit);
  return {
    events: shown.map((row) => ({ event_id: Number(row.event_id), ...viewCompanyEvent(row) })),
    last: { ...position, event_id: shown.at(-1)?.event_id ?? position.event_id },
    has_more: rows.length > limit,
  };
}
