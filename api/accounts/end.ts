import { sql } from 'kysely';
import { z } from 'zod';
import { endpoint } from '../endpoint/endpoint.ts';
import { limits } from '../figures/rate-limits.ts';
import { invalid } from '../http/errors.ts';
import { verifyPassword } from './password.ts';
import { bonusKeysOf } from './welcome-bonus.ts';

const endedMessage =
  'The account has ended. Its credits are forfeited; the ledger stays without your name and address as long as tax law wants.';

export const end = endpoint(
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
