import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import type { OneTimeTokenClaims } from '../../sql/secrets/one-time-token.ts';
import { isAllowed } from '../auth/rate-limit.ts';
import { openAccount, type OpenedAccount, type SigningOptions } from './init.ts';
import {
  cancelOneTimeTokens,
  expiryOf,
  issueOneTimeToken,
  readClaims,
  useOneTimeToken,
} from './one-time-token.ts';
import { hashPassword, verifyPassword } from './password.ts';

/** Longer than the writing of a mail, so that known and unknown addresses look the same. */
const answer_ms = 400;

const hour_ms = 3_600_000;

/** Recovery mails to an account within an hour. */
const hourlyMails = 5;

/** A password of a confirmation is compared with so many requests, the newest. */
const comparedRequests = 20;

/** The limit of confirmations; JSON and the page share the count. */
export const confirmationLimit = { name: 'recover-confirm', request_count: 10, window_ms: hour_ms };

/** The limit of passwords that are tried with a link: a reader of the mail may try only a few. */
const guessLimit = { name: 'recover-guess', request_count: 10, window_ms: 24 * hour_ms };

export const confirmation = z.strictObject({ token: z.string(), password: z.string() });

/**
 * Makes the two steps of a recovery.
 *
 * `request` mails a link to the address when an account has it. The answer does not reveal that: it
 * takes the same time and the same hash in both cases. An account gets 5 mails an hour. Further
 * requests share one mail, which is sent when the hour allows it.
 *
 * `confirm` needs a mailed link of the account and the password of its request. Any valid link also
 * confirms a request without its own mail, so that strangers cannot lock the owner out by requests. The
 * link alone is not enough: a reader of the mail or a mail scanner cannot recover the account. The
 * recovery sets the new password and revokes all earlier tokens.
 */
export function createRecovery({ db, now, secretKey }: SigningOptions) {
  /** The requests that a link confirms, its own first; undefined when the link is not valid. */
  async function findOpen(token: string, at: Date) {
    const claims = readClaims(secretKey, token, 'recover', at);
    if (!claims) return undefined;
    const requests = await findRequests(db, claims, at);
    return requests[0]?.one_time_token_id === claims.jti ? { claims, requests } : undefined;
  }

  return {
    /** Asks for a recovery; returns when its link expires. */
    async request({ email, password }: { email: string; password: string }): Promise<Date> {
      const at = now();
      const password_hash = await hashPassword(password);
      // Starts after the hash, which may take longer in the queue.
      const answered = delay(answer_ms);
      await db.transaction().execute((tx) => mailLink(tx, email, password_hash, at));
      await answered;
      return expiryOf(at);
    },

    /** Whether the token of a link can still be confirmed. */
    async isOpen(token: string): Promise<boolean> {
      return (await findOpen(token, now())) !== undefined;
    },

    /** Ends a recovery with the new Master Token. Returns undefined for a wrong link or password. */
    async confirm({ token, password }: z.output<typeof confirmation>) {
      const at = now();
      const open = await findOpen(token, at);
      if (!open || !(await isAllowed({ db, now }, guessLimit, open.claims.jti))) return undefined;
      for (const { password_hash } of open.requests) {
        if (await verifyPassword(password, password_hash)) {
          return db
            .transaction()
            .execute((tx) => recoverAccount(tx, open.claims, password_hash, at));
        }
      }
      return undefined;
    },
  };
}

// Spec: silent on an account that was never initialized. It gets no mail, and can be registered again.
async function mailLink(tx: Tx, email: string, password_hash: string, now: Date): Promise<void> {
  const account = await tx
    .selectFrom('customer.account')
    .select(['account_id', 'email as recipient', 'name as user_name'])
    .where(sql`lower(email collate "C")`, '=', email.toLowerCase())
    .where('initialized_at', 'is not', null)
    .forUpdate()
    .executeTakeFirst();
  if (!account) return;
  const { account_id, ...reader } = account;
  const slot = await findMailSlot(tx, account_id, now);
  const mail = slot && { ...reader, ...slot };
  await issueOneTimeToken(tx, { account_id, purpose: 'recover', password_hash, now }, mail);
}

/** When the next recovery mail of an account is sent; undefined when one is scheduled already. */
async function findMailSlot(tx: Tx, account_id: string, now: Date) {
  const mails = await tx
    .selectFrom('customer.mail')
    .select((eb) => eb.fn.coalesce('send_after', 'created_at').as('sent_at'))
    .where('account_id', '=', account_id)
    .where('template', '=', 'recover')
    .orderBy('sent_at', 'desc')
    .limit(hourlyMails)
    .execute();
  if (mails[0] && mails[0].sent_at > now) return undefined;
  const oldest = mails[hourlyMails - 1];
  const free_at = new Date((oldest?.sent_at.getTime() ?? 0) + hour_ms);
  return { send_after: free_at > now ? free_at : null };
}

/** The valid requests that a link confirms: its own, then the newest without an immediate mail. */
async function findRequests(db: Db, { sub, jti }: OneTimeTokenClaims, now: Date) {
  const { rows } = await sql<{ one_time_token_id: string; password_hash: string }>`
    select one_time_token_id, token.password_hash
    from customer.one_time_token as token
    join customer.account using (account_id)
    where
        user_ref = ${sub}
        and purpose = 'recover'
        and used_at is null
        and cancelled_at is null
        and expires_at > ${now}
        and (
            one_time_token_id = ${jti}
            or not exists (
                select
                from customer.mail
                where mail_key = 'recover:' || one_time_token_id and send_after is null
            )
        )
    order by one_time_token_id = ${jti} desc, token.created_at desc
    limit ${comparedRequests}
  `.execute(db);
  return rows;
}

async function recoverAccount(
  tx: Tx,
  claims: OneTimeTokenClaims,
  password_hash: string,
  now: Date,
): Promise<OpenedAccount | undefined> {
  const account = await useOneTimeToken(tx, claims, now);
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
