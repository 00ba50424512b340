import { randomUUID } from 'node:crypto';
import {
  oneTimeTokenClaims,
  type OneTimeTokenClaims,
  readToken,
} from '../../sql/secrets/signed-token.ts';
import type { Tx } from '../../sql/connection/kysely.ts';
import { lifetimes } from '../figures.ts';

type Purpose = OneTimeTokenClaims['purpose'];

/** Returns the time at which a one-time token issued now expires, in whole seconds, as in a JWT. */
export function expiryOf(now: Date): Date {
  const issued_s = Math.floor(now.getTime() / 1000);
  return new Date((issued_s + lifetimes.oneTimeToken_s) * 1000);
}

/**
 * Reads the claims of a one-time token without a query; only the database knows whether the token was used.
 *
 * @returns undefined when the token is forged, expired, or for another purpose
 */
export function readClaims(secretKey: string, text: string, purpose: Purpose, now: Date) {
  const claims = readToken(oneTimeTokenClaims, secretKey, text, now);
  return claims?.purpose === purpose ? claims : undefined;
}

interface Issue {
  account_id: string;
  purpose: Purpose;
  /** The hash of the new password of a recovery. */
  password_hash?: string;
  now: Date;
}

interface Mail {
  recipient: string;
  user_name?: string;
  /** The earliest time to send the mail; absent or null: at once. */
  send_after?: Date | null;
}

/** Issues a one-time token and, if `mail` is given, queues the mail that brings the token. */
export async function issueOneTimeToken(tx: Tx, { now, ...token }: Issue, mail?: Mail) {
  const one_time_token_id = randomUUID();
  const { account_id, purpose: template } = token;
  const created_at = now;
  await tx
    .insertInto('customer.one_time_token')
    .values({ ...token, one_time_token_id, created_at, expires_at: expiryOf(now) })
    .execute();
  if (!mail) return;
  const { user_name, ...sending } = mail;
  const mail_key = `${template}:${one_time_token_id}`;
  const data = JSON.stringify({ one_time_token_id, user_name });
  await tx
    .insertInto('customer.mail')
    .values({ mail_key, account_id, template, data, created_at, ...sending })
    .execute();
}

/** Cancels the unused one-time tokens of an account and purpose. */
export async function cancelOneTimeTokens(tx: Tx, { account_id, purpose, now }: Issue) {
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
 * Marks a one-time token as used, which succeeds only once. All changes of one-time tokens lock the account first,
 * to prevent deadlocks.
 *
 * @returns the account; undefined when the token is already used, cancelled or expired
 */
export async function useOneTimeToken(tx: Tx, claims: OneTimeTokenClaims, now: Date) {
  const account = await tx
    .selectFrom('customer.account')
    .select(['account_id', 'user_ref', 'email', 'name'])
    .where('user_ref', '=', claims.sub)
    .forUpdate()
    .executeTakeFirst();
  if (!account) return undefined;
  const used = await tx
    .updateTable('customer.one_time_token')
    .set({ used_at: now })
    .where('one_time_token_id', '=', claims.jti)
    .where('account_id', '=', account.account_id)
    .where('purpose', '=', claims.purpose)
    .where('used_at', 'is', null)
    .where('cancelled_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('one_time_token_id')
    .executeTakeFirst();
  return used && account;
}
