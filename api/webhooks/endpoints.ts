import { sql } from 'kysely';
import { z } from 'zod';
import { feedScope, readCursor } from '../../sql/feed-cursor.ts';
import { readFeed } from '../../sql/feed.ts';
import { changeAccount } from '../auth/change-account.ts';
import { createRef } from '../auth/token-secret.ts';
import { answersSuccess, text } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { resolveFeedFilter } from '../events/filter.ts';
import { lifetimes } from '../figures/lifetimes.ts';
import { limits } from '../figures/rate-limits.ts';
import { sizes } from '../figures/sizes.ts';
import { invalid } from '../http/errors.ts';
import { pageMeta, pagingFields, rowCount, skippedBy, viewPageMeta } from '../http/paging.ts';
import {
  changeWebhook,
  chosenFields,
  deliveryData,
  findEnd,
  findWebhook,
  newWebhookData,
  requireAddress,
  requireRoom,
  viewDelivery,
  viewOne,
  viewWebhook,
  webhookData,
  webhookState,
} from './webhook.ts';

/** The path of the filters in a body. */
const within = 'filters.';

const common = { tag: 'Webhooks', auth: 'token' } as const;
const params = z.strictObject({ webhook_ref: text });
const one = { ...common, path: '/webhooks/{webhook_ref}', params } as const;
const answersOne = answersSuccess(webhookData);
const answersCall = { ...answersOne, limit: limits.callWebhook, status: 202 } as const;
const answersNew = answersSuccess(newWebhookData);

const register = endpoint(
  {
    ...common,
    isInTurn: true,
    method: 'post',
    path: '/webhooks',
    summary: 'Register a webhook',
    limit: limits.registerWebhook,
    body: z.strictObject({
      url: chosenFields.url,
      scope: feedScope.default('watched'),
      filters: chosenFields.filters.default({}),
      max_events: chosenFields.max_events.default(sizes.delivery),
      heartbeat: chosenFields.heartbeat.default(true),
    }),
    status: 201,
    ...answersNew,
  },
  async ({ body, caller, options }) => {
    const { account_id } = caller;
    const { db, secretKey, now } = options;
    const { heartbeat: has_heartbeat, filters: asked, scope, ...chosen } = body;
    await requireAddress(body.url, options);
    const filter = await resolveFeedFilter(db, { ...asked, scope }, within);
    const created = await changeAccount(db, caller, async (tx) => {
      await requireRoom(tx, account_id);
      const end = await findEnd(tx, filter);
      const stored = { filters: JSON.stringify(asked), feed_filter: JSON.stringify(filter) };
      const ids = { account_id, webhook_ref: createRef(), created_at: now() };
      return tx
        .insertInto('customer.webhook')
        .values({ ...ids, scope, has_heartbeat, ...chosen, ...stored, ...end })
        .returningAll()
        .executeTakeFirstOrThrow();
    });
    return viewOne(created, secretKey);
  },
);

const list = endpoint(
  {
    ...common,
    method: 'get',
    path: '/webhooks',
    summary: 'List the webhooks of the account',
    ...answersSuccess(z.array(webhookData)),
  },
  async ({ caller: { account_id }, options: { db } }) => {
    const all = db.selectFrom('customer.webhook').selectAll().where('account_id', '=', account_id);
    const rows = await all.orderBy('webhook_id', 'desc').execute();
    return { success: true, data: rows.map(viewWebhook) };
  },
);

const get = endpoint(
  { ...one, ...answersOne, method: 'get', summary: 'Get a webhook' },
  async (call) => viewOne(await findWebhook(call)),
);

