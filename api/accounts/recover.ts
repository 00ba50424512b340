import { setTimeout as delay } from 'node:timers/promises';
import { sql, type Kysely, type Transaction } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../../sql/tables/tables.ts';
import { createAllowance } from '../auth/rate-limit.ts';
import { type HttpError, invalid } from '../http/errors.ts';
import { issueMasterToken } from '../tokens/record.ts';
import type { OpenedAccount } from './init.ts';
import { leaveMail } from './mail.ts';
import {
  cancelOneTimeTokens,
  type Claim,
  expiryOf,
  issueOneTimeToken,
  readClaim,
  useOneTimeToken,
} from './one-time-token.ts';
import { hashPassword, verifyPassword } from './password.ts';

/** Longer than the writing of a mail takes: known and unknown addresses then look the same. */
const answer_ms = 400;

const hour_ms = 3_600_000;

/** Recovery mails that an account gets within an hour. */
const hourlyMails = 5;

/** Requests whose passwords are compared with the one of a confirmation: the newest. */
const comparedRequests = 20;

/** How often one client may confirm: in JSON or on the page, which share the count. */
export const confirmationLimit = {
  name: 'recover-confirm',
  request_count: 10,
  window_ms: hour_ms,
};

/** The body of a confirmation. */
export const confirmation = z.strictObject({
  token: z.string(),
  password: z.string(),
});

interface RecoveryOptions {
  db: Kysely<Tables>;
  now: () => Date;
  secretKey: string;
}

export interface Recovery {
  /** Asks for a recovery; gives when its link expires. */
  request(wish: { email: string; password: string }): Promise<Date>;
  /** Whether the token of a link can still be confirmed. */
  isOpen(token: string): Promise<boolean>;
  /** Ends a recovery with the new Master Token. */
  confirm(proof: z.output<typeof confirmation>): Promise<OpenedAccount>;
}

/**
 * Makes the two steps of a recovery.
 *
 * `request` mails a link to the address when an account has it. The answer does not say whether one
 * has: the hash is computed and the time is taken in both cases. An account gets 5 mails an hour.
 * Beyond that, requests count all the same and share one mail, which is sent when the hour allows it.
 *
 * `confirm` needs a mailed link of the account and the password of its request. Any valid link also
 * confirms a request without a mail of its own, so that requests of strangers cannot lock the owner
 * out. A reader of the mail alone cannot recover, nor can a mail scanner that follows the link. From
 * then on the new password holds, and all earlier tokens are revoked. Throws the 422 of the
 * specification.
 */
export function createRecovery({ db, now, secretKey }: RecoveryOptions): Recovery {
  const allowGuess = createAllowance(
    { db, now },
    { name: 'recover-guess', request_count: 10, window_ms: 24 * hour_ms },
  );

  return {
    async request({ email, password }) {
      const at = now();
      const password_hash = await hashPassword(password);
      // Begins after the hash, which may wait longer than that: what follows differs.
      const answered = delay(answer_ms);
      await db.transaction().execute((tx) => mailLink(tx, email, password_hash, at));
      await answered;
      return expiryOf(at);
    },

    async isOpen(token) {
      const claim = readClaim(secretKey, token, 'recover', now());
      if (!claim) return false;
      const [own] = await findRequests(db, claim, now());
      return own?.one_time_token_id === claim.one_time_token_id;
    },

    async confirm({ token, password }) {
      const at = now();
      const claim = readClaim(secretKey, token, 'recover', at);
      const [own, ...others] = claim ? await findRequests(db, claim, at) : [];
      // The reader of a mail may try a few passwords, and not a list of them.
      if (!claim || own?.one_time_token_id !== claim.one_time_token_id) throw failedConfirmation();
      if (!(await allowGuess(claim.one_time_token_id))) throw failedConfirmation();
      const password_hash = await findPassword(password, [own, ...others]);
      if (password_hash === undefined) throw failedConfirmation();
      return db.transaction().execute((tx) => recoverAccount(tx, claim, password_hash, at));
    },
  };
}

// Spec: silent on an account that was never initialized. It has nothing to recover, and can be
// registered again.
async function mailLink(
  tx: Transaction<Tables>,
  email: string,
  password_hash: string,
  now: Date,
): Promise<void> {
  const account = await tx
    .selectFrom('customer.account')
    .select(['account_id', 'email', 'name'])
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('initialized_at', 'is not', null)
    .forUpdate()
    .executeTakeFirst();
  if (!account) return;
  const token = { account_id: account.account_id, purpose: 'recover', password_hash, now } as const;
  const one_time_token_id = await issueOneTimeToken(tx, token);
  const send_after = await findMailSlot(tx, account.account_id, now);
  if (send_after === 'taken') return;
  await leaveMail(tx, {
    mail_key: `recover:${one_time_token_id}`,
    account,
    template: 'recover',
    data: { one_time_token_id, user_name: account.name },
    now,
    send_after,
  });
}

