import { sql } from 'kysely';
import { z } from 'zod';
import { createRef } from '../auth/token-secret.ts';
import { text, time } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { limits } from '../figures/rate-limits.ts';
import type { Context } from '../http/context.ts';
import { coded, invalid, switchedOff } from '../http/errors.ts';
import { nameField } from '../http/text-fields.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { findInitialized } from './init.ts';
import { addressField, mailboxOf } from './mail-address.ts';
import {
  cancelOneTimeTokens,
  expiryOf,
  isMailAllowed,
  issueOneTimeToken,
} from './one-time-token.ts';
import { hashPassword, passwordField } from './password.ts';
import { findRefusedAddress } from './refused-domains.ts';

/** Checks a request's field `language`: the language of the mails that an account gets. */
export const languageField = z.enum(['pl', 'en']);

const registration = z
  .strictObject({
    email: addressField,
    name: nameField,
    password: passwordField,
    password_confirmation: text,
    language: languageField.default('en'),
  })
  .refine((body) => body.password === body.password_confirmation, {
    path: ['password_confirmation'],
    ...coded('conflict', 'must match the password field.'),
    // A password is compared with its confirmation even when other fields of the registration are wrong.
    when: ({ value }) => {
      const { password, password_confirmation } = Object(value) as Record<string, unknown>;
      return typeof password === 'string' && typeof password_confirmation === 'string';
    },
  });

const takenAddress = () => invalid([['email', 'The email has already been taken.', 'taken']]);

/**
 * Registers an account, and queues a mail with the one-time token that initializes the account. The mail quotes no text
 * of the request, since anyone can register the address of a stranger. Spec: silent on a second registration of an
 * address before the account is initialized; we replace name, password, language and one-time token.
 */
async function registerAccount(options: Context, body: z.output<typeof registration>) {
  const { email, name, password, language } = body;
  const at = options.now();
  // The address of an initialized account is refused before the slow hash; later the `insert` checks the address again.
  if (await findInitialized(options.db, email).executeTakeFirst()) throw takenAddress();
  const password_hash = await hashPassword(password);
  const profile = { email, name, password_hash, language };
  const isMailed = await isMailAllowed(options.limiter, 'init', mailboxOf(email));
  return options.db.transaction().execute(async (tx) => {
    // `createRef` of ../auth/token-secret.ts returns a `user_ref` of 12 random characters.
    const { account_id, user_ref } = await tx
      .insertInto('customer.account')
      .values({ user_ref: createRef(), ...profile, created_at: at })
      .onConflict((conflict) =>
        conflict
          .expression(sql`lower(email collate "C")`)
          // If limits forbid a new mail, the account stays unchanged, and the token of the last mail stays usable.
          .doUpdateSet(isMailed ? profile : { user_ref: sql`account.user_ref` })
          .where('customer.account.initialized_at', 'is', null),
      )
      .returning(['account_id', 'user_ref'])
      .executeTakeFirstOrThrow(takenAddress);
    if (isMailed) {
      const token = { account_id, purpose: 'init', now: at } as const;
      await cancelOneTimeTokens(tx, token);
      await issueOneTimeToken(tx, token, { recipient: email });
    }
    return { user_ref, email, expires_at: formatTimestamp(expiryOf(at)) };
  });
}

const message = 'The account is registered. A one-time token was sent to its e-mail address.';

export const register = endpoint(
  {
    method: 'post',
    path: '/auth/register',
    tag: 'Accounts',
    auth: 'none',
    summary: 'Register an account',
    limit: limits.register,
    body: registration,
    check: findRefusedAddress,
    status: 201,
    answer: z.strictObject({ user_ref: text, email: text, message: text, expires_at: time }),
    example: { message },
  },
  async ({ body, options }) => {
    if (!options.REGISTRATION_OPEN) throw switchedOff('Registration is');
    const { expires_at, ...account } = await registerAccount(options, body);
    return { ...account, message, expires_at };
  },
);
