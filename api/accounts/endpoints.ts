import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { answersSuccess, model, text, time } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { welcomeBonus } from '../figures/prices-and-bonus.ts';
import { limits } from '../figures/rate-limits.ts';
import { invalid } from '../http/errors.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { initializeAccount } from './init.ts';
import { addressField, bonusKeysOf } from './mail-address.ts';
import { passwordField, verifyPassword } from './password.ts';
import { confirmation, confirmRecovery, requestRecovery } from './recover.ts';
import { languageField, register } from './register.ts';

const common = { method: 'post', tag: 'Accounts', auth: 'none' } as const;

const storeToken = 'Store the Master Token now: it will not be shown again.';

const openedAccount = model('OpenedAccount', {
  user_ref: text,
  email: text,
  master_token: text,
  token_ref: text,
  message: text,
});

const opens = (message: string) => ({
  answer: openedAccount,
  example: { message },
});

const initialized = `The account is initialized. ${storeToken}`;
const unwelcome =
  'No welcome bonus was added: the mailbox has had one, or its domain has had all of the day.';

const init = endpoint(
  {
    ...common,
    ...opens(initialized),
    path: '/auth/init',
    summary: 'Exchange the one-time token for the Master Token',
    description: `The Master Token is shown this once. ${welcomeBonus.credits} credits are added to the wallet: once per mailbox, and ${welcomeBonus.mostOfDomain} times a day per domain.`,
    limit: limits.init,
    body: z.strictObject({ token: text }),
  },
  async ({ body, options }) => {
    const { account, isWelcome } = await initializeAccount(options, body.token);
    return { ...account, message: isWelcome ? initialized : `${initialized} ${unwelcome}` };
  },
);

const asked = 'If an account has this e-mail address, a recovery link was sent to it.';

const recover = endpoint(
  {
    ...common,
    path: '/auth/recover',
    summary: 'Ask for the recovery of an account',
    limit: limits.recover,
    body: z.strictObject({ email: addressField, password: passwordField }),
    answer: z.strictObject({ message: text, expires_at: time }),
    example: { message: asked },
  },
  async ({ body, options }) => {
    const expires_at = await requestRecovery(options, body);
    return { message: asked, expires_at: formatTimestamp(expires_at) };
  },
);

const recovered = `The account is recovered. ${storeToken}`;

const confirm = endpoint(
  {
    ...common,
    ...opens(recovered),
    path: '/auth/recover/confirm',
    summary: 'Confirm a recovery',
    limit: limits.confirmRecovery,
    body: confirmation,
  },
  async ({ body, options }) => {
    const opened = await confirmRecovery(options, body);
    if (!opened) throw invalid([['token', 'Recovery confirmation failed', 'invalid_token']]);
    return { ...opened, message: recovered };
  },
);

const account = model('Account', {
  user_ref: text,
  email: text,
  name: text,
  language: languageField,
  created_at: time,
});

const profile = {
  path: '/account',
  tag: 'Accounts',
  ...answersSuccess(account),
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

const endedMessage =
  'The account has ended. Its credits are forfeited; the ledger stays without your name and address as long as tax law wants.';

const end = endpoint(
  {
    method: 'delete',
    path: '/account',
    tag: 'Accounts',
    auth: 'master',
    limit: limits.endAccount,
    summary: 'End the account',
    body: z.strictObject({ password: z.string() }),
    answer: z.strictObject({
      success: z.literal(true),
      message: z.string(),
      forfeited_credits: z.int(),
    }),
    example: { message: endedMessage },
  },
  async ({ body, caller: { account_id }, options: { db, now, secretKey } }) => {
    const stored = await db
      .selectFrom('customer.account as account')
      .leftJoin('customer.wallet as wallet', 'wallet.account_id', 'account.account_id')
      .select(['email', 'password_hash', 'balance'])
      .where('account.account_id', '=', account_id)
      .executeTakeFirstOrThrow();
    if (!(await verifyPassword(body.password, stored.password_hash)))
      throw invalid([['password', 'The password is wrong.', 'wrong_password']]);
    const { ended } = bonusKeysOf(secretKey, stored.email);
    await sql`
        select customer.end_account(${account_id}, ${ended.mailbox}, ${ended.domain}, ${now()})
      `.execute(db);
    const forfeited_credits = Number(stored.balance ?? 0);
    return { success: true, message: endedMessage, forfeited_credits };
  },
);

/** The endpoints of accounts: registration, initialization, recovery, profile and end. */
export const accountEndpoints = [register, init, recover, confirm, readProfile, changeProfile, end];