/**
 * When the next recovery mail of an account may be sent: null is at once, `taken` when a mail waits
 * for that moment already.
 */
async function findMailSlot(
  tx: Transaction<Tables>,
  account_id: string,
  now: Date,
): Promise<Date | null | 'taken'> {
  const mails = await tx
    .selectFrom('customer.mail')
    .select((eb) => eb.fn.coalesce('send_after', 'created_at').as('sent_at'))
    .where('account_id', '=', account_id)
    .where('template', '=', 'recover')
    .orderBy('sent_at', 'desc')
    .limit(hourlyMails)
    .execute();
  if (mails[0] && mails[0].sent_at > now) return 'taken';
  const oldest = mails[hourlyMails - 1];
  const free_at = new Date((oldest?.sent_at.getTime() ?? 0) + hour_ms);
  return free_at > now ? free_at : null;
}

interface RecoveryRequest {
  one_time_token_id: string;
  password_hash: string | null;
}

/** The valid requests that a link confirms: its own first, then the newest that were not mailed at once. */
function findRequests(db: Kysely<Tables>, claim: Claim, now: Date): Promise<RecoveryRequest[]> {
  return db
    .selectFrom('customer.one_time_token as token')
    .innerJoin('customer.account as account', 'account.account_id', 'token.account_id')
    .select(['one_time_token_id', 'token.password_hash'])
    .where('user_ref', '=', claim.user_ref)
    .where('purpose', '=', 'recover')
    .where('used_at', 'is', null)
    .where('cancelled_at', 'is', null)
    .where('expires_at', '>', now)
    .where((eb) => {
      const mailed = eb
        .selectFrom('customer.mail')
        .where('mail_key', '=', sql<string>`'recover:' || one_time_token_id`)
        .where('send_after', 'is', null);
      const isOwn = eb('one_time_token_id', '=', claim.one_time_token_id);
      return eb.or([isOwn, eb.not(eb.exists(mailed))]);
    })
    .orderBy((eb) => eb('one_time_token_id', '=', claim.one_time_token_id), 'desc')
    .orderBy('token.created_at', 'desc')
    .limit(comparedRequests)
    .execute();
}

/** The hash of the request that chose this password. */
async function findPassword(
  password: string,
  requests: readonly RecoveryRequest[],
): Promise<string | undefined> {
  for (const { password_hash } of requests) {
    if (password_hash && (await verifyPassword(password, password_hash))) return password_hash;
  }
  return undefined;
}

async function recoverAccount(
  tx: Transaction<Tables>,
  claim: Claim,
  password_hash: string,
  now: Date,
): Promise<OpenedAccount> {
  const account = await useOneTimeToken(tx, claim, now);
  if (!account) throw failedConfirmation();
  const { account_id, user_ref, email, name } = account;
  await cancelOneTimeTokens(tx, { account_id, purpose: 'recover', now });
  await tx
    .updateTable('customer.account')
    .set({ password_hash, recovered_at: now })
    .where('account_id', '=', account_id)
    .execute();
  await revokeTokens(tx, account_id, now);
  await leaveMail(tx, {
    mail_key: `recovered:${claim.one_time_token_id}`,
    account,
    template: 'recovered',
    data: { user_name: name, recovered_at: now.toISOString() },
    now,
  });
  const { plaintext, token_ref } = await issueMasterToken(tx, account_id, now);
  return { user_ref, email, master_token: plaintext, token_ref };
}

/**
 * Revokes all tokens of an account, whose row is locked, so that none is made meanwhile. Locks them
 * in the order of their keys, as the counting of uses does.
 */
async function revokeTokens(tx: Transaction<Tables>, account_id: string, now: Date): Promise<void> {
  await tx
    .selectFrom('customer.token')
    .select('token_id')
    .where('account_id', '=', account_id)
    .where('revoked_at', 'is', null)
    .orderBy('token_id')
    .forUpdate()
    .execute();
  await tx
    .updateTable('customer.token')
    .set({ revoked_at: now })
    .where('account_id', '=', account_id)
    .where('revoked_at', 'is', null)
    .execute();
}

function failedConfirmation(): HttpError {
  return invalid([['token', 'Recovery confirmation failed']]);
}
