import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import type { Language } from '../../sql/words/message.ts';
import type { OneTimeTokenClaims } from '../../sql/secrets/signed-token.ts';
import { limits, mailLimits } from '../figures/rate-limits.ts';
import type { Context } from '../http/context.ts';
import { findInitialized, openAccount } from './init.ts';
import {
  cancelOneTimeTokens,
  expiryOf,
  issueOneTimeToken,
  readClaims,
  useOneTimeToken,
} from './one-time-token.ts';
import { hashPassword, saltBytes } from './password.ts';

/** The least time from hash to answer, in ms, so that known and unknown addresses look alike. */
const answer_ms = 400;

/** Returns whether the limits of recovery mails allow another mail, by the mails since the last recovery. */
async function isRecoveryMailAllowed(tx: Tx, account_id: string, since: Date | null, at: Date) {
  const { hour, day } = mailLimits.recover;
  const mails = await tx
    .selectFrom('customer.mail')
    .select('created_at')
    .where('account_id', '=', account_id)
    .where('template', '=', 'recover')
    .where('created_at', '>', new Date(Math.max(at.getTime() - day.window_ms, Number(since))))
    .execute();
  const inHour = mails.filter(({ created_at }) => +created_at > at.getTime() - hour.window_ms);
  return mails.length < day.request_count && inHour.length < hour.request_count;
}

/** Records a request for recovery, and mails its link as far as the limits of mails allow. */
async function mailLink(tx: Tx, email: string, password_hash: string, at: Date): Promise<void> {
  // The lock waits for the end of the account, and makes the count of its mails exact.
  const account = await findInitialized(tx, email).forUpdate().executeTakeFirst();
  if (!account) return;
  const { account_id, recovered_at, ...reader } = account;
  const isMailed = await isRecoveryMailAllowed(tx, account_id, recovered_at, at);
  const asked = { account_id, purpose: 'recover', password_hash, now: at } as const;
  await issueOneTimeToken(tx, asked, isMailed ? reader : undefined);
}

export const confirmation = z.strictObject({ token: z.string(), password: z.string() });

/**
 * Returns the functions for the two steps of an account recovery. `request` mails a link; `confirm` needs any mailed
 * link and the password of any request of the last 24 hours. `api/decisions.md` has the reasons.
 */
export function createRecovery({ db, limiter, now, secretKey }: Context) {
  /** Hashes a new password, with one salt per address, so that one hash finds the matching request. */
  function hashFor(email: string, password: string): Promise<string> {
    const salt = createHmac('sha256', secretKey).update(`recovery ${email.toLowerCase()}`).digest();
    return hashPassword(password, salt.subarray(0, saltBytes));
  }

  /** Returns the claims of a recovery link with its account; undefined for an invalid link. */
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
      const mailed = db.transaction().execute((tx) => mailLink(tx, email, password_hash, at));
      await Promise.all([delay(answer_ms), mailed]);
      return expiryOf(at);
    },

    /** Returns the language of the account of a recovery link; undefined for an invalid link. */
    async findLanguage(token: string): Promise<Language | undefined> {
      return (await findOpen(token, now()))?.language;
    },

    /** Returns the recovered account; undefined for a wrong link or password, and after too many attempts. */
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
