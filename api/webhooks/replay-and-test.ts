import { sql } from 'kysely';
import { z } from 'zod';
import { readCursor } from '../../sql/feed-cursor.ts';
import { readFeed } from '../../sql/feed.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { limits } from '../figures/rate-limits.ts';
import { invalid } from '../http/errors.ts';
import { answersOne, changeWebhook, findWebhook, one } from './webhook.ts';

const answersCall = { ...answersOne, limit: limits.callWebhook, status: 202 } as const;

export const test = endpoint(
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

export const replay = endpoint(
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
