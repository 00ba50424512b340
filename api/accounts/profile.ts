import { z } from 'zod';
import type { Db } from '../../sql/kysely.ts';
import type { AppOptions } from '../app.ts';
import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { formatTimestamp } from '../http/timestamp.ts';

/** The language of the mails to an account. */
export const languageField = z.enum(['pl', 'en']);

const text = z.string();

const account = z
  .strictObject({
    user_ref: text,
    email: text,
    name: text,
    language: languageField,
    created_at: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'Account', description: 'The account of the token.' });

const common = {
  path: '/account',
  tag: 'Accounts',
  answer: z.strictObject({ success: z.literal(true), data: account }),
  example: {
    success: true,
    data: {
      user_ref: 'K3V9QX0ZB7MD',
      email: 'anna@company.example',
      name: 'Anna Nowak',
      language: 'pl',
      created_at: '2026-05-01T10:00:00+00:00',
    },
  },
} as const;

async function viewAccount(db: Db, account_id: string) {
  const { created_at, ...profile } = await db
    .selectFrom('customer.account')
    .select(['user_ref', 'email', 'name', 'language', 'created_at'])
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow();
  return { success: true, data: { ...profile, created_at: formatTimestamp(created_at) } };
}

/** The account of a token, and the change of its language. */
export function profileEndpoints({ db }: AppOptions): Endpoint[] {
  const read = endpoint(
    { ...common, method: 'get', auth: 'token', summary: 'Read the account' },
    ({ caller }) => viewAccount(db, caller.account_id),
  );
  const change = endpoint(
    {
      ...common,
      method: 'patch',
      auth: 'master',
      summary: 'Change the language of mails',
      body: z.strictObject({ language: languageField }),
      bodyExample: { language: 'pl' },
    },
    async ({ body, caller }) => {
      await db
        .updateTable('customer.account')
        .set(body)
        .where('account_id', '=', caller.account_id)
        .execute();
      return viewAccount(db, caller.account_id);
    },
  );
  return [read, change];
}
