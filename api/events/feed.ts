import { runPrepared } from '../../sql/prepared.ts';
import type { Db } from '../../sql/kysely.ts';
import type { FeedPosition } from '../../sql/feed-cursor.ts';
import { skippedBy } from '../http/paging.ts';
import type { FeedPageQuery } from './query.ts';

interface FeedRow {
  events: string;
  last_event_id: string | null;
  has_more: boolean;
  is_published: boolean;
}

/**
 * The events after a position, the oldest first, at most `limit`, as JSON; undefined when there is no
 * such position.
 *
 * Events are numbered in the order of publication: nights publish one after another, each in one
 * transaction that holds a lock. A client that has seen an event has missed none with a smaller number.
 */
export async function readFeed(db: Db, account_id: string, position: FeedPosition, limit: number) {
  const { scope, event_id } = position;
  const values = [account_id, scope, event_id, limit];
  const [row] = await runPrepared<FeedRow>(db, 'api/read_feed.sql', values);
  const { events, last_event_id, has_more, is_published } = row!;
  if (!is_published) return undefined;
  return { events, last: { scope, event_id: last_event_id ?? event_id }, has_more };
}

/** A page of the feed of an account, the newest first, as JSON, and how many events the filter finds. */
export async function findFeedPage(db: Db, account_id: string, query: FeedPageQuery) {
  const { event_type, from_date, to_date, per_page } = query;
  const values = [account_id, event_type, from_date, to_date, skippedBy(query), per_page];
  const [row] = await runPrepared<{ total: number; events: string }>(
    db,
    'api/read_feed_page.sql',
    values,
  );
  return row!;
}
