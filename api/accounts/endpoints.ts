import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import { createRef } from '../auth/token-secret.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import { limits, welcomeBonus } from '../figures.ts';
import { invalid, switchedOff } from '../http/errors.ts';
import { nameField } from '../http/field.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { endAccountEndpoint } from './end.ts';
import { initializeAccount, type SigningOptions } from './init.ts';
import { accountAddressField, addressField, mailboxOf } from './mail-address.ts';
import { cancelOneTimeTokens, expiryOf, issueOneTimeToken } from './one-time-token.ts';
import { hashPassword, passwordField } from './password.ts';
import { confirmation, createRecovery } from './recover.ts';

export interface AccountOptions extends SigningOptions {
  /** Default: it is open. */
  isRegistrationOpen?: boolean;
  /** Further domains whose addresses cannot be registered, as `normalizeDomain` gives them. */
  freeMailDomains?: string[];
}

// What the descriptions share.
const common = { method: 'post', tag: 'Accounts', auth: 'none' } as const;

const text = z.string();
const time = z.iso.datetime({ offset: true });

/** The language of the mails to an account. */
const languageField = z.enum(['pl', 'en']);

const openedAccount = z
  .strictObject({
    user_ref: text,
    email: text,
    master_token: text,
    token_ref: text,
    message: text,
  })
  .meta({ id: 'OpenedAccount', description: 'An account with its new Master Token.' });

const accountExample = { user_ref: 'K3V9QX0ZB7MD', email: 'anna@company.example' };
const passwordExample = 'correct horse battery';
const tokenExample = 'eyJhbGciOiJIUzI1NiJ9.….…';

const openedExample = {
  ...accountExample,
  master_token: 'sk_live_0gqDzWEXYFvCTXCpqHhLdPhGnkhw1xVVrYVPz37xEu64SnkOo',
  token_ref: 'T4H8WZ1NC6PS',
};

const waiting = {
  description: 'Too many requests are waiting.',
  example: { message: 'Service Unavailable' },
};

