import { sql } from 'kysely';
import { z } from 'zod';
import { text, time } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { formatOptional } from '../http/timestamp.ts';
import { lockApiToken, one } from './token-of-path.ts';

const revoked = 'The token is revoked.';

export const revoke = endpoint(
  {
    ...one,
    method: 'delete',
    summary: 'Revoke an API token',
    answer: z.strictObject({
      success: z.literal(true),
      message: text,
      meta: z.strictObject({ revoked_at: time }),
    }),
    example: { message: revoked },
  },
  // Spec: silent on revoking a revoked token; we answer 200, and the token keeps the time of its first revocation.
  async ({ params: path, caller, options: { db, now } }) => {
    const token = await lockApiToken(db, caller, path, 'revoked');
    const { revoked_at } = await db
      .updateTable('customer.token')
      .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${now()})` })
      .where('token_id', '=', token.token_id)
      .returning('revoked_at')
      .executeTakeFirstOrThrow();
    return { success: true, message: revoked, meta: { revoked_at: formatOptional(revoked_at) } };
  },
);
