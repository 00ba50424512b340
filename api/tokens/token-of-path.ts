import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Caller } from '../auth/authenticate.ts';
import { text } from '../endpoint/answers.ts';
import { HttpError, invalid } from '../http/errors.ts';

export const common = { tag: 'Tokens', auth: 'master' } as const;
export const params = z.strictObject({ token_ref: text });
export const one = { ...common, path: '/tokens/{token_ref}', params } as const;

// Requests for an unknown token, another account's token or a malformed `token_ref` get exactly the same 404.
export const unknownToken = () =>
  new HttpError(404, { message: 'Token not found.', code: 'UNKNOWN_TOKEN' });

/** Returns the query for the token of the caller's account that a path names. */
export function selectToken(
  db: Db,
  { account_id }: Caller,
  { token_ref }: z.output<typeof params>,
) {
  return db
    .selectFrom('customer.token')
    .selectAll()
    .where('account_id', '=', account_id)
    .where('token_ref', '=', token_ref);
}

/** Reads and locks the API token that a path names. Throws a 404 for an unknown token, and a 422 for a Master Token. */
export async function lockApiToken(
  db: Db,
  caller: Caller,
  path: z.output<typeof params>,
  verb: string,
) {
  const token = await selectToken(db, caller, path)
    .forUpdate()
    .executeTakeFirstOrThrow(unknownToken);
  // Spec: silent on revoking or rotating the Master Token; we refuse both, since the API could not issue a new one.
  const message = `The Master Token cannot be ${verb}; account recovery replaces it.`;
  if (token.kind === 'master') throw invalid([['token_ref', message, 'not_allowed']]);
  return token;
}
