import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import { pageSize } from '../figures.ts';
import {
  lastPageOf,
  pageMetaFields,
  type Paging,
  pagingFields,
  skippedBy,
} from '../http/paging.ts';
import { selectWallet } from './ledger.ts';
import type { PaymentOptions } from './payment.ts';
import { topupEndpoints } from './topup.ts';

const wallet = z
  .strictObject({ balance: z.int(), total_purchased: z.int() })
  .meta({ id: 'Wallet', description: 'The prepaid credits of the account.' });

const success = z.literal('success');
const amount = z.string().regex(/^\d+\.00$/);

const transaction = z
  .strictObject({
    id: z.int(),
    type: z.enum(['deposit', 'start', 'withdraw']),
    amount,
    balance_after: amount,
    description: z.string(),
    created_at: z.iso.datetime({ precision: 6 }),
  })
  .meta({ id: 'Transaction', description: 'A movement of credits.' });

const otherPage = z.int().nullable();

// Spec: silent on the order; we give the newest first. The transactions of a wallet have numbers
// without gaps: the last number is their count, and a page is a range of numbers.
async function findTransactions(db: Db, account_id: string, paging: Paging) {
  const first = sql`wallet.last_transaction_no - ${skippedBy(paging)}::bigint`;
  const { rows } = await sql<{ total: number; transactions: object[] }>`
    select
        wallet.last_transaction_no::float8 as total,
        (
            select coalesce(json_agg(page order by page.id desc), '[]')
            from (
                select
                    transaction_no as id,
                    type,
                    amount || '.00' as amount,
                    balance_after || '.00' as balance_after,
                    description,
                    to_char(
                        created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'
                    ) as created_at
                from customer.wallet_transaction
                where
                    account_id = wallet.account_id
                    and transaction_no <= ${first}
                    and transaction_no > ${first} - ${paging.per_page}::bigint
            ) as page
        ) as transactions
    from customer.wallet
    where wallet.account_id = ${account_id}
  `.execute(db);
  return rows[0] ?? { total: 0, transactions: [] };
}

// Spec: silent on a page past the end; we return an empty page, whose previous page is the last page.
function viewPage({ page: current_page, per_page }: Paging, total: number) {
  const last_page = lastPageOf(total, per_page);
  return {
    current_page,
    last_page,
    per_page,
    total,
    next_page: current_page < last_page ? current_page + 1 : null,
    prev_page: current_page > 1 ? Math.min(current_page - 1, last_page) : null,
  };
}

const read = endpoint(
  {
    method: 'get',
    path: '/wallet',
    tag: 'Wallet',
    summary: 'Read the wallet',
    description:
      '`balance` is what can be spent; `total_purchased` counts the credits that were bought, without the welcome bonus.',
    auth: 'token',
    answer: z.strictObject({ status: success, data: wallet }),
    example: { status: 'success', data: { balance: 695, total_purchased: 500 } },
  },
  async ({ caller, options: { db } }) => {
    const found = await selectWallet(db, caller.account_id).executeTakeFirst();
    const { balance, total_purchased } = found ?? { balance: 0, total_purchased: 0 };
    const data = { balance: Number(balance), total_purchased: Number(total_purchased) };
    return { status: 'success', data };
  },
);

const list = endpoint(
  {
    method: 'get',
    path: '/wallet/transactions',
    tag: 'Wallet',
    summary: 'List the movements of credits',
    description:
      'The newest first. `amount` is positive in every type; `withdraw` is a charge for a request.',
    auth: 'token',
    query: z.strictObject(pagingFields),
    answer: z.strictObject({
      status: success,
      data: z.array(transaction),
      meta: z.strictObject({ ...pageMetaFields, next_page: otherPage, prev_page: otherPage }),
    }),
    example: {
      status: 'success',
      data: [
        {
          id: 1,
          type: 'start',
          amount: '200.00',
          balance_after: '200.00',
          description: 'Welcome bonus',
          created_at: '2026-05-01T10:00:00.123000Z',
        },
      ],
      meta: viewPage({ page: 1, per_page: pageSize }, 1),
    },
  },
  async ({ query, caller, options: { db } }) => {
    const found = await findTransactions(db, caller.account_id, query);
    const meta = viewPage(query, found.total);
    return { status: 'success', data: found.transactions, meta };
  },
);

/** The section Wallet of the specification. */
export function walletEndpoints(options: PaymentOptions): Endpoint[] {
  return [read, ...topupEndpoints(options), list];
}
