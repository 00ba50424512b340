import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import type { AppOptions } from '../app.ts';
import { createAllowance } from '../auth/rate-limit.ts';
import { createRef } from '../auth/token-secret.ts';
import { invalid } from '../http/errors.ts';
import { nameField } from '../http/field.ts';
import { accountAddressField, mailboxOf } from './mail-address.ts';
import { cancelOneTimeTokens, expiryOf, issueOneTimeToken } from './one-time-token.ts';
import { hashPassword, passwordField } from './password.ts';
import { languageField } from './profile.ts';

/** The body of a registration. @param freeMailDomains as `accountAddressField` takes them */
export function registrationWithout(freeMailDomains: readonly string[]) {
  return z
    .strictObject({
      email: accountAddressField(freeMailDomains),
      name: nameField,
      password: passwordField,
      password_confirmation: z.string(),
      language: languageField.default('en'),
    })
    .refine((body) => body.password === body.password_confirmation, {
      path: ['password_confirmation'],
      error: 'The password_confirmation field must match the password field.',
      // Also when other fields are wrong.
      when: ({ value }) => {
        const { password, password_confirmation } = Object(value) as Record<string, unknown>;
        return typeof password === 'string' && typeof password_confirmation === 'string';
      },
    });
}

type Registration = z.output<ReturnType<typeof registrationWithout>>;

const takenAddress = () => invalid([['email', 'The email has already been taken.']]);

const hour_ms = 3_600_000;

/**
 * Makes the registration of accounts, which mails the one-time token for the initialization.
 *
 * A mailbox gets at most 3 of these mails an hour and 10 a day. Beyond that the answer is the same, no
 * mail is sent, and the newest mailed token stays valid. The mail holds no text of the registration,
 * since a client can register the address of a stranger.
 *
 * Spec: silent on an address that is registered again. Before the initialization the account gets the
 * new name, password and language, and a new token replaces the old one. Afterwards: throws the 422.
 */
export function createRegistration({ db, now }: Pick<AppOptions, 'db' | 'now'>) {
  const limits = [
    { name: 'register-mail-hour', request_count: 3, window_ms: hour_ms },
    { name: 'register-mail-day', request_count: 10, window_ms: 24 * hour_ms },
  ].map((limit) => createAllowance({ db, now }, limit));

  async function allowMail(email: string): Promise<boolean> {
    const key = createHash('sha256').update(mailboxOf(email)).digest('hex');
    for (const allow of limits) if (!(await allow(key))) return false;
    return true;
  }

  return async ({ email, name, password, language }: Registration) => {
    const at = now();
    // Spares the hash; the insertion below decides.
    const taken = await db
      .selectFrom('customer.account')
      .select('account_id')
      .where(sql`lower(email)`, '=', email.toLowerCase())
      .where('initialized_at', 'is not', null)
      .executeTakeFirst();
    if (taken) throw takenAddress();
    const password_hash = await hashPassword(password);
    const profile = { email, name, password_hash, language };
    const isMailed = await allowMail(email);
    return db.transaction().execute(async (tx) => {
      const { account_id, user_ref } = await tx
        .insertInto('customer.account')
        .values({ user_ref: createRef(), ...profile, created_at: at })
        .onConflict((conflict) =>
          conflict
            .expression(sql`lower(email)`)
            .doUpdateSet(profile)
            .where('customer.account.initialized_at', 'is', null),
        )
        .returning(['account_id', 'user_ref'])
        .executeTakeFirstOrThrow(takenAddress);
      if (isMailed) {
        const token = { account_id, purpose: 'init', now: at } as const;
        await cancelOneTimeTokens(tx, token);
        await issueOneTimeToken(tx, token, { recipient: email });
      }
      return { user_ref, email, expires_at: expiryOf(at) };
    });
  };
}
