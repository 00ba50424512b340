import { z } from 'zod';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { answersStatus, model, preciseTime, text } from '../endpoint/answers.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import {
  otherPagesFields,
  pageMetaFields,
  pagingFields,
  skippedBy,
  viewOtherPages,
  viewPageMeta,
} from '../http/page-numbers.ts';
import { readWallet } from './ledger.ts';
import type { PaymentOptions } from './payment.ts';
import { topupEndpoints } from './topup.ts';

const common = { method: 'get', tag: 'Wallet', auth: 'token' } as const;

const wallet = model('Wallet', { balance: z.int(), total_purchased: z.int() });

// `sql/api/read_transactions.sql` writes the decimals of an amount.
const amount = z.string().regex(/^\d+\.00$/);

const transaction = model('Transaction', {
  id: z.int(),
  type: z.enum(['deposit', 'start', 'withdraw']),
  amount,
  balance_after: amount,
  description: text,
  created_at: preciseTime,
});

const read = endpoint(
  {
    ...common,
    path: '/wallet',
    summary: 'Read the wallet',
    ...answersStatus(wallet),
  },
  async ({ caller, options: { db } }) => {
    return { status: 'success', data: await readWallet(db, caller.account_id) };
  },
);

const list = endpoint(
  {
    ...common,
    path: '/wallet/transactions',
    summary: 'List the movements of credits',
    query: z.strictObject(pagingFields),
    ...answersStatus(
      z.array(transaction),
      z.strictObject({ ...pageMetaFields, ...otherPagesFields }),
    ),
  },
  // Spec: silent on the order of transactions; we list the newest first.
  async ({ query, caller: { account_id }, options: { db } }) => {
    type Page = { total: number; transactions: object[] };
    const values = [account_id, skippedBy(query), query.per_page];
    const [page] = await runPrepared<Page>(db, 'api/read_transactions.sql', values);
    const { total, transactions } = page ?? { total: 0, transactions: [] };
    const meta = viewPageMeta(query, total);
    return { status: 'success', data: transactions, meta: { ...meta, ...viewOtherPages(meta) } };
  },
);

/** Returns the endpoints of the wallet: balance, credit packages, top-up and transactions. */
export function walletEndpoints(options: PaymentOptions): Endpoint[] {
  return [read, ...topupEndpoints(options), list];
}