const change = endpoint(
  {
    ...one,
    ...answersOne,
    method: 'patch',
    summary: 'Change, pause or enable a webhook',
    limit: limits.registerWebhook,
    body: z.strictObject({ ...chosenFields, state: webhookState }).partial(),
  },
  async (call) => {
    const { heartbeat: has_heartbeat, filters, state, ...given } = call.body;
    const { scope, state: before } = await findWebhook(call);
    if (given.url !== undefined) await requireAddress(given.url, call.options);
    const filter =
      filters && (await resolveFeedFilter(call.options.db, { ...filters, scope }, within));
    return changeWebhook(call, {
      ...given,
      ...(has_heartbeat !== undefined && { has_heartbeat }),
      ...(filter && {
        filters: JSON.stringify(filters),
        feed_filter: JSON.stringify(filter),
        scanned_event_id: null,
        replay_count: sql<number>`replay_count + 1`,
      }),
      ...(state && { state, disabled_reason: state === 'active' ? null : 'paused' }),
      ...((given.url !== undefined || state === 'active') && { next_attempt_at: null }),
      ...(state === 'active' && before !== state && { attempt_count: 0, failing_since: null }),
    });
  },
);

const deleted = 'The webhook is deleted.';

const remove = endpoint(
  {
    ...one,
    method: 'delete',
    summary: 'Delete a webhook',
    answer: z.strictObject({ success: z.literal(true), message: text }),
    example: { message: deleted },
  },
  async (call) => {
    const { webhook_id } = await findWebhook(call);
    const { db } = call.options;
    await db.deleteFrom('customer.webhook').where('webhook_id', '=', webhook_id).execute();
    return { success: true, message: deleted };
  },
);

const rotate = endpoint(
  {
    ...one,
    ...answersNew,
    method: 'post',
    path: '/webhooks/{webhook_ref}/rotate',
    summary: 'Replace the secret of a webhook',
  },
  async (call) => {
    const { secretKey, now } = call.options;
    const previous_secret_until = new Date(now().getTime() + lifetimes.previousSecret_ms);
    const secret_version = sql<number>`secret_version + 1`;
    return changeWebhook(call, { secret_version, previous_secret_until }, secretKey);
  },
);

const test = endpoint(
  {
    ...one,
    ...answersCall,
    method: 'post',
    path: '/webhooks/{webhook_ref}/test',
    summary: 'Send a test to a webhook',
  },
  (call) => changeWebhook(call, { test_requested_at: call.options.now() }),
);

const badCursor = 'The after field must be a cursor of this webhook, or of a feed with its scope.';

const replay = endpoint(
  {
    ...one,
    ...answersCall,
    method: 'post',
    path: '/webhooks/{webhook_ref}/replay',
    summary: 'Deliver again what follows a cursor',
    body: z.strictObject({ after: z.string().max(100) }),
  },
  async (call) => {
    const { scope, account_id } = await findWebhook(call);
    const from = readCursor(call.body.after);
    const asked = { account_id, scope, limit: 1, filter: {} };
    const isKnown =
      from?.scope === scope &&
      (await readFeed(call.options.db, { ...asked, after: from.event_id }));
    if (!isKnown) throw invalid([['after', badCursor, 'bad_cursor']]);
    const replay_count = sql<number>`replay_count + 1`;
    const position = { event_id: from.event_id, scanned_event_id: null, snapshot_no: '0' };
    return changeWebhook(call, { ...position, replay_count, next_attempt_at: null });
  },
);

const deliveries = endpoint(
  {
    ...one,
    method: 'get',
    path: '/webhooks/{webhook_ref}/deliveries',
    summary: 'List the deliveries of a webhook',
    query: z.strictObject(pagingFields),
    ...answersSuccess(z.array(deliveryData), pageMeta),
  },
  async (call) => {
    const { query, options } = call;
    const { webhook_id, scope } = await findWebhook(call);
    const all = options.db
      .selectFrom('customer.webhook_delivery')
      .where('webhook_id', '=', webhook_id);
    const { total } = await all.select(rowCount).executeTakeFirstOrThrow();
    const rows = await all
      .selectAll()
      .orderBy('delivery_id', 'desc')
      .offset(skippedBy(query))
      .limit(query.per_page)
      .execute();
    const data = rows.map((row) => viewDelivery(row, scope));
    return { success: true, data, meta: viewPageMeta(query, total) };
  },
);

const ofOne = [get, change, remove, rotate, test, replay, deliveries];

export const webhookEndpoints = [register, list, ...ofOne];
