import { sql, type Kysely } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { invalid } from '../http/errors.ts';
import { cancelOneTimeTokens, expiryOf, mailOneTimeToken } from './one-time-token.ts';
import { hashPassword } from './password.ts';
import { createRef } from '../auth/token-secret.ts';

interface Registration {
  /** In its one spelling. */
  email: string;
  name: string;
  password: string;
}

interface Registered {
  user_ref: string;
  email: string;
  /** When the one-time token that was mailed expires. */
  expires_at: Date;
}

/**
 * Makes an account that waits for its initialization, and mails its one-time token.
 *
 * Spec: silent on an address that is registered again. Until it is initialized it takes the new name
 * and password, gets a fresh token, and the old one ends; then it is taken: throws the 422.
 */
export async function registerAccount(
  db: Kysely<Tables>,
  { email, name, password }: Registration,
  now: Date,
): Promise<Registered> {
  // Spares the work of the hash; the statement that inserts has the last word.
  await requireUntaken(db, email);
  const password_hash = await hashPassword(password);
  return db.transaction().execute(async (tx) => {
    const account = await tx
      .insertInto('customer.account')
      .values({ user_ref: createRef(), email, name, password_hash, created_at: now })
      .onConflict((conflict) =>
        conflict
          .expression(sql`lower(email)`)
          .doUpdateSet({ email, name, password_hash })
          .where('customer.account.initialized_at', 'is', null),
      )
      .returning(['account_id', 'user_ref', 'email', 'name'])
      .executeTakeFirst();
    if (!account) throw takenAddress();
    const { account_id, user_ref } = account;
    await cancelOneTimeTokens(tx, { account_id, purpose: 'init', now });
    await mailOneTimeToken(tx, { account, purpose: 'init', now });
    return { user_ref, email, expires_at: expiryOf(now) };
  });
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
