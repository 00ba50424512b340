import { sql } from 'kysely';
import { z } from 'zod';
import type { Tx } from '../../sql/connection/kysely.ts';
import type { FeedFilter } from '../../sql/feed.ts';
import { feedScope } from '../../sql/feed-cursor.ts';
import { changeAccount } from '../auth/change-account.ts';
import { createRef } from '../auth/token-secret.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { resolveFeedFilter } from '../events/filter.ts';
import { mostWebhooks } from '../figures/account-limits.ts';
import { limits } from '../figures/rate-limits.ts';
import { sizes } from '../figures/sizes.ts';
import { invalid } from '../http/errors.ts';
import { rowCount } from '../http/page-numbers.ts';
import { answersNew, chosenFields, common, requireAddress, viewOne, within } from './webhook.ts';

/** Throws a 422 if an account already has the maximum number of webhooks. `tx` must have locked the account. */
async function requireRoom(tx: Tx, account_id: string): Promise<void> {
  const held = tx.selectFrom('customer.webhook').where('account_id', '=', account_id);
  const { total } = await held.select(rowCount).executeTakeFirstOrThrow();
  if (total < mostWebhooks) return;
  const message = `An account has at most ${mostWebhooks} webhooks; delete one first.`;
  throw invalid([['url', message, 'limit_exceeded']]);
}

/** Returns the end of the event feed, from which a new webhook starts, so that only later events are delivered. */
async function findEnd(tx: Tx, { countries }: FeedFilter) {
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

export const register = endpoint(
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
