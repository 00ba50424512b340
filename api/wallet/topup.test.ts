import { describe, expect, test } from 'vitest';
import { askJson, refusal } from '../../fixtures/client/json-client.ts';
import { createBuyer } from '../../fixtures/client/buyer.ts';
import { openShop } from '../../fixtures/client/shop.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { createLocalPayment } from './payment.ts';
import { startStripeStub } from '../../fixtures/client/stripe-stub.ts';

const shop = await openShop();

await shop.database.pool.query(
  `insert into customer.credit_package values ('summer', 'Summer', 10, 100, 'pln', false)`,
);

const starter = { package_slug: 'starter' };

test('GET /api/v1/wallet/packages lists to everybody what is sold, the smallest first', async () => {
  const data = [
    ['starter', 'Starter', 500, '49.00'],
    ['standard', 'Standard', 2500, '199.00'],
    ['business', 'Business', 10000, '699.00'],
    ['enterprise', 'Enterprise', 50000, '2999.00'],
  ].map(([package_slug, name, credits, price]) => {
    return { package_slug, name, credits, price, currency: 'PLN' };
  });
  expect(await askJson(shop.api, 'GET /wallet/packages')).toEqual({
    status: 200,
    body: { status: 'success', data },
  });
});

describe('POST /api/v1/wallet/topup', () => {
  test('200 opens a checkout, and asks Stripe for what is to be paid', async () => {
    const answer = await shop.buyer.topup(starter);
    const [session] = shop.stub.sessions;
    const checkout_url = session?.url;
    expect(answer).toEqual({
      status: 200,
      body: { status: 'success', data: { checkout_url, package: 'starter', credits: 500 } },
    });
    const payment_id = session?.client_reference_id;
    expect(await shop.buyer.payments()).toMatchObject([
      {
        payment_id,
        provider: 'stripe',
        provider_ref: session?.id,
        checkout_url,
        package_slug: 'starter',
        credits: '500',
        price: '4900',
        state: 'open',
        refusal: null,
        created_at: shop.now,
        ended_at: null,
      },
    ]);
    expect(await shop.buyer.movements()).toHaveLength(1);
    expect(shop.stub.requests).toEqual([
      {
        authorization: 'Bearer sk_test_of_the_tests',
        idempotency_key: payment_id,
        form: {
          mode: 'payment',
          client_reference_id: payment_id,
          'metadata[payment_id]': payment_id,
          'payment_intent_data[metadata][payment_id]': payment_id,
          'line_items[0][quantity]': '1',
          'line_items[0][price_data][currency]': 'pln',
          'line_items[0][price_data][unit_amount]': '4900',
          'line_items[0][price_data][product_data][name]': 'Starter: 500 credits',
          success_url: `http://localhost:8080/checkout/success?payment_id=${payment_id}`,
          cancel_url: `http://localhost:8080/checkout/cancel?payment_id=${payment_id}`,
        },
      },
    ]);
  });

  const unknown = 'The package_slug field must be the slug of a package that is offered.';
  const length = 'The package_slug field must have 1 to 100 characters.';
  const required = 'The package_slug field is required.';
  const noText = 'The package_slug field must be a string.';
  test.each([
    [{ package_slug: 'golden' }, unknown],
    // The package `summer` is no longer offered.
    [{ package_slug: 'summer' }, unknown],
    [{ package_slug: 'STARTER' }, unknown],
    [{ package_slug: '__proto__' }, unknown],
    [{ package_slug: 'x'.repeat(100) }, unknown],
    [{ package_slug: '' }, length],
    [{ package_slug: 'x'.repeat(101) }, length],
    [{}, required],
    [{ package_slug: null }, noText],
    [{ package_slug: { name: 'starter' } }, noText],
  ])('422 for %j', async (body, message) => {
    expect(await shop.buyer.topup(body)).toEqual(refusal('package_slug', message));
    expect(await shop.buyer.payments()).toEqual([]);
    expect(shop.stub.requests).toEqual([]);
  });

  test('503 sells nothing and records nothing without a payment provider', async () => {
    const closed = await startTestApi({ db: shop.database.kysely, payment: undefined });
    const other = await createBuyer(shop.database, closed);
    const body = { message: 'Top-ups are currently switched off.' };
    expect(await other.topup(starter)).toEqual({ status: 503, body });
    expect(await other.payments()).toEqual([]);
  });

  test('200 gives a page of our own at the local checkout', async () => {
    const payment = createLocalPayment('https://api.example');
    const local = await startTestApi({ db: shop.database.kysely, payment });
    const other = await createBuyer(shop.database, local);
    const checkout_url = await other.buy('starter');
    const [row] = await other.payments();
    expect(checkout_url).toBe(`https://api.example/checkout/local/${String(row?.payment_id)}`);
    expect(row).toMatchObject({ provider: 'local', provider_ref: row?.payment_id, state: 'open' });
    const webhook = await local.ask('/api/v1/webhooks/stripe', { method: 'POST' });
    // Without Stripe, the path is read as `/webhooks/{webhook_ref}`, which has no POST.
    expect(webhook.status).toBe(405);
  });
});

