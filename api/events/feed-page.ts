import type { Kysely } from 'kysely';
import { runPrepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { JsonText } from '../http/json-text.ts';
import { type Paging, skippedBy } from '../http/paging.ts';

interface FeedPageRow {
  total: number;
  events: string;
}

/** Which events of a feed are asked for; dates are inclusive. */
export interface FeedFilter {
  event_type?: string | undefined;
  from_date?: string | undefined;
  to_date?: string | undefined;
}

/** A page of the feed of an account, the newest first, as JSON, and how many events the filter finds. */
export async function findFeedPage(
  db: Kysely<Tables>,
  account_id: string,
  { event_type, from_date, to_date }: FeedFilter,
  paging: Paging,
) {
  const values = [account_id, event_type, from_date, to_date, skippedBy(paging), paging.per_page];
  const [row] = await runPrepared<FeedPageRow>(db, 'api/read_feed_page.sql', values);
  return { total: row!.total, events: new JsonText(row!.events) };
}
