import * as fc from 'fast-check';
import type { DatabaseError } from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { insertAccount } from '../../fixtures/client/bare-account.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { HttpError } from '../http/errors.ts';
import { charge } from './charge.ts';
import { grant } from './ledger.ts';

const now = new Date('2026-05-01T10:00:00Z');

const database = await createTestDatabase();

interface Operation {
  account: number;
  kind: 'deposit' | 'start' | 'withdraw';
  amount: number;
  /** Operations with an equal key count as one operation. */
  key: number;
  isRolledBack: boolean;
}

const operation = fc.record<Operation>({
  account: fc.nat(2),
  kind: fc.constantFrom('deposit', 'start', 'withdraw', 'withdraw', 'withdraw'),
  amount: fc.integer({ min: 1, max: 30 }),
  key: fc.nat(200),
  isRolledBack: fc.boolean(),
});

class RolledBack extends Error {}

// Returns whether a failed operation lacked credits, repeated another operation, or was rolled back on purpose.
function isExpected(error: unknown): boolean {
  if (error instanceof RolledBack) return true;
  if (error instanceof HttpError) return error.status === 402;
  return (error as DatabaseError).constraint === 'wallet_transaction_operation_key';
}

async function run({ kind, amount, key, isRolledBack }: Operation, account_id: string) {
  const movement = {
    account_id,
    amount,
    description: kind,
    operation_key: `operation ${key}`,
    now,
  };
  try {
    await database.kysely.transaction().execute(async (tx) => {
      if (kind === 'withdraw') await charge(tx, movement);
      else await grant(tx, { ...movement, type: kind });
      if (isRolledBack) throw new RolledBack();
    });
  } catch (error) {
    if (!isExpected(error)) throw error;
    return { key, change: 0, purchased: 0 };
  }
  const change = kind === 'withdraw' ? -amount : amount;
  return { key, change, purchased: kind === 'deposit' ? amount : 0 };
}

/** Returns the wallet of an account, with the sums of the account's transactions. */
async function ledgerOf(account_id: string) {
  const { rows } = await database.pool.query<Record<string, number>>(
    `select
        coalesce(max(balance), 0)::int as balance,
        coalesce(max(total_purchased), 0)::int as total_purchased,
        coalesce(max(last_transaction_no), 0)::int as last_transaction_no,
        coalesce(sum(case when type = 'withdraw' then -amount else amount end), 0)::int as sum,
        coalesce(sum(amount) filter (where type = 'deposit'), 0)::int as deposits,
        count(transaction_no)::int as count,
        coalesce(max(transaction_no), 0)::int as highest_no,
        coalesce(min(balance_after), 0)::int as lowest_balance,
        count(*) filter (where balance_before <> previous_balance)::int as leaps
    from (
        select *, lag(balance_after, 1, 0::bigint) over (order by transaction_no) as previous_balance
        from customer.wallet_transaction
        where account_id = $1
    ) as transaction
    full join (select * from customer.wallet where account_id = $1) as wallet using (account_id)`,
    [account_id],
  );
  return rows[0]!;
}

test('the ledger adds up whatever is done to it at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 20, maxLength: 80 }), async (operations) => {
      const accounts = await Promise.all([0, 1, 2].map(() => insertAccount(database.pool)));
      const effects = await Promise.all(
        operations.map(async (one) => {
          const account_id = accounts[one.account]!;
          return { account_id, ...(await run(one, account_id)) };
        }),
      );
      for (const account_id of accounts) {
        const own = effects.filter((effect) => effect.account_id === account_id);
        const happened = own.filter(({ change }) => change !== 0);
        const balance = happened.reduce((sum, { change }) => sum + change, 0);
        const total_purchased = happened.reduce((sum, { purchased }) => sum + purchased, 0);
        const ledger = await ledgerOf(account_id);
        expect(ledger).toEqual({
          balance,
          sum: balance,
          total_purchased,
          deposits: total_purchased,
          last_transaction_no: happened.length,
          highest_no: happened.length,
          count: happened.length,
          leaps: 0,
          lowest_balance: ledger.lowest_balance,
        });
        expect(ledger.lowest_balance).toBeGreaterThanOrEqual(0);
        expect(new Set(happened.map(({ key }) => key)).size).toBe(happened.length);
      }
    }),
    { numRuns: 25 },
  );
});

