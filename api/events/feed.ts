import type { Kysely } from 'kysely';
import { runPrepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import type { FeedPosition } from '../../sql/feed-cursor.ts';
import { JsonText } from '../http/json-text.ts';

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
  const { scope, event_id } = position;
  const values = [account_id, scope, event_id, limit];
  const [row] = await runPrepared<FeedRow>(db, 'api/read_feed.sql', values);
  const { events, last_event_id, has_more, is_published } = row!;
  if (!is_published) return undefined;
  return {
    events: new JsonText(events),
    last: { ...position, event_id: last_event_id ?? position.event_id },
    has_more,
  };
}
