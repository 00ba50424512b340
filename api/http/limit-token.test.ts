import { describe, expect, test } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { createSecret } from '../auth/token-secret.ts';

const verify = '/api/v1/tokens/verify';

let clock_ms = 0;
const now = (): Date => new Date(Date.now() + clock_ms);

const database = await createTestDatabase();
const apis = await Promise.all([1, 2].map(() => startTestApi({ db: database.kysely, now })));
const account = await createAccount(database.kysely);

interface Client {
  token?: string | undefined;
  address?: string;
}

function ask({ token, ...client }: Client, at = 0): Promise<Response> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return apis[at % apis.length]!.ask(verify, { method: 'POST', headers, ...client });
}

/** Sends all requests in parallel, half of them to each API process. Returns the number of answers with each status. */
async function countStatuses(clients: Client[]): Promise<Record<number, number>> {
  const responses = await Promise.all(clients.map((client, at) => ask(client, at)));
  const byStatus = Object.groupBy(responses, ({ status }) => status);
  return Object.fromEntries(Object.entries(byStatus).map(([status, of]) => [status, of!.length]));
}

function repeat<Value>(count: number, make: () => Value): Value[] {
  return Array.from({ length: count }, make);
}

function newToken(): Promise<string> {
  return createApiToken(database.kysely, account.account_id).then(({ plaintext }) => plaintext);
}

