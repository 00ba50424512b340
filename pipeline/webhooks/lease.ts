import type { FeedFilter, readFeed } from '../../sql/feed.ts';
import type { FeedPosition } from '../../sql/feed-cursor.ts';

export type FeedPart = NonNullable<Awaited<ReturnType<typeof readFeed>>>;

/** An endpoint that this worker may call until its lease ends: a row of `webhook/claim.sql`. */
export interface LeasedWebhook {
  webhook_id: string;
  account_id: string;
  webhook_ref: string;
  url: string;
  scope: FeedPosition['scope'];
  feed_filter: FeedFilter;
  max_events: number;
  has_heartbeat: boolean;
  /** The position that the endpoint has accepted. */
  event_id: string;
  /** The position up to which the feed has no event after `event_id`; null where it was not read. */
  scanned_event_id: string | null;
  snapshot_no: string;
  published: Record<string, string>;
  replay_count: number;
  secret_version: number;
  previous_secret_until: Date | null;
  test_requested_at: Date | null;
  attempt_count: number;
  next_attempt_at: Date | null;
  failing_since: Date | null;
  /** The milliseconds since `failing_since`. */
  failing_ms: number | null;
  is_slow: boolean;
  /** The end of the lease, by which its worker recognizes it. */
  lease: string;
}

/** What a turn changes of an endpoint, and the milliseconds until its next turn; null: until the next night. */
export interface NextState extends Pick<
  LeasedWebhook,
  'event_id' | 'scanned_event_id' | 'snapshot_no' | 'published' | 'attempt_count' | 'is_slow'
> {
  wait_ms: number | null;
  disabled_reason?: 'gone' | 'failing';
  is_test?: boolean;
}
