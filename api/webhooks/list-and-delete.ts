import { z } from 'zod';
import { answersSuccess, text } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import {
  answersOne,
  common,
  findWebhook,
  one,
  viewOne,
  viewWebhook,
  webhookData,
} from './webhook.ts';

export const list = endpoint(
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

export const get = endpoint(
  { ...one, ...answersOne, method: 'get', summary: 'Get a webhook' },
  async (call) => viewOne(await findWebhook(call)),
);

const deleted = 'The webhook is deleted.';

export const remove = endpoint(
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
