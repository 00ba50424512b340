import { z } from 'zod';
import type { AppOptions } from '../app.ts';
import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { formatOptional, formatTimestamp } from '../http/timestamp.ts';
import { tokenExample } from './view.ts';

const text = z.string();
const time = z.iso.datetime({ offset: true });

const verified = z
  .strictObject({
    valid: z.literal(true),
    token_ref: text,
    token_name: text,
    user_ref: text,
    user_name: text,
    expires_at: time.nullable(),
    is_active: z.literal(true),
    last_used_at: time.nullable(),
  })
  .meta({ id: 'VerifiedToken' });

/** Says whose token the request showed; that it was let in is the answer. */
export function verify({ now }: AppOptions): Endpoint {
  return endpoint(
    {
      tag: 'Tokens',
      method: 'post',
      path: '/tokens/verify',
      summary: 'Verify the token of the request',
      description:
        'A token of either kind. One that is not valid gets a 401. `last_used_at` is the use before this one.',
      auth: 'token',
      status: 200,
      answer: z.strictObject({
        success: z.literal(true),
        data: verified,
        meta: z.strictObject({ timestamp: time }),
      }),
      example: {
        success: true,
        data: {
          valid: true,
          token_ref: tokenExample.token_ref,
          token_name: tokenExample.name,
          user_ref: 'K3V9QX0ZB7MD',
          user_name: 'Anna Nowak',
          expires_at: tokenExample.expires_at,
          is_active: true,
          last_used_at: tokenExample.last_used_at,
        },
        meta: { timestamp: '2026-05-02T10:00:00+00:00' },
      },
    },
    ({ caller }) => ({
      success: true,
      data: {
        valid: true,
        token_ref: caller.token_ref,
        token_name: caller.token_name,
        user_ref: caller.user_ref,
        user_name: caller.user_name,
        expires_at: formatOptional(caller.expires_at),
        is_active: true,
        last_used_at: formatOptional(caller.last_used_at),
      },
      meta: { timestamp: formatTimestamp(now()) },
    }),
  );
}
