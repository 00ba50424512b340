import { describe, expect, test } from 'vitest';
import { createAccount } from '../../fixtures/client/account.ts';
import { createBuyer } from '../../fixtures/client/buyer.ts';
import { openShop } from '../../fixtures/client/shop.ts';
import { startStripeStub } from '../../fixtures/client/stripe-stub.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';

const shop = openShop();

function topup(body: unknown, headers: Record<string, string> = {}) {
  return shop.buyer.ask('/wallet/topup', { method: 'POST', headers, body: JSON.stringify(body) });
}

const starter = { package_slug: 'starter' };

describe('Idempotency-Key of POST /api/v1/wallet/topup', () => {
  const headers = { 'Idempotency-Key': 'key-1' };

  test('200 gives the same checkout for 24 hours', async () => {
    const first = await topup(starter, headers);
    shop.now = new Date('2026-05-02T09:59:59.999Z');
    expect(await topup(starter, headers)).toEqual(first);
    expect(shop.stub.requests).toHaveLength(1);
    shop.now = new Date('2026-05-02T10:00:00Z');
    expect(await topup(starter, headers)).not.toEqual(first);
    expect(shop.stub.sessions).toHaveLength(2);
    expect(await shop.buyer.payments()).toHaveLength(2);
  });

  test('200 says whether an answer is given again', async () => {
    const { master_token } = await createAccount(shop.database.kysely);
    const replayed: (string | null)[] = [];
    for (const key of ['key-1', 'key-1', 'key-2']) {
      const response = await shop.api.ask('/api/v1/wallet/topup', {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${master_token}`,
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
    const answers = await Promise.all(Array.from({ length: 20 }, () => topup(starter, headers)));
    const [session, ...others] = shop.stub.sessions;
    expect(others).toEqual([]);
    for (const answer of answers) {
      expect(answer).toEqual({
        status: 200,
        body: {
          status: 'success',
          data: { checkout_url: session?.url, package: 'starter', credits: 500 },
        },
      });
    }
    expect(await shop.buyer.payments()).toMatchObject([
      { state: 'open', provider_ref: session?.id },
    ]);
  });

  test('200 keeps accounts apart', async () => {
    const other = await createBuyer(shop.database, shop.api);
    expect(await shop.buyer.buy('starter', headers)).not.toBe(await other.buy('starter', headers));
  });

  test('422 for another package', async () => {
    await topup(starter, headers);
    const message = 'The Idempotency-Key header was used within 24 hours for another request.';
    expect(await topup({ package_slug: 'standard' }, headers)).toEqual({
      status: 422,
      body: { message, errors: { 'Idempotency-Key': [message] } },
    });
    expect(await shop.buyer.payments()).toHaveLength(1);
  });

  test.each(['', 'two words', 'x'.repeat(256), 'clé'])('422 for the key "%s"', async (key) => {
    const message = 'The Idempotency-Key header must have 1 to 255 visible ASCII characters.';
    expect(await topup(starter, { 'Idempotency-Key': key })).toEqual({
      status: 422,
      body: { message, errors: { 'Idempotency-Key': [message] } },
    });
    expect(await shop.buyer.payments()).toEqual([]);
  });

  test('is not taken by an unknown package', async () => {
    expect(await topup({ package_slug: 'golden' }, headers)).toMatchObject({ status: 422 });
    expect(await topup(starter, headers)).toMatchObject({ status: 200 });
  });
});

describe('POST /api/v1/wallet/topup, when Stripe fails', () => {
  const headers = { 'Idempotency-Key': 'key-1' };
  const silent = { message: 'The payment provider does not answer; try again later.' };
  const refused = { message: 'The payment provider refused to open a checkout.' };

  test('200 when a second try succeeds, with one checkout', async () => {
    shop.stub.faults.push('lost answer');
    expect(await topup(starter)).toMatchObject({ status: 200 });
    shop.stub.faults.push({ status: 409, type: 'idempotency_error' });
    expect(await topup(starter)).toMatchObject({ status: 200 });
    expect(shop.stub.requests).toHaveLength(4);
    expect(shop.stub.sessions).toHaveLength(2);
    expect(await shop.buyer.payments()).toHaveLength(2);
  });

  test.each([
    [
      '503',
      'a fault of its own',
      [
        { status: 500, type: 'api_error' },
        { status: 503, type: 'api_error' },
      ],
      silent,
    ],
    ['503', 'too many requests', [{ status: 429, type: 'rate_limit_error' }], silent],
    ['503', 'silence', ['silence', 'silence'] as const, silent],
    ['502', 'a wrong key', [{ status: 401, type: 'invalid_request_error' }], refused],
    ['502', 'a missing permission', [{ status: 403, type: 'invalid_request_error' }], refused],
    ['502', 'a wrong request', [{ status: 400, type: 'invalid_request_error' }], refused],
  ])(
    '%s for %s; the payment has failed and the key is free',
    async (status, _name, faults, body) => {
      shop.stub.faults.push(...faults);
      expect(await topup(starter, headers)).toEqual({ status: Number(status), body });
      const reason = (await shop.buyer.payments())[0]?.refusal;
      expect(await shop.buyer.payments()).toMatchObject([
        { state: 'failed', provider_ref: null, checkout_url: null, ended_at: shop.now },
      ]);
      expect(reason).toEqual(expect.any(String));
      expect(shop.api.log).toContainEqual(
        expect.objectContaining({ level: 50, msg: 'No checkout could be opened', reason }),
      );
      expect(JSON.stringify(shop.api.log)).not.toContain('sk_test_of_the_tests');

      expect(await topup(starter, headers)).toMatchObject({ status: 200 });
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
    const init = { method: 'POST', body: JSON.stringify(starter) };
    expect(await other.ask('/wallet/topup', init)).toEqual({ status: 503, body: silent });
    expect(await other.payments()).toMatchObject([{ state: 'failed' }]);
    await unreachable.close();
  });
});
