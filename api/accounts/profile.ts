import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { answersSuccess, model, text, time } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { languageField } from './register.ts';

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

export const readProfile = endpoint(
  { ...profile, method: 'get', auth: 'token', summary: 'Read the account' },
  ({ caller, options: { db } }) => viewAccount(db, caller.account_id),
);

export const changeProfile = endpoint(
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
