import { hash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import {
  oneTimeTokenClaims,
  type OneTimeTokenClaims,
  readToken,
} from '../../sql/secrets/signed-token.ts';
import type { Tx } from '../../sql/connection/kysely.ts';
import { lifetimes } from '../figures/lifetimes.ts';
import { mailLimits } from '../figures/rate-limits.ts';
import type { Limiter } from '../http/limiter.ts';

type Purpose = OneTimeTokenClaims['purpose'];

/** Returns the time of expiry of a one-time token that is issued `now`: in whole seconds, as JWTs require. */
export function expiryOf(now: Date): Date {
  const issued_s = Math.floor(now.getTime() / 1000);
  return new Date((issued_s + lifetimes.oneTimeToken_s) * 1000);
}

/** Returns the claims of a one-time token; undefined if the token is forged, expired or for another purpose. */
export function readClaims(secretKey: string, text: string, purpose: Purpose, now: Date) {
  const claims = readToken(oneTimeTokenClaims, secretKey, text, now);
  return claims?.purpose === purpose ? claims : undefined;
}

interface Issue {
  account_id: string;
  purpose: Purpose;
  /** The hash of the new password that a recovery will set; absent for a registration. */
  password_hash?: string;
  now: Date;
}

/** Counts a mail with a one-time token under a key (mailbox or account); returns whether limits permit the mail. */
export async function isMailAllowed(limiter: Limiter, purpose: Purpose, counted: string) {
  const { hour, day } = mailLimits[purpose];
  const key = hash('sha256', counted);
  return (await limiter.isAllowed(hour, key)) && limiter.isAllowed(day, key);
}

/** Stores a one-time token and, if `mail` is given, queues a mail that will contain the token. */
export async function issueOneTimeToken(
  tx: Tx,
  { now, ...token }: Issue,
  mail?: { recipient: string; user_name?: string },
) {
  const one_time_token_id = randomUUID();
  const { account_id, purpose: template } = token;
  const created_at = now;
  await tx
    .insertInto('customer.one_time_token')
    .values({ ...token, one_time_token_id, created_at, expires_at: expiryOf(now) })
    .execute();
  if (!mail) return;
  const { user_name, recipient } = mail;
  const mail_key = `${template}:${one_time_token_id}`;
  const data = JSON.stringify({ one_time_token_id, user_name });
  await tx
    .insertInto('customer.mail')
    .values({ mail_key, account_id, recipient, template, data, created_at })
    .execute();
}

/** Returns the SQL condition that a one-time token is neither used, cancelled nor expired. */
export function isUsable(now: Date) {
  return sql<boolean>`used_at is null and cancelled_at is null and expires_at > ${now}`;
}

/** Cancels the usable one-time tokens of an account for one purpose (registration or recovery). */
export async function cancelOneTimeTokens(tx: Tx, { account_id, purpose, now }: Issue) {
  await tx
    .updateTable('customer.one_time_token')
    .set({ cancelled_at: now })
    .where('account_id', '=', account_id)
    .where('purpose', '=', purpose)
    .where(isUsable(now))
    .execute();
}

/**
 * Marks a one-time token as used, and returns the account of the token. Returns undefined for a used, cancelled or
 * expired one-time token, with messages in init.ts and recovery.json. The account is locked before the token, since a
 * fixed order of locks prevents deadlocks.
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
    .where(isUsable(now))
    .returning('one_time_token_id')
    .executeTakeFirst();
  return used && account;
}
