import { sql } from 'kysely';
import { z } from 'zod';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import { limits } from '../figures.ts';
import { invalid } from '../http/errors.ts';
import type { SigningOptions } from './init.ts';
import { bonusKeysOf } from './mail-address.ts';
import { verifyPassword } from './password.ts';

const message =
  'The account has ended. Its credits are forfeited; the ledger stays without your name and address as long as tax law wants.';

export function endAccountEndpoint(options: SigningOptions): Endpoint {
  const { db, now, secretKey } = options;
  return endpoint(
    {
      method: 'delete',
      path: '/account',
      tag: 'Accounts',
      auth: 'master',
      limit: limits.endAccount,
      summary: 'End the account',
      description:
        'Deletes the name, the address, the tokens, the watch list with its feed, and the mails of the account, at once and for good. All its tokens get 401 from then on, and the remaining credits are forfeited. The ledger stays without a person for the period of tax law. The address can be registered again, without a second welcome bonus.',
      body: z.strictObject({ password: z.string() }),
      bodyExample: { password: 'correct horse battery' },
      answer: z.strictObject({
        success: z.literal(true),
        message: z.string(),
        forfeited_credits: z.int().meta({ description: 'The remaining balance.' }),
      }),
      example: { success: true, message, forfeited_credits: 120 },
    },
    async ({ body, caller: { account_id } }) => {
      const account = await db
        .selectFrom('customer.account as account')
        .leftJoin('customer.wallet as wallet', 'wallet.account_id', 'account.account_id')
        .select(['email', 'password_hash', 'balance'])
        .where('account.account_id', '=', account_id)
        .executeTakeFirstOrThrow();
      if (!(await verifyPassword(body.password, account.password_hash)))
        throw invalid([['password', 'The password is wrong.']]);
      const { ended } = bonusKeysOf(secretKey, account.email);
      await sql`
        select customer.end_account(${account_id}, ${ended.mailbox}, ${ended.domain}, ${now()})
      `.execute(db);
      return { success: true, message, forfeited_credits: Number(account.balance ?? 0) };
    },
  );
}
