import { beforeEach, describe, expect, test } from 'vitest';
import { bonus, deposit, openShop } from '../../fixtures/client/shop.ts';
import { eventOf, type StubSession } from '../../fixtures/client/stripe-stub.ts';

const shop = await openShop();
/** The Stripe session of the checkout that the buyer has just opened, for 500 credits at 49.00 PLN. */
let session: StubSession;

beforeEach(async () => {
  await shop.buyer.buy('starter');
  session = shop.stub.sessions.at(-1)!;
  shop.api.log.length = 0;
});

const paidWith = (changes: object) =>
  eventOf('checkout.session.completed', { ...session, payment_status: 'paid', ...changes });

const events: Record<string, () => string> = {
  'completed, paid': () => paidWith({}),
  'completed, unpaid': () => eventOf('checkout.session.completed', session),
  'payment succeeded': () =>
    eventOf('checkout.session.async_payment_succeeded', { ...session, payment_status: 'paid' }),
  'payment failed': () => eventOf('checkout.session.async_payment_failed', session),
  expired: () => eventOf('checkout.session.expired', session),
};

const tell = (name: string) => shop.report(events[name]!());

async function expectCredited(): Promise<void> {
  expect(await shop.buyer.movements()).toEqual([bonus, deposit]);
  expect(await shop.buyer.payments()).toMatchObject([
    { state: 'paid', provider_ref: session.id, refusal: null, ended_at: shop.now },
  ]);
}

async function expectNothing(state: string): Promise<void> {
  expect(await shop.buyer.movements()).toEqual([bonus]);
  expect(await shop.buyer.payments()).toMatchObject([{ state }]);
}

describe('POST /api/v1/webhooks/stripe', () => {
  test('200 credits what was paid', async () => {
    expect(await tell('completed, paid')).toBe('credited');
    await expectCredited();
    expect(await shop.buyer.ask('/wallet')).toEqual({
      status: 200,
      body: { status: 'success', data: { balance: 700, total_purchased: 500 } },
    });
  });

  test('200 credits once what is told twenty times at once', async () => {
    const payload = paidWith({});
    const results = await Promise.all(Array.from({ length: 20 }, () => shop.report(payload)));
    expect(results.toSorted()).toEqual(['credited', ...Array<string>(19).fill('repeated')]);
    await expectCredited();
  });

  test('200 waits for money that arrives later', async () => {
    expect(await tell('completed, unpaid')).toBe('ignored');
    await expectNothing('open');
    expect(await tell('payment succeeded')).toBe('credited');
    await expectCredited();
    expect(await tell('payment succeeded')).toBe('repeated');
    await expectCredited();
  });

  test.each([
    ['expired', 'expired'],
    ['payment failed', 'failed'],
  ])('200 ends an open payment: %s', async (name, state) => {
    expect(await tell(name)).toBe('recorded');
    await expectNothing(state);
    expect(await tell(name)).toBe('repeated');
    await expectNothing(state);
  });

  const orders = Object.keys(events).flatMap((a, at, all) =>
    all.toSpliced(at, 1).flatMap((b, bt, rest) => rest.toSpliced(bt, 1).map((c) => [a, b, c])),
  );

  test.each(orders)('200 in any order: %s; %s; %s', async (...names) => {
    for (const name of names) await tell(name);
    const isPaid = names.includes('completed, paid') || names.includes('payment succeeded');
    if (isPaid) await expectCredited();
    else
      await expectNothing(
        names.find((name) => name !== 'completed, unpaid') === 'expired' ? 'expired' : 'failed',
      );
  });

  test.each([
    ['another amount', { amount_total: 4899 }, '4899 pln instead of 4900 pln'],
    ['another currency', { currency: 'eur' }, '4900 eur instead of 4900 pln'],
    ['nothing', { amount_total: null, currency: null }, 'null null instead of 4900 pln'],
    ['a payment that we do not know', { metadata: { payment_id: crypto.randomUUID() } }, null],
    ['a session that is not that of the payment', { id: 'cs_test_another' }, null],
    ['a session that somebody else has opened', { metadata: {} }, null],
    ['a session without metadata', { metadata: null }, null],
  ])('200 does not credit %s, and logs it', async (_name, changes, refusal) => {
    const result = refusal === null ? 'unknown' : 'refused';
    expect(await shop.report(paidWith(changes))).toBe(result);
    await expectNothing(refusal === null ? 'open' : 'refused');
    const [payment] = await shop.buyer.payments();
    expect(payment).toMatchObject({ refusal, ended_at: refusal && shop.now });
    const named = refusal && { payment_id: payment?.payment_id, provider_ref: session.id };
    const logged = { level: 50, msg: 'A payment was not credited', result, ...named };
    expect(shop.api.log).toContainEqual(expect.objectContaining(logged));
  });

  test('200 credits a checkout whose opening was never confirmed to us', async () => {
    await shop.database.pool.query(
      'update customer.payment set provider_ref = null, checkout_url = null where account_id = $1',
      [shop.buyer.account_id],
    );
    expect(await tell('completed, paid')).toBe('credited');
    await expectCredited();
  });

  test.each(['payment_intent.succeeded', 'checkout.session.other', 'toString'])(
    '200 ignores other events: %s',
    async (type) => {
      expect(await shop.report(eventOf(type, session))).toBe('ignored');
      await expectNothing('open');
    },
  );
});