describe('the general limit', () => {
  test('lets exactly 180 of 200 at once through for a token, over two processes', async () => {
    const token = await newToken();
    expect(await countStatuses(repeat(200, () => ({ token })))).toEqual({ 200: 180, 429: 20 });

    const refused = await ask({ token });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({ message: 'Too Many Attempts.' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // A request that the limit refuses does not count as a use of its token.
    await Promise.all(apis.map(({ uses }) => uses.flush()));
    const { rows } = await database.pool.query(
      `select usage_count from customer.token order by token_id desc limit 1`,
    );
    expect(rows).toEqual([{ usage_count: '180' }]);
  });

  test('has a count for each token, whatever the address', async () => {
    const [one, other] = [await newToken(), await newToken()];
    const address = '198.51.100.1';
    await countStatuses(repeat(180, () => ({ token: one, address })));
    expect((await ask({ token: one, address: '198.51.100.2' })).status).toBe(429);
    expect((await ask({ token: other, address })).status).toBe(200);
    expect((await ask({ address })).status).toBe(401);
  });

  test.each([
    ['no token', (): string | undefined => undefined],
    ['a malformed token', (at: number) => `sk_api_${String(at).padStart(49, '0')}`],
    ['a token that nobody has', () => createSecret('api')],
  ])('counts by the address for %s', async (_name, tokenAt) => {
    clock_ms += 60_000;
    const address = '2001:db8:5:600::1';
    const countRows = async () =>
      (await database.pool.query('select from customer.rate_limit')).rowCount!;
    const rowCount = await countRows();
    const clients = Array.from({ length: 200 }, (_, at) => ({ address, token: tokenAt(at) }));
    expect(await countStatuses(clients)).toEqual({ 401: 180, 429: 20 });
    expect((await countRows()) - rowCount).toBeLessThanOrEqual(1);
    expect((await ask({ address: '2001:db8:5:6ff::2' })).status).toBe(429);
    expect((await ask({ address: '2001:db8:5:700::1' })).status).toBe(401);
    // A valid token is accepted from the address whose unknown tokens were refused.
    expect((await ask({ address, token: await newToken() })).status).toBe(200);
  });

  test('gives a revoked token its 401 whatever its count, and tells an unknown one the limit of its address', async () => {
    clock_ms += 60_000;
    const token = await newToken();
    const address = '198.51.100.7';
    const many = repeat(181, () => ({ token, address }));
    expect(await countStatuses(many)).toEqual({ 200: 180, 429: 1 });
    await database.pool.query(`update customer.token set revoked_at = now()`);
    const revoked = await ask({ token, address });
    expect(revoked.status).toBe(401);
    expect(await revoked.json()).toEqual({ error: 'Token revoked', code: 'UNAUTHORIZED' });
    expect(await countStatuses(many)).toEqual({ 401: 181 });

    const guesses = repeat(181, () => ({ token: createSecret('api'), address }));
    expect(await countStatuses(guesses)).toEqual({ 401: 180, 429: 1 });
    const { headers } = await ask({ token: createSecret('api'), address });
    expect(headers.get('ratelimit')).toMatch(/^"180-in-1min"; r=0; t=\d+$/);
    expect(headers.get('ratelimit-policy')).toMatch(/^"180-in-1min"; q=180; w=60; pk=:[\w+/=]+:$/);
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
  });

  test.each([
    ['GET', '/nowhere', 404],
    ['DELETE', '/api/v1/wallet', 405],
    ['OPTIONS', '/api/v1/wallet', 204],
    ['POST', '/healthz', 405],
  ])('counts by the address for %s %s', async (method, path, status) => {
    clock_ms += 60_000;
    const address = '198.51.100.8';
    const token = await newToken();
    const headers = { Authorization: `Bearer ${token}` };
    const first = await apis[0]!.ask(path, { method, address, headers });
    expect(first.status).toBe(status);
    expect(first.headers.get('x-ratelimit-remaining')).toBe('179');
    await countStatuses(repeat(179, () => ({ address })));
    expect((await apis[0]!.ask(path, { method, address, headers })).status).toBe(429);
    expect((await ask({ token, address })).status).toBe(200);
  });
});

test.each([
  ['/auth/init', 5],
  ['/auth/register', 10],
  ['/auth/recover', 10],
  ['/stats/day/2026-01-01', 10],
])('the limit of %s: %i per address, whatever the token', async (path, count) => {
  clock_ms += 3_600_000;
  const address = '203.0.113.9';
  const method = path.startsWith('/stats') ? 'GET' : 'POST';
  const responses = await Promise.all(
    Array.from({ length: count + 5 }, (_, at) =>
      apis[at % 2]!.ask(`/api/v1${path}`, {
        method,
        address,
        headers: { Authorization: `Bearer ${createSecret('api')}` },
      }),
    ),
  );
  const refused = responses.filter(({ status }) => status === 429);
  const message = 'Too Many Attempts.';
  expect(await Promise.all(refused.map((response) => response.json()))).toEqual(
    Array.from({ length: 5 }, () => ({ message })),
  );
  const elsewhere = await apis[0]!.ask(`/api/v1${path}`, { method });
  expect(elsewhere.status).not.toBe(429);
});

async function remainingOf(api: TestApi, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${api.url}/api/v1/wallet`, { headers });
  return Number(response.headers.get('x-ratelimit-remaining'));
}

describe('X-Forwarded-For', () => {
  test('of a peer that is not trusted changes nothing', async () => {
    clock_ms += 60_000;
    for (const TRUST_PROXY of [0, ['10.0.0.0/8']]) {
      const api = await startTestApi({ db: database.kysely, now, TRUST_PROXY });
      const first = await remainingOf(api, {});
      for (const [at, address] of ['192.0.2.1', '192.0.2.2', '2001:db8::1'].entries()) {
        expect(await remainingOf(api, { 'X-Forwarded-For': address })).toBe(first - at - 1);
      }
    }
  });

  test('of a trusted peer counts by what that peer has seen, not by what its client claims', async () => {
    const api = await startTestApi({ db: database.kysely, now, TRUST_PROXY: ['loopback'] });
    const claimed = ['1.1.1.1', '2.2.2.2', '127.0.0.1'];
    const left: number[] = [];
    for (const claim of claimed) {
      left.push(await remainingOf(api, { 'X-Forwarded-For': `${claim}, 192.0.2.77` }));
    }
    expect(left).toEqual([179, 178, 177]);
  });
});
