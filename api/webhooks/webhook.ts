import { type Selectable, sql, type UpdateObject } from 'kysely';
import { z } from 'zod';
import type { Tx } from '../../sql/connection/kysely.ts';
import { feedScope, writeCursor } from '../../sql/feed-cursor.ts';
import type { FeedFilter } from '../../sql/feed.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { findRefusal, longestUrl } from '../../sql/webhook/address.ts';
import { deriveSecret } from '../../sql/webhook/secret.ts';
import { model, text, time } from '../endpoint/answers.ts';
import type { Call } from '../endpoint/endpoint.ts';
import { filterBody } from '../events/filter.ts';
import { mostWebhooks } from '../figures/account-limits.ts';
import { sizes } from '../figures/sizes.ts';
import { patience } from '../figures/timeouts.ts';
import type { Context } from '../http/context.ts';
import { HttpError, invalid } from '../http/errors.ts';
import { rowCount } from '../http/paging.ts';
import { formatOptional, formatTimestamp } from '../http/timestamp.ts';

type Webhook = Selectable<Tables['customer.webhook']>;
type Delivery = Selectable<Tables['customer.webhook_delivery']>;

/** The fields that a client chooses, and may change later. */
export const chosenFields = {
  url: text.min(1).max(longestUrl),
  filters: filterBody,
  max_events: z.int().min(1).max(sizes.delivery),
  heartbeat: z.boolean(),
};

export const webhookState = z.enum(['active', 'disabled']);

export const webhookData = model('Webhook', {
  webhook_ref: text,
  scope: feedScope,
  ...chosenFields,
  state: webhookState,
  disabled_reason: z.enum(['paused', 'gone', 'failing']).nullable(),
  cursor: text,
  failing_since: time.nullable(),
  next_attempt_at: time.nullable(),
  created_at: time,
});

export const newWebhookData = model('NewWebhook', { ...webhookData.shape, secret: text });

export const deliveryData = model('WebhookDelivery', {
  message_id: text,
  kind: z.enum(['events', 'heartbeat', 'test']),
  previous_cursor: text,
  cursor: text,
  event_count: z.int(),
  attempt_no: z.int(),
  started_at: time,
  duration_ms: z.int(),
  status_code: z.int().nullable(),
  error: text.nullable(),
  response: text.nullable(),
});

/** Returns a webhook as answers show it. */
export function viewWebhook(webhook: Webhook) {
  const { webhook_ref, scope, url, filters, max_events, state, disabled_reason } = webhook;
  const asIs = { webhook_ref, scope, url, filters, max_events, state, disabled_reason };
  return {
    ...asIs,
    heartbeat: webhook.has_heartbeat,
    cursor: writeCursor(webhook),
    failing_since: formatOptional(webhook.failing_since),
    next_attempt_at: formatOptional(webhook.next_attempt_at),
    created_at: formatTimestamp(webhook.created_at),
  };
}

/** Returns the answer with a webhook; with the key of the server also its newest secret. */
export function viewOne(webhook: Webhook, secretKey?: string) {
  const secret = secretKey === undefined ? {} : { secret: deriveSecret(secretKey, webhook) };
  return { success: true, data: { ...viewWebhook(webhook), ...secret } };
}

/** Returns a delivery as answers show it. */
export function viewDelivery(delivery: Delivery, scope: Webhook['scope']) {
  const { delivery_id: _id, webhook_id: _of, previous_event_id, event_id, ...shown } = delivery;
  const previous_cursor = writeCursor({ scope, event_id: previous_event_id });
  const cursor = writeCursor({ scope, event_id });
  const started_at = formatTimestamp(delivery.started_at);
  return { ...shown, previous_cursor, cursor, started_at };
}

type Called = Pick<
  Call<'token', { webhook_ref: string }, never, never>,
  'params' | 'caller' | 'options'
>;

/** The columns that find the webhook of a path, which is one of the caller. */
const keyOf = ({ params, caller: { account_id } }: Called) => ({ ...params, account_id });

// The 404 is the same for an unknown webhook and for the webhook of another account.
const unknownWebhook = () =>
  new HttpError(404, { message: 'Webhook not found.', code: 'UNKNOWN_WEBHOOK' });

/** Returns the webhook of a path. Throws a 404 where the account of the caller has no such webhook. */
export function findWebhook(call: Called): Promise<Webhook> {
  return call.options.db
    .selectFrom('customer.webhook')
    .selectAll()
    .where((at) => at.and(keyOf(call)))
    .executeTakeFirstOrThrow(unknownWebhook);
}

/** Changes the webhook of a path. Returns its answer, with the newest secret where the server's key is given. */
export async function changeWebhook(
  call: Called,
  change: UpdateObject<Tables, 'customer.webhook'>,
  secretKey?: string,
) {
  const changed = await call.options.db
    .updateTable('customer.webhook')
    .set({ ...call.params, ...change })
    .where((at) => at.and(keyOf(call)))
    .returningAll()
    .executeTakeFirstOrThrow(unknownWebhook);
  return viewOne(changed, secretKey);
}

/** Throws a 422 for an address that is not called. */
export async function requireAddress(
  url: string,
  { WEBHOOK_ALLOW_PRIVATE: allowPrivate }: Context,
): Promise<void> {
  const refusal = await findRefusal(url, { allowPrivate, lookup_ms: patience.lookup_ms });
  if (refusal) throw invalid([['url', `The url field ${refusal}.`, 'refused_address']]);
}

/** Throws a 422 for an account that has as many webhooks as it may; the account is locked. */
export async function requireRoom(tx: Tx, account_id: string): Promise<void> {
  const held = tx.selectFrom('customer.webhook').where('account_id', '=', account_id);
  const { total } = await held.select(rowCount).executeTakeFirstOrThrow();
  if (total < mostWebhooks) return;
  const message = `An account has at most ${mostWebhooks} webhooks; delete one first.`;
  throw invalid([['url', message, 'limit_exceeded']]);
}

/** Returns the columns of a webhook that has heard of all that is published now, in the countries of its filter. */
export async function findEnd(tx: Tx, { countries }: FeedFilter) {
  const { rows } = await sql<{ event_id: string; snapshot_no: string; published: string }>`
    select
        coalesce(
            (select last_event_id from registry.event_range order by snapshot_no desc limit 1), 0
        ) as event_id,
        (select max(snapshot_no) from registry.publication) as snapshot_no,
        registry.published_days(${countries ?? null})::text as published
  `.execute(tx);
  return rows[0]!;
}