describe('the tables of the ledger refuse', () => {
  let account_id: string;

  beforeEach(async () => {
    account_id = await insertAccount(database.pool);
    await database.kysely.transaction().execute(async (tx) => {
      const movement = { account_id, description: '', now };
      await grant(tx, { ...movement, type: 'deposit', amount: 10, operation_key: 'a' });
      await charge(tx, { ...movement, amount: 4, operation_key: 'b' });
    });
  });

  const columns =
    'account_id, transaction_no, type, amount, balance_before, balance_after, description, operation_key, created_at';
  const insert = (no: number, type: string, amount: number, before: number, after: number) =>
    `insert into customer.wallet_transaction (${columns})
    values ($1, ${no}, '${type}', ${amount}, ${before}, ${after}, '', 'c', now())`;

  test.each([
    [
      'a balance that no transaction explains',
      'wallet_has_balance_of_last_transaction',
      'update customer.wallet set balance = balance + 1 where account_id = $1',
    ],
    [
      'a balance below zero',
      'wallet_balance_not_negative',
      'update customer.wallet set balance = -1 where account_id = $1',
    ],
    [
      'to forget a wallet',
      'wallet_transaction_wallet_fkey',
      'delete from customer.wallet where account_id = $1',
    ],
    ['a gap', 'wallet_transaction_continues', insert(4, 'deposit', 5, 6, 11)],
    ['a number before the first', 'wallet_transaction_continues', insert(0, 'deposit', 5, 0, 5)],
    [
      'a transaction that does not continue the last',
      'wallet_transaction_continues',
      insert(3, 'deposit', 5, 7, 12),
    ],
    [
      'a transaction that does not add up',
      'wallet_transaction_balance_adds_up',
      insert(3, 'withdraw', 5, 6, 11),
    ],
    [
      'a transaction that ends below zero',
      'wallet_transaction_balance_not_negative',
      insert(3, 'withdraw', 7, 6, -1),
    ],
    ['an amount of nothing', 'wallet_transaction_amount_positive', insert(3, 'deposit', 0, 6, 6)],
    ['an unknown type', 'wallet_transaction_type_known', insert(3, 'gift', 5, 6, 11)],
  ])('%s', async (_name, constraint, statement) => {
    await expect(database.pool.query(statement, [account_id])).rejects.toMatchObject({
      constraint,
    });
    expect(await ledgerOf(account_id)).toMatchObject({ balance: 6, sum: 6, count: 2 });
  });

  test.each([
    ['credits without a transaction', 'wallet_begins_at_zero', '5, 0'],
    ['a transaction that is not there', 'wallet_has_balance_of_last_transaction', '5, 1'],
  ])('a new wallet with %s', async (_name, constraint, values) => {
    const other_id = await insertAccount(database.pool);
    const statement = `insert into customer.wallet (account_id, balance, last_transaction_no) values ($1, ${values})`;
    await expect(database.pool.query(statement, [other_id])).rejects.toMatchObject({ constraint });
  });

  test.each([
    "update customer.wallet_transaction set description = 'changed'",
    'delete from customer.wallet_transaction',
    'truncate customer.wallet_transaction cascade',
    'truncate customer.wallet cascade',
  ])('to rewrite history: %s', async (statement) => {
    await expect(database.pool.query(statement)).rejects.toThrow(
      'wallet_transaction is append-only',
    );
    expect(await ledgerOf(account_id)).toMatchObject({ balance: 6, sum: 6, count: 2 });
  });
});
