import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import type { OneTimeTokenClaims } from '../../sql/secrets/signed-token.ts';
import { text, time } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { limits } from '../figures/rate-limits.ts';
import type { Context } from '../http/context.ts';
import { invalid } from '../http/errors.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { findInitialized } from './init.ts';
import { addressField } from './mail-address.ts';
import { openAccount, opens, storeToken } from './master-token.ts';
import {
  cancelOneTimeTokens,
  expiryOf,
  isMailAllowed,
  issueOneTimeToken,
  isUsable,
  readClaims,
  useOneTimeToken,
} from './one-time-token.ts';
import { hashPassword, passwordField, saltBytes } from './password.ts';

/** The minimum time in ms between hashing a password and sending the answer, which hides whether an account exists. */
const answer_ms = 400;

export const confirmation = z.strictObject({ token: z.string(), password: z.string() });

/** Hashes a recovery's new password. The salt is fixed per mail address, so that two hashes of a password are equal. */
function hashFor(secretKey: string, email: string, password: string): Promise<string> {
  const salt = createHmac('sha256', secretKey).update(`recovery ${email.toLowerCase()}`).digest();
  return hashPassword(password, salt.subarray(0, saltBytes));
}

/** Stores a request to recover an account and, if `isMailed`, queues the mail with the recovery link. */
async function mailLink(tx: Tx, email: string, password_hash: string, at: Date, isMailed: boolean) {
  // Locking the account waits for a transaction that is deleting the account.
  const account = await findInitialized(tx, email).forUpdate().executeTakeFirst();
  if (!account) return;
  const { account_id, recipient, user_name } = account;
  const asked = { account_id, purpose: 'recover', password_hash, now: at } as const;
  await issueOneTimeToken(tx, asked, isMailed ? { recipient, user_name } : undefined);
}

/** Stores a recovery request, and returns the time at which its mailed link expires. */
async function requestRecovery(
  { db, limiter, now, secretKey }: Context,
  { email, password }: { email: string; password: string },
): Promise<Date> {
  const at = now();
  const password_hash = await hashFor(secretKey, email, password);
  // The delay `answer_ms` starts after the hash is computed, since the hash may be queued for a long time.
  const leastWait = delay(answer_ms);
  const account = await findInitialized(db, email).executeTakeFirst();
  // `mailLimits` bounds the mails to an address, also to unknown ones, so that the answer reveals no account.
  const counted = `${email.toLowerCase()} ${account?.recovered_at?.toISOString()}`;
  const isMailed = await isMailAllowed(limiter, 'recover', counted);
  await db.transaction().execute((tx) => mailLink(tx, email, password_hash, at, isMailed));
  await leastWait;
  return expiryOf(at);
}

/** Returns the claims of a recovery link with address and language of the account; undefined for an invalid link. */
export async function findRecovery({ db, now, secretKey }: Context, token: string) {
  const claims = readClaims(secretKey, token, 'recover', now());
  const account =
    claims &&
    (await selectRequests(db, claims, now())
      .select(['email', 'language'])
      .where('one_time_token_id', '=', claims.jti)
      .executeTakeFirst());
  return account && { ...claims, ...account };
}

/**
 * Recovers an account, and returns its new Master Token; undefined for a wrong link or password. A valid link confirms
 * any recovery request of the last 24 hours that has the given password (reasons: `api/decisions.md`).
 */
export async function confirmRecovery(
  options: Context,
  { token, password }: z.output<typeof confirmation>,
) {
  const { db, limiter, now, secretKey } = options;
  const at = now();
  const open = await findRecovery(options, token);
  const isAllowed = open && (await limiter.isAllowed(limits.guessRecovery, open.jti));
  if (!isAllowed) return undefined;
  const password_hash = await hashFor(secretKey, open.email, password);
  return db.transaction().execute((tx) => recoverAccount(tx, open, password_hash, at));
}

/** Returns the query for the valid recovery requests of the account that a recovery link names. */
function selectRequests(db: Db, { sub }: OneTimeTokenClaims, now: Date) {
  return db
    .selectFrom('customer.one_time_token as token')
    .innerJoin('customer.account as account', 'account.account_id', 'token.account_id')
    .where('user_ref', '=', sub)
    .where('purpose', '=', 'recover')
    .where(isUsable(now));
}

async function recoverAccount(
  tx: Tx,
  claims: OneTimeTokenClaims,
  password_hash: string,
  now: Date,
) {
  const asked = await selectRequests(tx, claims, now)
    .select('one_time_token_id')
    .where('token.password_hash', '=', password_hash)
    .executeTakeFirst();
  const account = asked && (await useOneTimeToken(tx, claims, now));
  if (!account) return undefined;
  const { account_id, email: recipient, name: user_name } = account;
  await cancelOneTimeTokens(tx, { account_id, purpose: 'recover', now });
  await tx
    .updateTable('customer.account')
    .set({ password_hash, recovered_at: now })
    .where('account_id', '=', account_id)
    .execute();
  // A recovery revokes all tokens of the account; `useOneTimeToken` locked the account against new tokens.
  await tx
    .updateTable('customer.token')
    .set({ revoked_at: now })
    .where('account_id', '=', account_id)
    .where('revoked_at', 'is', null)
    .execute();
  await tx
    .insertInto('customer.mail')
    .values({
      mail_key: `recovered:${claims.jti}`,
      account_id,
      recipient,
      template: 'recovered',
      data: JSON.stringify({ user_name, recovered_at: now }),
      created_at: now,
    })
    .execute();
  return openAccount(tx, account, now);
}

const common = { method: 'post', tag: 'Accounts', auth: 'none' } as const;

const asked = 'If an account has this e-mail address, a recovery link was sent to it.';

export const recover = endpoint(
  {
    ...common,
    path: '/auth/recover',
    summary: 'Ask for the recovery of an account',
    limit: limits.recover,
    body: z.strictObject({ email: addressField, password: passwordField }),
    answer: z.strictObject({ message: text, expires_at: time }),
    example: { message: asked },
  },
  async ({ body, options }) => {
    const expires_at = await requestRecovery(options, body);
    return { message: asked, expires_at: formatTimestamp(expires_at) };
  },
);

const recovered = `The account is recovered. ${storeToken}`;

export const confirm = endpoint(
  {
    ...common,
    ...opens(recovered),
    path: '/auth/recover/confirm',
    summary: 'Confirm a recovery',
    limit: limits.confirmRecovery,
    body: confirmation,
  },
  async ({ body, options }) => {
    const opened = await confirmRecovery(options, body);
    if (!opened) throw invalid([['token', 'Recovery confirmation failed', 'invalid_token']]);
    return { ...opened, message: recovered };
  },
);
