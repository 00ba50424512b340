import type { DatabaseError } from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { insertAccount } from '../../fixtures/client/bare-account.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { charge, grant } from './ledger.ts';

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

async function walletOf(): Promise<unknown> {
  const { rows } = await database.pool.query(
    'select balance, total_purchased, last_transaction_no from customer.wallet where account_id = $1',
    [account_id],
  );
  return rows[0];
}

async function transactionsOf(): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `select transaction_no as no, type, amount, balance_before as before, balance_after as after,
        description, operation_key, created_at
    from customer.wallet_transaction where account_id = $1 order by transaction_no`,
    [account_id],
  );
  return rows;
}

const given = { description: 'Given', created_at: now };
const taken = { description: 'Taken', created_at: now };

describe('grant', () => {
  test('makes the wallet and counts what was bought, but not the bonus', async () => {
    await give(200, 'start', 'welcome bonus');
    expect(await walletOf()).toEqual({
      balance: '200',
      total_purchased: '0',
      last_transaction_no: '1',
    });
    await give(500, 'deposit', 'payment 1');
    expect(await walletOf()).toEqual({
      balance: '700',
      total_purchased: '500',
      last_transaction_no: '2',
    });
    expect(await transactionsOf()).toEqual([
      {
        ...given,
        no: '1',
        type: 'start',
        amount: '200',
        before: '0',
        after: '200',
        operation_key: 'welcome bonus',
      },
      {
        ...given,
        no: '2',
        type: 'deposit',
        amount: '500',
        before: '200',
        after: '700',
        operation_key: 'payment 1',
      },
    ]);
  });

  test('happens once per operation, also when asked twenty times at once', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, () => give(200, 'start', 'welcome bonus')),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const constraints = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [(answer.reason as DatabaseError).constraint] : [],
    );
    expect(new Set(constraints)).toEqual(new Set(['wallet_transaction_operation_key']));
    expect(await walletOf()).toMatchObject({ balance: '200', last_transaction_no: '1' });
  });

  test('leaves nothing when the transaction of the caller fails', async () => {
    const failed = database.kysely.transaction().execute(async (tx) => {
      await grant(tx, {
        account_id,
        amount: 5,
        type: 'deposit',
        description: 'Given',
        operation_key: 'a',
        now,
      });
      throw new Error('the caller fails');
    });
    await expect(failed).rejects.toThrow('the caller fails');
    expect(await walletOf()).toBeUndefined();
  });
});

describe('charge', () => {
  test('withdraws down to the last credit', async () => {
    await give(6, 'deposit', 'a');
    expect(await take(5, 'b')).toBe(1);
    expect(await take(1, 'c')).toBe(0);
    expect(await walletOf()).toEqual({
      balance: '0',
      total_purchased: '6',
      last_transaction_no: '3',
    });
    expect((await transactionsOf()).slice(1)).toEqual([
      {
        ...taken,
        no: '2',
        type: 'withdraw',
        amount: '5',
        before: '6',
        after: '1',
        operation_key: 'b',
      },
      {
        ...taken,
        no: '3',
        type: 'withdraw',
        amount: '1',
        before: '1',
        after: '0',
        operation_key: 'c',
      },
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
    expect(await walletOf()).toMatchObject({ balance: '4', last_transaction_no: '1' });
    expect(await transactionsOf()).toHaveLength(1);
  });

  test('402 without a wallet', async () => {
    await expect(take(1, 'b')).rejects.toMatchObject({
      status: 402,
      body: {
        message: 'This costs 1 credit, and the wallet has 0.',
        code: 'INSUFFICIENT_CREDITS',
        required: 1,
        balance: 0,
      },
    });
    expect(await walletOf()).toBeUndefined();
  });

  test('waits for what else moves the credits', async () => {
    await give(5, 'deposit', 'a');
    const others = await database.kysely.transaction().execute(async (tx) => {
      await charge(tx, { account_id, amount: 5, description: 'Taken', operation_key: 'b', now });
      // It cannot end before this transaction, whose outcome decides.
      return { second: take(5, 'c').catch((error: unknown) => error) };
    });
    expect(await others.second).toMatchObject({ status: 402, body: { balance: 0 } });
  });

  test('lets as many of fifty at once pass as the credits last for', async () => {
    await give(37, 'deposit', 'a');
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, (_, at) => take(5, `request ${at}`)),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
    expect(await walletOf()).toMatchObject({ balance: '2', last_transaction_no: '8' });
  });
});
