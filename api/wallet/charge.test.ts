import { beforeEach, describe, expect, test } from 'vitest';
import { insertAccount } from '../../fixtures/client/bare-account.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { charge } from './charge.ts';
import { grant } from './ledger.ts';

const now = new Date('2026-05-01T10:00:00Z');

const database = await createTestDatabase();
let account_id: string;

beforeEach(async () => {
  account_id = await insertAccount(database.pool);
});

function give(amount: number, type: 'deposit' | 'start', operation_key: string) {
  return database.kysely
    .transaction()
    .execute((tx) =>
      grant(tx, { account_id, amount, type, description: 'Given', operation_key, now }),
    );
}

function take(amount: number, operation_key: string) {
  return database.kysely
    .transaction()
    .execute((tx) => charge(tx, { account_id, amount, description: 'Taken', operation_key, now }));
}

/** Returns balance, total_purchased and last_transaction_no of the wallet; undefined if the account has no wallet. */
async function walletOf() {
  const { rows } = await database.pool.query<{ wallet: number[] }>(
    `select array[balance, total_purchased, last_transaction_no]::int[] as wallet
    from customer.wallet where account_id = $1`,
    [account_id],
  );
  return rows[0]?.wallet;
}

/** Returns the values of each transaction of the account, in the order of the transactions. */
async function transactionsOf(): Promise<unknown[]> {
  const { rows } = await database.pool.query<object>(
    `select transaction_no::int, type, amount::int, balance_before::int, balance_after::int,
        description, operation_key, created_at
    from customer.wallet_transaction where account_id = $1 order by transaction_no`,
    [account_id],
  );
  return rows.map((row) => Object.values(row));
}

test('grant makes the wallet and counts what was bought, but not the bonus', async () => {
  await give(200, 'start', 'welcome bonus');
  expect(await walletOf()).toEqual([200, 0, 1]);
  await give(500, 'deposit', 'payment 1');
  expect(await walletOf()).toEqual([700, 500, 2]);
  expect(await transactionsOf()).toEqual([
    [1, 'start', 200, 0, 200, 'Given', 'welcome bonus', now],
    [2, 'deposit', 500, 200, 700, 'Given', 'payment 1', now],
  ]);
});

describe('charge', () => {
  test('withdraws down to the last credit', async () => {
    await give(6, 'deposit', 'a');
    expect(await take(5, 'b')).toBe(1);
    expect(await take(1, 'c')).toBe(0);
    expect(await walletOf()).toEqual([0, 6, 3]);
    expect((await transactionsOf()).slice(1)).toEqual([
      [2, 'withdraw', 5, 6, 1, 'Taken', 'b', now],
      [3, 'withdraw', 1, 1, 0, 'Taken', 'c', now],
    ]);
  });

  test('402 when the credits are short, and withdraws nothing', async () => {
    await give(4, 'deposit', 'a');
    await expect(take(5, 'b')).rejects.toMatchObject({
      status: 402,
      body: {
        message: 'This costs 5 credits, and the wallet has 4.',
        code: 'INSUFFICIENT_CREDITS',
        required: 5,
        balance: 4,
      },
    });
    expect(await walletOf()).toEqual([4, 4, 1]);
    expect(await transactionsOf()).toHaveLength(1);
  });

  test('402 without a wallet', async () => {
    const body = { message: 'This costs 1 credit, and the wallet has 0.', balance: 0 };
    await expect(take(1, 'b')).rejects.toMatchObject({ status: 402, body });
    expect(await walletOf()).toBeUndefined();
  });

  test('waits for what else moves the credits', async () => {
    await give(5, 'deposit', 'a');
    const others = await database.kysely.transaction().execute(async (tx) => {
      await charge(tx, { account_id, amount: 5, description: 'Taken', operation_key: 'b', now });
      // The second charge waits until this transaction ends, because the balance for the second charge depends on the
      // first charge.
      return { second: take(5, 'c').catch((error: unknown) => error) };
    });
    expect(await others.second).toMatchObject({ status: 402, body: { balance: 0 } });
  });
});
