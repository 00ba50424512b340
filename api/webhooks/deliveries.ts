import type { Selectable } from 'kysely';
import { z } from 'zod';
import { type FeedPosition, writeCursor } from '../../sql/feed-cursor.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { answersSuccess, model, text, time } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { pageMeta, pagingFields, rowCount, skippedBy, viewPageMeta } from '../http/page-numbers.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { findWebhook, one } from './webhook.ts';

type Delivery = Selectable<Tables['customer.webhook_delivery']>;

const deliveryData = model('WebhookDelivery', {
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

/** Returns a delivery (one call of a webhook) in the form of answers. */
function viewDelivery(delivery: Delivery, scope: FeedPosition['scope']) {
  const { delivery_id: _id, webhook_id: _of, previous_event_id, event_id, ...shown } = delivery;
  const previous_cursor = writeCursor({ scope, event_id: previous_event_id });
  const cursor = writeCursor({ scope, event_id });
  const started_at = formatTimestamp(delivery.started_at);
  return { ...shown, previous_cursor, cursor, started_at };
}

export const deliveries = endpoint(
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