describe('Idempotency-Key of POST /api/v1/wallet/topup', () => {
  const headers = { 'Idempotency-Key': 'key-1' };

  test('200 says whether an answer is given again', async () => {
    const replayed: (string | null)[] = [];
    for (const key of ['key-1', 'key-1', 'key-2']) {
      const response = await shop.api.ask('/api/v1/wallet/topup', {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${shop.buyer.master_token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': key,
        },
        body: JSON.stringify(starter),
      });
      replayed.push(response.headers.get('Idempotency-Replayed'));
    }
    expect(replayed).toEqual([null, 'true', null]);
  });

  test('200 gives one checkout to twenty requests at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => shop.buyer.topup(starter, headers)),
    );
    const [session, ...others] = shop.stub.sessions;
    expect(others).toEqual([]);
    for (const answer of answers) {
      const data = { checkout_url: session?.url, package: 'starter', credits: 500 };
      expect(answer).toEqual({ status: 200, body: { status: 'success', data } });
    }
    expect(await shop.buyer.payments()).toMatchObject([
      { state: 'open', provider_ref: session?.id },
    ]);
  });

  test.each(['', 'two words', 'x'.repeat(256), 'clé'])('422 for the key "%s"', async (key) => {
    const message = 'The Idempotency-Key header must have 1 to 255 visible ASCII characters.';
    expect(await shop.buyer.topup(starter, { 'Idempotency-Key': key })).toEqual(
      refusal('Idempotency-Key', message),
    );
    expect(await shop.buyer.payments()).toEqual([]);
  });
});

describe('POST /api/v1/wallet/topup, when Stripe fails', () => {
  const headers = { 'Idempotency-Key': 'key-1' };
  const silent = { message: 'The payment provider does not answer; try again later.' };
  const refused = { message: 'The payment provider refused to open a checkout.' };
  const failing = (status: number, type: string) => ({ status, type });

  test('200 when a second try succeeds, with one checkout', async () => {
    shop.stub.faults.push('lost answer');
    expect(await shop.buyer.topup(starter)).toMatchObject({ status: 200 });
    shop.stub.faults.push({ status: 409, type: 'idempotency_error' });
    expect(await shop.buyer.topup(starter)).toMatchObject({ status: 200 });
    expect(shop.stub.requests).toHaveLength(4);
    expect(shop.stub.sessions).toHaveLength(2);
    expect(await shop.buyer.payments()).toHaveLength(2);
  });

  test.each([
    ['503', 'a fault of its own', [500, 503].map((s) => failing(s, 'api_error')), silent],
    ['503', 'too many requests', [failing(429, 'rate_limit_error')], silent],
    ['503', 'silence', ['silence', 'silence'] as const, silent],
    ['502', 'a wrong key', [failing(401, 'invalid_request_error')], refused],
    ['502', 'a missing permission', [failing(403, 'invalid_request_error')], refused],
    ['502', 'a wrong request', [failing(400, 'invalid_request_error')], refused],
  ])(
    '%s for %s; the payment has failed and the key is free',
    async (status, _name, faults, body) => {
      shop.stub.faults.push(...faults);
      expect(await shop.buyer.topup(starter, headers)).toEqual({ status: Number(status), body });
      const reason = (await shop.buyer.payments())[0]?.refusal;
      expect(await shop.buyer.payments()).toMatchObject([
        { state: 'failed', provider_ref: null, checkout_url: null, ended_at: shop.now },
      ]);
      expect(reason).toEqual(expect.any(String));
      expect(shop.api.log).toContainEqual(
        expect.objectContaining({ level: 50, msg: 'No checkout could be opened', reason }),
      );
      expect(JSON.stringify(shop.api.log)).not.toContain('sk_test_of_the_tests');

      expect(await shop.buyer.topup(starter, headers)).toMatchObject({ status: 200 });
      const states = (await shop.buyer.payments()).map(({ state }) => state);
      expect(states).toHaveLength(2);
      expect(new Set(states)).toEqual(new Set(['failed', 'open']));
    },
  );

  test('503 when it cannot be reached', async () => {
    const gone = await startStripeStub();
    await gone.close();
    const unreachable = await startTestApi({ db: shop.database.kysely, payment: gone.payment });
    const other = await createBuyer(shop.database, unreachable);
    expect(await other.topup(starter)).toEqual({ status: 503, body: silent });
    expect(await other.payments()).toMatchObject([{ state: 'failed' }]);
  });
});
