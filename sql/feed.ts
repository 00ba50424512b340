import { runPrepared } from './connection/prepared.ts';
import type { Db } from './connection/kysely.ts';
import type { FeedPosition } from './feed-cursor.ts';

/** For each request field of a filter, the list of `FeedFilter` that holds the codes of the field. */
export const filterLists = {
  event_type: 'event_types',
  severity: 'severities',
  event_class: 'event_classes',
  category: 'categories',
  source: 'sources',
  voivodeship: 'regions',
  legal_form: 'legal_forms',
  activity_prefix: 'activity_prefixes',
} as const;

type FilterList = 'countries' | (typeof filterLists)[keyof typeof filterLists];

/**
 * The filter of a feed, with codes of the dictionaries; an absent field does not restrict the events. The codes in
 * `regions` and `legal_forms` begin with the code of their country and a space. Region, legal form and activity are
 * compared with the company's present values, even for an older event.
 */
export type FeedFilter = { [List in FilterList]?: string[] | undefined } & {
  [Day in 'from_date' | 'to_date']?: string | undefined;
};

interface FeedRequest {
  account_id: string;
  scope: FeedPosition['scope'];
  /** The id of the event after which the part begins; 0 for the beginning of the feed. */
  after: string;
  /** The maximum number of events in the part of the feed. */
  limit: number;
  filter: FeedFilter;
}

/** A part of a feed, in the order of publication. */
export interface FeedPart {
  /** The events of the part, as the JSON text of an array. */
  events: string;
  /** The id of the event after which the next part begins; the filter may have left out this event. */
  last_event_id: string;
  /** Whether more events may follow the part. A filter that leaves out many events can make the part short or empty. */
  has_more: boolean;
  /** The newest published day of each registry of the requested countries. */
  published: Record<string, string>;
}

/** Returns a part of a feed in the order of publication; undefined if the event `after` was never published. */
export async function readFeed(
  db: Db,
  { account_id, scope, after, limit, filter }: FeedRequest,
): Promise<FeedPart | undefined> {
  const values = [account_id, scope, after, limit, JSON.stringify(filter)];
  const [part] = await runPrepared<FeedPart>(db, 'api/read_feed.sql', values);
  return part;
}
