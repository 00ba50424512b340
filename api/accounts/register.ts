import { createHash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { createAllowance } from '../auth/rate-limit.ts';
import { createRef } from '../auth/token-secret.ts';
import { invalid } from '../http/errors.ts';
import { leaveMail } from './mail.ts';
import { mailboxOf } from './mail-address.ts';
import { cancelOneTimeTokens, expiryOf, issueOneTimeToken } from './one-time-token.ts';
import { hashPassword } from './password.ts';

interface Registration {
  /** In its one spelling. */
  email: string;
  name: string;
  password: string;
  /** Of the mails to the account. */
  language: 'pl' | 'en';
}

interface Registered {
  user_ref: string;
  email: string;
  /** When a one-time token that is mailed now expires. */
  expires_at: Date;
}

interface RegisterOptions {
  db: Kysely<Tables>;
  now: () => Date;
}

const hour_ms = 3_600_000;

/**
 * Makes what registers accounts: each waits for its initialization, and its one-time token is mailed.
 *
 * A mailbox gets at most 3 of these mails an hour and 10 a day. Beyond that the answer stays the
 * same, no mail is sent, and the newest mailed token stays valid. The mail repeats nothing that the
 * registration says, since anybody can register the address of a stranger.
 *
 * Spec: silent on an address that is registered again. Until it is initialized it takes the new name,
 * password and language, gets a new token, and the old one ends; then it is taken: throws the 422.
 */
export function createRegistration({ db, now }: RegisterOptions) {
  const limits = [
    { name: 'register-mail-hour', request_count: 3, window_ms: hour_ms },
    { name: 'register-mail-day', request_count: 10, window_ms: 24 * hour_ms },
  ].map((limit) => createAllowance({ db, now }, limit));

  async function allowMail(email: string): Promise<boolean> {
    const key = createHash('sha256').update(mailboxOf(email)).digest('hex');
    for (const allow of limits) if (!(await allow(key))) return false;
    return true;
  }

  return async ({ email, name, password, language }: Registration): Promise<Registered> => {
    const at = now();
    // Spares the work of the hash; the statement that inserts decides.
    await requireUntaken(db, email);
    const password_hash = await hashPassword(password);
    const profile = { email, name, password_hash, language };
    const isMailed = await allowMail(email);
    return db.transaction().execute(async (tx) => {
      const account = await tx
        .insertInto('customer.account')
        .values({ user_ref: createRef(), ...profile, created_at: at })
        .onConflict((conflict) =>
          conflict
            .expression(sql`lower(email)`)
            .doUpdateSet(profile)
            .where('customer.account.initialized_at', 'is', null),
        )
        .returning(['account_id', 'user_ref', 'email'])
        .executeTakeFirst();
      if (!account) throw takenAddress();
      if (isMailed) {
        const token = { account_id: account.account_id, purpose: 'init', now: at } as const;
        await cancelOneTimeTokens(tx, token);
        const one_time_token_id = await issueOneTimeToken(tx, token);
        const mail_key = `init:${one_time_token_id}`;
        const data = { one_time_token_id };
        await leaveMail(tx, { mail_key, account, template: 'init', data, now: at });
      }
      return { user_ref: account.user_ref, email, expires_at: expiryOf(at) };
    });
  };
}

async function requireUntaken(db: Kysely<Tables>, email: string): Promise<void> {
  const taken = await db
    .selectFrom('customer.account')
    .select('account_id')
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('initialized_at', 'is not', null)
    .executeTakeFirst();
  if (taken) throw takenAddress();
}

function takenAddress() {
  return invalid([['email', 'The email has already been taken.']]);
}
