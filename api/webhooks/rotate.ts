import { sql } from 'kysely';
import { endpoint } from '../endpoint/endpoint.ts';
import { lifetimes } from '../figures/lifetimes.ts';
import { answersNew, changeWebhook, one } from './webhook.ts';

export const rotate = endpoint(
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
