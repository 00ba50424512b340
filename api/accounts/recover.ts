import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sql, type Kysely, type Transaction } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../../sql/tables/tables.ts';
import type { OpenedAccount } from './init.ts';
import { HttpError, invalid } from '../http/errors.ts';
import { createAllowance } from '../auth/rate-limit.ts';
import {
  cancelOneTimeTokens,
  expiryOf,
  mailOneTimeToken,
  readClaim,
  useOneTimeToken,
} from './one-time-token.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { issueMasterToken } from '../tokens/record.ts';

/** Longer than the writing of a mail takes: by it, known and unknown addresses look the same. */
const answer_ms = 400;

const hour_ms = 3_600_000;

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
  /** Ends a recovery with the new Master Token. */
  confirm(proof: z.output<typeof confirmation>): Promise<OpenedAccount>;
}

/**
 * Makes the two steps of a recovery.
 *
 * `request` mails a link to the address when an account has it, and tells nobody whether one does:
 * the hash is worked out, the mails are counted and the time is taken all the same. Throws the 429
 * after 5 requests within an hour for an address.
 *
 * `confirm` needs the token of that link and, once more, the password that was chosen: who only reads
 * the mail cannot recover, nor can a mail scanner that follows the link. From then on the new password
 * holds, and every token that there was is revoked. Throws the 422 of the specification.
 */
export function createRecovery({ db, now, secretKey }: RecoveryOptions): Recovery {
  const allowMail = createAllowance(
    { db, now },
    { name: 'recover-mail', request_count: 5, window_ms: hour_ms },
  );
  const allowGuess = createAllowance(
    { db, now },
    { name: 'recover-guess', request_count: 10, window_ms: 24 * hour_ms },
  );

  return {
    async request({ email, password }) {
      const at = now();
      const key = createHash('sha256').update(email.toLowerCase()).digest('hex');
      if (!(await allowMail(key))) throw tooManyMails();
      const password_hash = await hashPassword(password);
      // Begun after the hash, which may have had to wait longer than that: what follows differs.
      const answered = delay(answer_ms);
      await db.transaction().execute((tx) => mailLink(tx, email, password_hash, at));
      await answered;
      return expiryOf(at);
    },

    async confirm({ token, password }) {
      const at = now();
      const claim = readClaim(secretKey, token, 'recover', at);
      if (!claim) throw failedConfirmation();
      const row = await db
        .selectFrom('customer.one_time_token')
        .select('password_hash')
        .where('one_time_token_id', '=', claim.one_time_token_id)
        .where('used_at', 'is', null)
        .where('cancelled_at', 'is', null)
        .executeTakeFirst();
      // Whoever has the mail may try a few passwords, and not a list of them.
      if (!row?.password_hash || !(await allowGuess(claim.one_time_token_id))) {
        throw failedConfirmation();
      }
      if (!(await verifyPassword(password, row.password_hash))) throw failedConfirmation();
      return db.transaction().execute(async (tx) => {
        const account = await useOneTimeToken(tx, claim, at);
        if (!account?.password_hash) throw failedConfirmation();
        const { account_id, password_hash, user_ref, email } = account;
        await cancelOneTimeTokens(tx, { account_id, purpose: 'recover', now: at });
        await tx
          .updateTable('customer.account')
          .set({ password_hash })
          .where('account_id', '=', account_id)
          .execute();
        await revokeTokens(tx, account_id, at);
        const { plaintext, token_ref } = await issueMasterToken(tx, account_id, at);
        return { user_ref, email, master_token: plaintext, token_ref };
      });
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
    .executeTakeFirst();
  if (account) await mailOneTimeToken(tx, { account, purpose: 'recover', password_hash, now });
}

/**
 * Revokes every token of an account, whose row is locked, so that none is made meanwhile. Locked in
 * the order of their keys, as uses are counted.
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

function tooManyMails(): HttpError {
  return new HttpError(429, { message: 'Too Many Attempts.' }, { 'Retry-After': '3600' });
}

function failedConfirmation(): HttpError {
  return invalid([['token', 'Recovery confirmation failed']]);
}