/** @param freeMailDomains as `accountAddressField` takes them */
function registrationWithout(freeMailDomains: readonly string[]) {
  return z
    .strictObject({
      email: accountAddressField(freeMailDomains),
      name: nameField,
      password: passwordField,
      password_confirmation: text,
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

const takenAddress = () => invalid([['email', 'The email has already been taken.']]);

/** Counts a mail for the initialization. Returns whether its mailbox may get it. */
async function allowMail({ limiter }: Context, email: string): Promise<boolean> {
  const key = hash('sha256', mailboxOf(email));
  const isInHour = await limiter.isAllowed(limits.registrationMailHour, key);
  return isInHour && limiter.isAllowed(limits.registrationMailDay, key);
}

type Registration = z.output<ReturnType<typeof registrationWithout>>;

/**
 * Registers an account, and mails the one-time token for its initialization.
 *
 * A mailbox gets at most 3 of these mails an hour and 10 a day. Beyond that the answer is the same, no
 * mail is sent, and the newest mailed token opens what it was mailed for. The mail holds no text of the
 * registration, since a client can register the address of a stranger.
 *
 * Spec: silent on an address that is registered again. Before the initialization the account gets, with
 * the mail, the new name, password and language, and a new token replaces the old one. Afterwards: throws
 * the 422.
 */
async function registerAccount(options: Context, registration: Registration) {
  const { email, name, password, language } = registration;
  const at = options.now();
  // Spares the hash; the insertion below decides.
  const taken = await options.db
    .selectFrom('customer.account')
    .select('account_id')
    .where(sql`lower(email collate "C")`, '=', email.toLowerCase())
    .where('initialized_at', 'is not', null)
    .executeTakeFirst();
  if (taken) throw takenAddress();
  const password_hash = await hashPassword(password);
  const profile = { email, name, password_hash, language };
  const isMailed = await allowMail(options, email);
  return options.db.transaction().execute(async (tx) => {
    const { account_id, user_ref } = await tx
      .insertInto('customer.account')
      .values({ user_ref: createRef(), ...profile, created_at: at })
      .onConflict((conflict) =>
        conflict
          .expression(sql`lower(email collate "C")`)
          // Without a mail nothing may change what the token that was mailed before opens.
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

function register(options: AccountOptions): Endpoint {
  const { isRegistrationOpen = true, freeMailDomains = [] } = options;
  const message = 'The account is registered. A one-time token was sent to its e-mail address.';
  const closed = switchedOff('Registration is');
  return endpoint(
    {
      ...common,
      path: '/auth/register',
      summary: 'Register an account',
      description:
        'Mails a one-time token, which `POST /auth/init` exchanges for the Master Token. An address that was registered but never initialized can be registered again: only the newest one-time token is valid. A mailbox gets at most 3 such mails an hour and 10 a day; the answer stays the same. `language` is that of all mails to the account.',
      limit: limits.register,
      body: registrationWithout(freeMailDomains),
      bodyExample: {
        email: accountExample.email,
        name: 'Anna Nowak',
        password: passwordExample,
        password_confirmation: passwordExample,
        language: 'pl',
      },
      status: 201,
      answer: z.strictObject({ user_ref: text, email: text, message: text, expires_at: time }),
      example: { ...accountExample, message, expires_at: '2026-05-02T10:00:00+00:00' },
      errors: {
        503: {
          description: 'Registration is switched off, or too many requests are waiting.',
          example: closed.body,
        },
      },
    },
    async ({ body }) => {
      if (!isRegistrationOpen) throw closed;
      const { expires_at, ...account } = await registerAccount(options, body);
      return { ...account, message, expires_at };
    },
  );
}

const initialized =
  'The account is initialized. Store the Master Token now: it will not be shown again.';
const unwelcome =
  'No welcome bonus was added: the mailbox has had one, or its domain has had all of the day.';

function init(options: SigningOptions): Endpoint {
  return endpoint(
    {
      ...common,
      path: '/auth/init',
      summary: 'Exchange the one-time token for the Master Token',
      description: `The Master Token is shown this once. ${welcomeBonus.credits} credits are added to the wallet: once per mailbox, and ${welcomeBonus.mostOfDomain} times a day per domain.`,
      limit: limits.init,
      body: z.strictObject({ token: text }),
      bodyExample: { token: tokenExample },
      answer: openedAccount,
      example: { ...openedExample, message: initialized },
    },
    async ({ body }) => {
      const { account, isWelcome } = await initializeAccount(options, body.token);
      return { ...account, message: isWelcome ? initialized : `${initialized} ${unwelcome}` };
    },
  );
}

const asked = 'If an account has this e-mail address, a recovery link was sent to it.';

function recover(options: SigningOptions): Endpoint {
  return endpoint(
    {
      ...common,
      path: '/auth/recover',
      summary: 'Ask for the recovery of an account',
      description:
        'Mails a link to the address if an account has it; the answer is the same if none does. `password` is the new password: it takes effect, and the tokens are revoked, only when the recovery is confirmed. An account gets at most 5 such mails an hour and 10 a day; any link that is still valid confirms any request of the last 24 hours.',
      limit: limits.recover,
      body: z.strictObject({ email: addressField, password: passwordField }),
      bodyExample: { email: accountExample.email, password: passwordExample },
      answer: z.strictObject({ message: text, expires_at: time }),
      example: { message: asked, expires_at: '2026-05-02T10:00:00+00:00' },
      errors: { 503: waiting },
    },
    async ({ body }) => {
      const expires_at = await createRecovery(options).request(body);
      return { message: asked, expires_at: formatTimestamp(expires_at) };
    },
  );
}

const recovered =
  'The account is recovered. Store the Master Token now: it will not be shown again.';

function confirm(options: SigningOptions): Endpoint {
  return endpoint(
    {
      ...common,
      path: '/auth/recover/confirm',
      summary: 'Confirm a recovery',
      description:
        'What the page of the mailed link does: `token` is what follows `#token=` in the link, `password` one that was chosen in a request of the last 24 hours. Every token of the account is revoked, the new Master Token is shown this once, and a mail confirms the recovery.',
      limit: limits.confirmRecovery,
      body: confirmation,
      bodyExample: { token: tokenExample, password: passwordExample },
      answer: openedAccount,
      example: { ...openedExample, message: recovered },
      errors: { 503: waiting },
    },
    async ({ body }) => {
      const opened = await createRecovery(options).confirm(body);
      if (!opened) throw invalid([['token', 'Recovery confirmation failed']]);
      return { ...opened, message: recovered };
    },
  );
}

const account = z
  .strictObject({
    user_ref: text,
    email: text,
    name: text,
    language: languageField,
    created_at: time,
  })
  .meta({ id: 'Account', description: 'The account of the token.' });

const profile = {
  path: '/account',
  tag: 'Accounts',
  answer: z.strictObject({ success: z.literal(true), data: account }),
  example: {
    success: true,
    data: {
      ...accountExample,
      name: 'Anna Nowak',
      language: 'pl',
      created_at: '2026-05-01T10:00:00+00:00',
    },
  },
} as const;

async function viewAccount(db: Db, account_id: string) {
  const { created_at, ...found } = await db
    .selectFrom('customer.account')
    .select(['user_ref', 'email', 'name', 'language', 'created_at'])
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow();
  return { success: true, data: { ...found, created_at: formatTimestamp(created_at) } };
}

const readProfile = endpoint(
  { ...profile, method: 'get', auth: 'token', summary: 'Read the account' },
  ({ caller, options: { db } }) => viewAccount(db, caller.account_id),
);

const changeProfile = endpoint(
  {
    ...profile,
    method: 'patch',
    auth: 'master',
    summary: 'Change the language of mails',
    body: z.strictObject({ language: languageField }),
    bodyExample: { language: 'pl' },
  },
  async ({ body, caller: { account_id }, options: { db } }) => {
    await db
      .updateTable('customer.account')
      .set(body)
      .where('account_id', '=', account_id)
      .execute();
    return viewAccount(db, account_id);
  },
);

/** Registration, initialization and recovery, which need no token, and the account itself. */
export function accountEndpoints(options: AccountOptions): Endpoint[] {
  return [
    register(options),
    init(options),
    recover(options),
    confirm(options),
    readProfile,
    changeProfile,
    endAccountEndpoint(options),
  ];
}
