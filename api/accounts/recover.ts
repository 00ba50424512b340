import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import type { Language } from '../../sql/words/message.ts';
import type { OneTimeTokenClaims } from '../../sql/secrets/signed-token.ts';
import { limits, recoveryMails } from '../figures.ts';
import { openAccount, type OpenedAccount, type SigningOptions } from './init.ts';
import {
  cancelOneTimeTokens,
  expiryOf,
  issueOneTimeToken,
  readClaims,
  useOneTimeToken,
} from './one-time-token.ts';
import { hashPassword, saltBytes } from './password.ts';

/**
 * The least time from hash to answer, in ms. Queuing a mail takes less, so that known and unknown addresses look
 * alike.
 */
const answer_ms = 400;

export const confirmation = z.strictObject({ token: z.string(), password: z.string() });

/**
 * Returns the functions for the two steps of an account recovery.
 *
 * `request` mails a link when an account has the address. Known and unknown addresses get the same answer, after
 * one hash and the same time. An account gets at most 5 recovery mails an hour and 10 a day. Recovery requests
 * beyond the limits share one mail, which is sent when the limits allow.
 *
 * `confirm` needs a mailed link and the password of any request of the last 24 hours. Any valid link confirms any
 * request, so that strangers cannot lock the owner out by many requests. A mailed link alone is not enough: a mail
 * scanner or a reader of the mail cannot recover the account. A recovery sets the new password and revokes all
 * earlier tokens of the account.
 */
export function createRecovery({ db, limiter, now, secretKey }: SigningOptions) {
  /**
   * Hashes the new password of a recovery. All requests for one address share a salt, so that one hash finds the
   * matching request.
   */
  function hashFor(email: string, password: string): Promise<string> {
    const salt = createHmac('sha256', secretKey).update(`recovery ${email.toLowerCase()}`).digest();
    return hashPassword(password, salt.subarray(0, saltBytes));
  }

  /**
   * Returns the claims of a recovery link with the address and language of its account; undefined for an invalid
   * link.
   */
  async function findOpen(token: string, at: Date) {
    const claims = readClaims(secretKey, token, 'recover', at);
    const account =
      claims &&
      (await selectRequests(db, claims, at)
        .select(['email', 'language'])
        .where('one_time_token_id', '=', claims.jti)
        .executeTakeFirst());
    return account && { ...claims, ...account };
  }

  return {
    /** Requests a recovery, and returns the time at which its link expires. */
    async request({ email, password }: { email: string; password: string }): Promise<Date> {
      const at = now();
      const password_hash = await hashFor(email, password);
      // The delay starts after the hash, which may wait long in the queue.
      const answered = delay(answer_ms);
      await db.transaction().execute((tx) => mailLink(tx, email, password_hash, at));
      await answered;
      return expiryOf(at);
    },

    /** Returns the language of the account of a recovery link; undefined when the link can no longer be confirmed. */
    async findAccount(token: string): Promise<{ language: Language } | undefined> {
      return findOpen(token, now());
    },

    /**
     * Completes a recovery, and returns the account with its new Master Token. Returns undefined for a wrong link
     * or password, and after too many attempts.
     */
    async confirm({ token, password }: z.output<typeof confirmation>) {
      const at = now();
      const open = await findOpen(token, at);
      const isAllowed = open && (await limiter.isAllowed(limits.guessRecovery, open.jti));
      if (!isAllowed) return undefined;
      const password_hash = await hashFor(open.email, password);
      return db.transaction().execute((tx) => recoverAccount(tx, open, password_hash, at));
    },
  };
}

// Spec: silent on recovering an account that was never initialized. Such an account gets no recovery mail, and its
// address can be registered again.
async function mailLink(tx: Tx, email: string, password_hash: string, now: Date): Promise<void> {
  const account = await tx
    .selectFrom('customer.account')
    .select(['account_id', 'email as recipient', 'name as user_name', 'recovered_at'])
    .where(sql`lower(email collate "C")`, '=', email.toLowerCase())
    .where('initialized_at', 'is not', null)
    .forUpdate()
    .executeTakeFirst();
  if (!account) return;
  const { account_id, recovered_at, ...reader } = account;
  const slot = await findMailSlot(tx, account_id, recovered_at, now);
  const mail = slot && { ...reader, ...slot };
  await issueOneTimeToken(tx, { account_id, purpose: 'recover', password_hash, now }, mail);
}

/**
 * Returns the time of the next recovery mail of an account, null for at once; undefined when a mail is already
 * scheduled.
 */
async function findMailSlot(tx: Tx, account_id: string, recovered_at: Date | null, now: Date) {
  const mails = await tx
    .selectFrom('customer.mail')
    .select((eb) => eb.fn.coalesce('send_after', 'created_at').as('sent_at'))
    .where('account_id', '=', account_id)
    .where('template', '=', 'recover')
    .where('created_at', '>', recovered_at ?? new Date(0))
    .orderBy('sent_at', 'desc')
    .limit(Math.max(...recoveryMails.map(([count]) => count)))
    .execute();
  if (mails[0] && mails[0].sent_at > now) return undefined;
  const free_at = recoveryMails.map(([count, window_ms]) => {
    return (mails[count - 1]?.sent_at.getTime() ?? 0) + window_ms;
  });
  const send_after = new Date(Math.max(...free_at));
  return { send_after: send_after > now ? send_after : null };
}

/** Selects the valid recovery requests of the account that a link names. */
function selectRequests(db: Db, { sub }: OneTimeTokenClaims, now: Date) {
  return db
    .selectFrom('customer.one_time_token as token')
    .innerJoin('customer.account as account', 'account.account_id', 'token.account_id')
    .where('user_ref', '=', sub)
    .where('purpose', '=', 'recover')
    .where('used_at', 'is', null)
    .where('cancelled_at', 'is', null)
    .where('expires_at', '>', now);
}

async function recoverAccount(
  tx: Tx,
  claims: OneTimeTokenClaims,
  password_hash: string,
  now: Date,
): Promise<OpenedAccount | undefined> {
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
  // All tokens of the account are revoked; the lock on the account prevents new tokens meanwhile.
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
