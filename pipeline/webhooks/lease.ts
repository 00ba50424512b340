import type { Selectable } from 'kysely';
import type { FeedFilter, readFeed } from '../../sql/feed.ts';
import type { Tables } from '../../sql/tables/tables.ts';

export type FeedPart = NonNullable<Awaited<ReturnType<typeof readFeed>>>;

/** An endpoint that this worker may call until its lease ends: a row of `webhook/claim.sql`. */
export interface LeasedWebhook extends Selectable<Tables['customer.webhook']> {
  feed_filter: FeedFilter;
  /** The milliseconds since `failing_since`. */
  failing_ms: number | null;
  /** The end of the lease, by which its worker recognizes it. */
  lease: string;
}

/** What a turn leaves of an endpoint; `wait_ms` counts until its next turn, null means the next night. */
export interface NextState extends LeasedWebhook {
  wait_ms: number | null;
  /** Why the endpoint is disabled from now on. */
  ending?: 'gone' | 'failing';
  is_test?: boolean;
  /** Whether the worker keeps the lease for another call. */
  goes_on?: boolean;
}
