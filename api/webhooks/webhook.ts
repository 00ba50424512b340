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

/** The prefix of a filter field's name in error messages, since the filters of a webhook are in the field `filters`. */
export const within = 'filters.';

/** The fields of a webhook that a client sets, and can change later. */
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

/** Returns a webhook in the form of answers. */
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

/** Returns the body of an answer with a webhook and, if `secretKey` is given, the newest secret of the webhook. */
export function viewOne(webhook: Webhook, secretKey?: string) {
  const secret = secretKey === undefined ? {} : { secret: deriveSecret(secretKey, webhook) };
  return { success: true, data: { ...viewWebhook(webhook), ...secret } };
}

type Called = Pick<
  Call<'token', { webhook_ref: string }, never, never>,
  'params' | 'caller' | 'options'
>;

/** Returns the column values that identify the webhook of the caller's account that a path names. */
const keyOf = ({ params, caller: { account_id } }: Called) => ({ ...params, account_id });

// Requests for an unknown webhook and for a webhook of another account get the same 404.
const unknownWebhook = () =>
  new HttpError(404, { message: 'Webhook not found.', code: 'UNKNOWN_WEBHOOK' });

/** Returns the webhook that the path of a request names. Throws a 404 if the caller's account has no such webhook. */
export function findWebhook(call: Called): Promise<Webhook> {
  return call.options.db
    .selectFrom('customer.webhook')
    .selectAll()
    .where((at) => at.and(keyOf(call)))
    .executeTakeFirstOrThrow(unknownWebhook);
}

/** Changes the webhook that the path names. Returns the answer, with the newest secret if `secretKey` is given. */
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

/** Throws a 422 for a forbidden address of a webhook, such as a private address. */
export async function requireAddress(
  url: string,
  { WEBHOOK_ALLOW_PRIVATE: allowPrivate }: Context,
): Promise<void> {
  const refusal = await findRefusal(url, { allowPrivate, lookup_ms: patience.lookup_ms });
  if (refusal) throw invalid([['url', `The url field ${refusal}.`, 'refused_address']]);
}
