import type { RouteConfig } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { model, text } from '../endpoint/answers.ts';
import { numbered } from '../events/feed.ts';
import { feedMetaFields } from '../events/event-fields.ts';

const delivery = model('Delivery', {
  type: z.enum(['events', 'test']),
  timestamp: z.iso.datetime(),
  data: model('DeliveryData', {
    webhook_ref: text,
    previous_cursor: text,
    cursor: text,
    events: z.array(numbered),
    published: feedMetaFields.published,
  }),
});

/** Describes the request that a client's webhook receives; its name in the OpenAPI document is `events`. */
export const deliveryRoute: RouteConfig = {
  method: 'post',
  path: 'events',
  operationId: 'receive_events',
  tags: ['Webhooks'],
  summary: 'Receive events at an address of yours',
  security: [],
  request: {
    headers: z.object({ 'webhook-id': text, 'webhook-timestamp': text, 'webhook-signature': text }),
    body: { required: true, content: { 'application/json': { schema: delivery } } },
  },
  responses: {
    '2XX': { description: 'You have accepted the delivery.' },
    410: { description: 'You want no more deliveries: the webhook is disabled.' },
  },
};
