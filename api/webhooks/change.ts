import { sql } from 'kysely';
import { z } from 'zod';
import { endpoint } from '../endpoint/endpoint.ts';
import { resolveFeedFilter } from '../events/filter.ts';
import { limits } from '../figures/rate-limits.ts';
import {
  answersOne,
  changeWebhook,
  chosenFields,
  findWebhook,
  one,
  requireAddress,
  webhookState,
  within,
} from './webhook.ts';

export const change = endpoint(
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
