import { describe, expect, test } from 'vitest';
import { createBuyer } from '../../fixtures/client/buyer.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { charge } from './charge.ts';
import { grant } from './ledger.ts';

const start = Date.parse('2026-05-01T10:00:00.123Z');

const { database, api } = await useApi({ now: () => new Date(start) });
const newcomer = await createBuyer(database, api);
// The customer has the bonus, a deposit of 500 and forty withdrawals of 5 credits: 42 transactions on three pages.
const customer = await createBuyer(database, api);
const { account_id } = customer;
await database.kysely.transaction().execute(async (tx) => {
  const deposit = { type: 'deposit', amount: 500, operation_key: 'payment' } as const;
  const description = 'Top-up: Starter';
  await grant(tx, { account_id, ...deposit, description, now: new Date(start) });
  for (let no = 1; no <= 40; no += 1) {
    const now = new Date(start + no * 1000);
    const operation_key = `request ${no}`;
    await charge(tx, { account_id, amount: 5, description: `Snapshot ${no}`, operation_key, now });
  }
});

function withdrawal(no: number) {
  return {
    // The bonus and the top-up have the transaction numbers 1 and 2.
    id: no + 2,
    type: 'withdraw',
    amount: '5.00',
    balance_after: `${700 - 5 * no}.00`,
    description: `Snapshot ${no}`,
    created_at: new Date(start + no * 1000).toISOString().replace('123Z', '123000Z'),
  };
}

function withdrawals(from: number, to: number) {
  return Array.from({ length: from - to + 1 }, (_, at) => withdrawal(from - at));
}

test('GET /api/v1/wallet counts what was bought without the bonus', async () => {
  for (const [buyer, balance, total_purchased] of [
    [newcomer, 200, 0],
    [customer, 500, 500],
  ] as const) {
    expect(await buyer.ask('/wallet')).toEqual({
      status: 200,
      body: { status: 'success', data: { balance, total_purchased } },
    });
  }
});

const meta = { last_page: 3, per_page: 20, total: 42 };
const deposit = {
  id: 2,
  type: 'deposit',
  amount: '500.00',
  balance_after: '700.00',
  description: 'Top-up: Starter',
  created_at: '2026-05-01T10:00:00.123000Z',
};
const bonus = {
  id: 1,
  type: 'start',
  amount: '200.00',
  balance_after: '200.00',
  description: 'Welcome bonus',
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000Z$/),
};

describe('GET /api/v1/wallet/transactions', () => {
  test.each([
    [1, withdrawals(40, 21), 2, null],
    [2, withdrawals(20, 1), 3, 1],
    [3, [deposit, bonus], null, 2],
    [4, [], null, 3],
    [1_000_000_000_000, [], null, 3],
  ])('200 gives the newest first: page %d', async (current_page, data, next_page, prev_page) => {
    expect(await customer.ask(`/wallet/transactions?page=${current_page}`)).toEqual({
      status: 200,
      body: { status: 'success', data, meta: { ...meta, current_page, next_page, prev_page } },
    });
  });

  test('200 has as many a page as are asked for, each numbered as on the whole list', async () => {
    const whole = await customer.ask('/wallet/transactions?per_page=100');
    const { data } = whole.body as { data: { id: number }[] };
    expect(data.map(({ id }) => id)).toEqual(Array.from({ length: 42 }, (_, at) => 42 - at));
    expect(await customer.ask('/wallet/transactions?per_page=5&page=3')).toMatchObject({
      body: {
        data: data.slice(10, 15),
        meta: { per_page: 5, current_page: 3, last_page: 9, total: 42, next_page: 4, prev_page: 2 },
      },
    });
  });

  test('200 shows only what is one’s own', async () => {
    expect(await newcomer.ask('/wallet/transactions')).toMatchObject({
      body: {
        data: [{ type: 'start', amount: '200.00' }],
        meta: { last_page: 1, total: 1, next_page: null, prev_page: null },
      },
    });
  });

  test('200 shows the microseconds that the table has', async () => {
    const exact = await createBuyer(database, api);
    await database.pool.query(
      `with moved as (
          update customer.wallet set balance = 201, last_transaction_no = 2 where account_id = $1
      )
      insert into customer.wallet_transaction (
          account_id, transaction_no, type, amount, balance_before, balance_after, description,
          operation_key, created_at
      )
      values ($1, 2, 'deposit', 1, 200, 201, '', 'exact', '2026-05-01 23:59:59.987654+02')`,
      [exact.account_id],
    );
    expect(await exact.ask('/wallet/transactions')).toMatchObject({
      body: { data: [{ created_at: '2026-05-01T21:59:59.987654Z' }, {}] },
    });
  });
});
