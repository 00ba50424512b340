import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Selectable } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { writeCursor } from '../../sql/feed-cursor.ts';
import type { FeedPart } from '../../sql/feed.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { listSecrets } from '../../sql/webhook/secret.ts';
import { webhooks as figures } from '../figures/webhook-calls.ts';

/** A webhook endpoint that one worker may call until `leased_until`. */
export type LeasedWebhook = Selectable<Tables['customer.webhook']>;

/** The content of one webhook call. A 2xx answer accepts all events of the endpoint's feed up to `event_id`. */
export interface Message {
  message_id: string;
  kind: 'events' | 'heartbeat' | 'test';
  events: readonly object[];
  event_id: string;
  /** Whether the feed may contain more events after the events of this message. */
  has_more: boolean;
  published: Record<string, string>;
}

/**
 * Returns the message with the events of `part`. If `part` has no events, returns a heartbeat (if a night was published
 * since the last message and the endpoint wants heartbeats) or undefined.
 */
export function composeMessage(webhook: LeasedWebhook, part: FeedPart): Message | undefined {
  const all = JSON.parse(part.events) as { id: number }[];
  const { published } = part;
  const isNews = !part.has_more && !isDeepStrictEqual(published, webhook.published);
  if (all.length === 0 && !(isNews && webhook.has_heartbeat)) return undefined;
  const events = all.slice(0, countFitting(all));
  const isWhole = events.length === all.length;
  const event_id = isWhole ? part.last_event_id : String(events.at(-1)!.id);
  const kind = all.length > 0 ? 'events' : 'heartbeat';
  const message_id = identify(webhook, event_id, JSON.stringify(published));
  return { message_id, kind, events, event_id, has_more: part.has_more || !isWhole, published };
}

/** Returns the message of a requested test call, which leaves the endpoint's position in the feed unchanged. */
export function composeTest(webhook: LeasedWebhook): Message {
  const { event_id, published, leased_until } = webhook;
  const message_id = identify(webhook, event_id, `test ${leased_until?.getTime()}`);
  return { message_id, kind: 'test', events: [], event_id, has_more: false, published };
}

/** Returns the number of events, counted from the first event, that fit into one request body; at least 1. */
function countFitting(events: readonly object[]): number {
  let bytes = figures.envelope_bytes;
  const full = events.findIndex((event) => {
    bytes += Buffer.byteLength(JSON.stringify(event)) + 1;
    return bytes > figures.body_bytes;
  });
  return full < 0 ? events.length : Math.max(full, 1);
}

/** Returns the id of a message. The id is the same at each attempt to send it, but differs after a replay. */
function identify(webhook: LeasedWebhook, event_id: string, content: string): string {
  const { webhook_ref, replay_count } = webhook;
  const parts = [webhook_ref, replay_count, webhook.event_id, event_id, content];
  return `msg_${createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 32)}`;
}

/** Returns the request of a message, signed as Standard Webhooks requires; by both secrets during a rotation. */
export function writeRequest(
  webhook: LeasedWebhook,
  { message_id, kind, events, event_id, published }: Message,
  secretKey: string,
  now: Date,
) {
  const { webhook_ref, scope } = webhook;
  const body = JSON.stringify({
    type: kind === 'test' ? 'test' : 'events',
    timestamp: now.toISOString(),
    data: {
      webhook_ref,
      previous_cursor: writeCursor({ scope, event_id: webhook.event_id }),
      cursor: writeCursor({ scope, event_id }),
      events,
      published,
    },
  });
  const signatures = listSecrets(secretKey, webhook, now).map((secret) =>
    new Webhook(secret).sign(message_id, now, body),
  );
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'company-registry',
    'webhook-id': message_id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
  return { url: webhook.url, headers, body };
}
