import { z } from 'zod';
import { initializeAccount } from './init.ts';
import { confirmation, confirmationLimit, createRecovery, type Recovery } from './recover.ts';
import { createRegistration, registrationWithout } from './register.ts';
import type { AppOptions } from '../app.ts';
import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { HttpError, invalid } from '../http/errors.ts';
import { addressField } from './mail-address.ts';
import { passwordField } from './password.ts';
import { profileEndpoints } from './profile.ts';
import { formatTimestamp } from '../http/timestamp.ts';

const [minute_ms, hour_ms] = [60_000, 3_600_000];

// What the descriptions share.
const common = { method: 'post', tag: 'Accounts', auth: 'none' } as const;

const text = z.string();
const time = z.iso.datetime({ offset: true });

const openedAccount = z
  .strictObject({
    user_ref: text,
    email: text,
    master_token: text,
    token_ref: text,
    message: text,
  })
  .meta({ id: 'OpenedAccount', description: 'An account with its new Master Token.' });

const [user_ref, email] = ['K3V9QX0ZB7MD', 'anna@company.example'];
const [password, oneTimeToken] = ['correct horse battery', 'eyJhbGciOiJIUzI1NiJ9.….…'];

const openedExample = {
  user_ref,
  email,
  master_token: 'sk_live_0gqDzWEXYFvCTXCpqHhLdPhGnkhw1xVVrYVPz37xEu64SnkOo',
  token_ref: 'T4H8WZ1NC6PS',
};

const waiting = {
  description: 'Too many requests are waiting.',
  example: { message: 'Service Unavailable' },
};

function register(options: AppOptions): Endpoint {
  const { isRegistrationOpen = true, freeMailDomains = [] } = options;
  const registerAccount = createRegistration(options);
  const message = 'The account is registered. A one-time token was sent to its e-mail address.';
  const closed = { message: 'Registration is currently switched off.' };
  return endpoint(
    {
      ...common,
      path: '/auth/register',
      summary: 'Register an account',
      description:
        'Mails a one-time token, which `POST /auth/init` exchanges for the Master Token. An address that was registered but never initialized can be registered again: only the newest one-time token is valid. A mailbox gets at most 3 such mails an hour and 10 a day; the answer stays the same. `language` is that of all mails to the account.',
      limit: { name: 'register', request_count: 10, window_ms: hour_ms },
      body: registrationWithout(freeMailDomains),
      bodyExample: {
        email,
        name: 'Anna Nowak',
        password,
        password_confirmation: password,
        language: 'pl',
      },
      status: 201,
      answer: z.strictObject({ user_ref: text, email: text, message: text, expires_at: time }),
      example: { user_ref, email, message, expires_at: '2026-05-02T10:00:00+00:00' },
      errors: {
        503: {
          description: 'Registration is switched off, or too many requests are waiting.',
          example: closed,
        },
      },
    },
    async ({ body }) => {
      if (!isRegistrationOpen) throw new HttpError(503, closed);
      const { expires_at, ...account } = await registerAccount(body);
      return { ...account, message, expires_at: formatTimestamp(expires_at) };
    },
  );
}

function init(options: AppOptions): Endpoint {
  const message =
    'The account is initialized. Store the Master Token now: it will not be shown again.';
  const unwelcome =
    'No welcome bonus was added: the mailbox has had one, or its domain has had all of the day.';
  return endpoint(
    {
      ...common,
      path: '/auth/init',
      summary: 'Exchange the one-time token for the Master Token',
      description:
        'The Master Token is shown this once. 200 credits are added to the wallet: once per mailbox, and 20 times a day per domain.',
      limit: { name: 'init', request_count: 5, window_ms: minute_ms },
      body: z.strictObject({ token: z.string() }),
      bodyExample: { token: oneTimeToken },
      answer: openedAccount,
      example: { ...openedExample, message },
    },
    async ({ body }) => {
      const { account, isWelcome } = await initializeAccount(options, body.token);
      return { ...account, message: isWelcome ? message : `${message} ${unwelcome}` };
    },
  );
}

function recover(recovery: Recovery): Endpoint {
  const message = 'If an account has this e-mail address, a recovery link was sent to it.';
  return endpoint(
    {
      ...common,
      path: '/auth/recover',
      summary: 'Ask for the recovery of an account',
      description:
        'Mails a link to the address if an account has it; the answer is the same if none does. `password` is the new password: it takes effect, and the tokens are revoked, only when the recovery is confirmed. An account gets at most 5 such mails an hour; beyond that, a link that is still valid confirms the request.',
      limit: { name: 'recover', request_count: 10, window_ms: hour_ms },
      body: z.strictObject({ email: addressField, password: passwordField }),
      bodyExample: { email, password },
      answer: z.strictObject({ message: text, expires_at: time }),
      example: { message, expires_at: '2026-05-02T10:00:00+00:00' },
      errors: { 503: waiting },
    },
    async ({ body }) => {
      const expires_at = await recovery.request(body);
      return { message, expires_at: formatTimestamp(expires_at) };
    },
  );
}

function confirm(recovery: Recovery): Endpoint {
  const message =
    'The account is recovered. Store the Master Token now: it will not be shown again.';
  return endpoint(
    {
      ...common,
      path: '/auth/recover/confirm',
      summary: 'Confirm a recovery',
      description:
        'What the page of the mailed link does: `token` is the one in the link, `password` the one that was chosen in the request. Every token of the account is revoked, the new Master Token is shown this once, and a mail confirms the recovery.',
      limit: confirmationLimit,
      body: confirmation,
      bodyExample: { token: oneTimeToken, password },
      answer: openedAccount,
      example: { ...openedExample, message },
      errors: { 503: waiting },
    },
    async ({ body }) => {
      const opened = await recovery.confirm(body);
      if (!opened) throw invalid([['token', 'Recovery confirmation failed']]);
      return { ...opened, message };
    },
  );
}

/** Registration, initialization and recovery, which need no token, and the account itself. */
export function accountEndpoints(options: AppOptions): Endpoint[] {
  const recovery = createRecovery(options);
  return [
    register(options),
    init(options),
    recover(recovery),
    confirm(recovery),
    ...profileEndpoints(options),
  ];
}
