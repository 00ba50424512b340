import { randomUUID } from 'node:crypto';
import {
  ONE_TIME_TOKEN_LIFETIME_HOURS,
  oneTimeTokenClaims,
  type OneTimeTokenClaims,
} from '../../sql/secrets/one-time-token.ts';
import { readToken } from '../../sql/secrets/signed-token.ts';
import type { Tx } from '../../sql/kysely.ts';

/** A one-time token with a valid signature that is not 24 hours old. */
export interface Claim {
  purpose: OneTimeTokenClaims['purpose'];
  one_time_token_id: string;
  user_ref: string;
}

/** When a one-time token that is issued now expires, in whole seconds, as in a JWT. */
export function expiryOf(now: Date): Date {
  const issued_s = Math.floor(now.getTime() / 1000);
  return new Date((issued_s + ONE_TIME_TOKEN_LIFETIME_HOURS * 3600) * 1000);
}

/**
 * Reads a one-time token without a query; its row says whether it was used.
 *
 * @returns undefined when it is forged, expired, or for another purpose
 */
export function readClaim(
  secretKey: string,
  text: string,
  purpose: Claim['purpose'],
  now: Date,
): Claim | undefined {
  const claims = readToken(oneTimeTokenClaims, secretKey, text, now);
  if (claims?.purpose !== purpose) return undefined;
  return { purpose, one_time_token_id: claims.jti, user_ref: claims.sub };
}

interface Issue {
  account_id: string;
  purpose: Claim['purpose'];
  /** Of the new password of a recovery. */
  password_hash?: string;
  now: Date;
}

/** Issues a one-time token; `leaveMail` sends it. Returns its `one_time_token_id`. */
export async function issueOneTimeToken(
  tx: Tx,
  { account_id, purpose, password_hash, now }: Issue,
): Promise<string> {
  const one_time_token_id = randomUUID();
  await tx
    .insertInto('customer.one_time_token')
    .values({
      one_time_token_id,
      account_id,
      purpose,
      password_hash: password_hash ?? null,
      created_at: now,
      expires_at: expiryOf(now),
    })
    .execute();
  return one_time_token_id;
}

/** Cancels the unused one-time tokens of an account and purpose. */
export async function cancelOneTimeTokens(
  tx: Tx,
  { account_id, purpose, now }: { account_id: string; purpose: Claim['purpose']; now: Date },
): Promise<void> {
  await tx
    .updateTable('customer.one_time_token')
    .set({ cancelled_at: now })
    .where('account_id', '=', account_id)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('cancelled_at', 'is', null)
    .execute();
}

/**
 * Uses a one-time token, which works once. Locks the account first, like every change of one-time
 * tokens, so that changes cannot deadlock.
 *
 * @returns the account; undefined when the token was used or cancelled before, or has expired
 */
export async function useOneTimeToken(tx: Tx, claim: Claim, now: Date) {
  const account = await tx
    .selectFrom('customer.account')
    .select(['account_id', 'user_ref', 'email', 'name'])
    .where('user_ref', '=', claim.user_ref)
    .forUpdate()
    .executeTakeFirst();
  if (!account) return undefined;
  const used = await tx
    .updateTable('customer.one_time_token')
    .set({ used_at: now })
    .where('one_time_token_id', '=', claim.one_time_token_id)
    .where('account_id', '=', account.account_id)
    .where('purpose', '=', claim.purpose)
    .where('used_at', 'is', null)
    .where('cancelled_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('one_time_token_id')
    .executeTakeFirst();
  return used && account;
}
