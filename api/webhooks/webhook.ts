import type { Selectable, UpdateObject } from 'kysely';
import { z } from 'zod';
import { feedScope, writeCursor } from '../../sql/feed-cursor.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { findRefusal, longestUrl } from '../../sql/webhook/address.ts';
import { deriveSecret } from '../../sql/webhook/secret.ts';
import { answersSuccess, model, text, time } from '../endpoint/answers.ts';
import type { Call } from '../endpoint/endpoint.ts';
import { filterBody } from '../events/filter.ts';
import { sizes } from '../figures/sizes.ts';
import { patience } from '../figures/timeouts.ts';
import type { Context } from '../http/context.ts';
import { HttpError, invalid } from '../http/errors.ts';
import { formatOptional, formatTimestamp } from '../http/timestamp.ts';

type Webhook = Selectable<Tables['customer.webhook']>;

export const common = { tag: 'Webhooks', auth: 'token' } as const;
export const one = {
  ...common,
  path: '/webhooks/{webhook_ref}',
  params: z.strictObject({ webhook_ref: text }),
} as const;

/** The beginning of the names of filter fields in error messages, since a body has them in `filters`. */
export const within = 'filters.';

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

export const answersOne = answersSuccess(webhookData);
export const answersNew = answersSuccess(newWebhookData);

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

/** Returns the answer with a webhook, and with its newest secret if `secretKey` is given. */
export function viewOne(webhook: Webhook, secretKey?: string) {
  const secret = secretKey === undefined ? {} : { secret: deriveSecret(secretKey, webhook) };
  return { success: true, data: { ...viewWebhook(webhook), ...secret } };
}

type Called = Pick<
  Call<'token', { webhook_ref: string }, never, never>,
  'params' | 'caller' | 'options'
>;

/** The columns that find the webhook of a path among the webhooks of the caller. */
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

/** Changes the webhook of a path. Returns its answer, with the newest secret if `secretKey` is given. */
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

/** Throws a 422 for an address that no webhook may have, such as a private address. */
export async function requireAddress(
  url: string,
  { WEBHOOK_ALLOW_PRIVATE: allowPrivate }: Context,
): Promise<void> {
  const refusal = await findRefusal(url, { allowPrivate, lookup_ms: patience.lookup_ms });
  if (refusal) throw invalid([['url', `The url field ${refusal}.`, 'refused_address']]);
}
