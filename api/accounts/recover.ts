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

/** Longer than the writing of a mail, so that known and unknown addresses look the same. */
const answer_ms = 400;

export const confirmation = z.strictObject({ token: z.string(), password: z.string() });

/**
 * Makes the two steps of a recovery.
 *
 * `request` mails a link to the address when an account has it. The answer does not reveal that: it
 * takes the same time and the same hash in both cases. An account gets 5 mails an hour and 10 a day.
 * Further requests share one mail, which is sent when the limits allow it.
 *
 * `confirm` needs a mailed link of the account and the password of a request of the last 24 hours. Any
 * valid link confirms any request, so that strangers cannot lock the owner out, however many requests
 * they make. The link alone is not enough: a reader of the mail or a mail scanner cannot recover the
 * account. The recovery sets the new password and revokes all earlier tokens.
 */
export function createRecovery({ db, limiter, now, secretKey }: SigningOptions) {
  /** Requests of one address share a salt: one hash finds a password among any number of them. */
  function hashFor(email: string, password: string): Promise<string> {
    const salt = createHmac('sha256', secretKey).update(`recovery ${email.toLowerCase()}`).digest();
    return hashPassword(password, salt.subarray(0, saltBytes));
  }

  /** The claims of a link with the address of its account; undefined when the link is not valid. */
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
    /** Asks for a recovery; returns when its link expires. */
    async request({ email, password }: { email: string; password: string }): Promise<Date> {
      const at = now();
      const password_hash = await hashFor(email, password);
      // Starts after the hash, which may take longer in the queue.
      const answered = delay(answer_ms);
      await db.transaction().execute((tx) => mailLink(tx, email, password_hash, at));
      await answered;
      return expiryOf(at);
    },

    /** The account of a link that can still be confirmed. */
    async findAccount(token: string): Promise<{ language: Language } | undefined> {
      return findOpen(token, now());
    },

    /** Ends a recovery with the new Master Token. Returns undefined for a wrong link or password. */
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

// Spec: silent on an account that was never initialized. It gets no mail, and can be registered again.
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

/** When the next recovery mail of an account is sent; undefined when one is scheduled already. */
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

/** The valid requests of the account of a link. */
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
  // The lock on the account keeps new tokens out.
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
