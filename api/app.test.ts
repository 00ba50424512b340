import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { buffer, json } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { describe, expect, test } from 'vitest';
import { createAccount } from '../fixtures/client/account.ts';
import { startTestApi, type TestApi } from '../fixtures/client/test-api.ts';
import { insertDays } from '../fixtures/database/published-days.ts';
import { createTestDatabase } from '../fixtures/database/test-database.ts';
import type { Tables } from '../sql/tables/tables.ts';

const database = await createTestDatabase();
await insertDays(database, `('ceidg', '2026-01-01', 0, 0, 0, 100, true)`);
const api = await startTestApi({ db: database.kysely });

const punctuation = 'abz019-_.~!$\'()*,;:@=+"\\<>^`{|}%'.split('');
let rawCount = 0;

/**
 * Sends a path byte for byte, because `fetch` would normalize the path. Every request is sent from a new client
 * address.
 */
async function askRaw(path: string): Promise<{ status: number; body: unknown }> {
  rawCount += 1;
  const headers = { 'X-Forwarded-For': `172.16.${rawCount >> 8}.${rawCount & 255}` };
  const sent = request(api.url, { path, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await json(response) };
}

async function readinessOf(of: TestApi): Promise<[status: number, body: unknown]> {
  const response = await of.ask('/readyz');
  return [response.status, await response.json()];
}

const away = { message: 'The database does not answer as it should.' };

describe('GET /healthz', () => {
  test('200 without a limit', async () => {
    for (let at = 0; at < 12; at += 1) {
      const response = await api.ask('/healthz', { address: '192.0.2.1' });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ status: 'ok' });
      expect(response.headers.has('ratelimit')).toBe(false);
    }
  });

  test('200 while the database is away', async () => {
    const pool = new Pool({ connectionString: 'postgresql://nobody@127.0.0.1:1/none' });
    pool.on('error', () => undefined);
    const other = await startTestApi({
      db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }),
    });
    expect((await other.ask('/healthz')).status).toBe(200);
    expect(await readinessOf(other)).toEqual([503, away]);
    expect(JSON.stringify(other.log)).toContain('ECONNREFUSED');
  });
});

describe('GET /readyz', () => {
  test('200 when the tables can be read', async () => {
    expect(await readinessOf(api)).toEqual([200, { status: 'ok' }]);
  });

  test('503 when the schema is missing', async () => {
    const own = await createTestDatabase();
    await own.pool.query('drop table customer.rate_limit');
    expect(await readinessOf(await startTestApi({ db: own.kysely }))).toEqual([503, away]);
  });

  test('503 when the process is stopping', async () => {
    const other = await startTestApi({ db: database.kysely, isStopping: () => true });
    expect(await readinessOf(other)).toEqual([503, { message: 'The service is stopping.' }]);
  });
});

describe('errors', () => {
  test.each([
    '/nowhere',
    '/api/v1',
    '/api/v1/stats',
    '/api/v1/stats/day/',
    '/api/v1/stats/week/2026-01-01',
  ])('404 for an unknown route: %s', async (path) => {
    const response = await api.ask(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({ message: 'Not Found' });
  });

  test.each([
    '/Healthz',
    '/healthz/',
    '//healthz',
    '/Metrics',
    '/metrics/',
    '/api/v1/stats/day/2026-01-01/',
    '/api/v1/stats/Day/2026-01-01',
    '/API/v1/stats/day/2026-01-01',
    '/Docs',
    '/docs/',
    '/stats/',
    '/Console',
    '/Downloads',
    '/recover/',
    '/Unsubscribe',
  ])('404 for a path that is nearly that of a route: %s', async (path) => {
    expect((await askRaw(path)).status).toBe(404);
  });

  test.each(['/healthz', '/readyz', '/api/v1/stats/day/2026-01-01', '/api/v1/stats/range/x'])(
    '405 for another method: %s',
    async (path) => {
      const response = await api.ask(path, { method: 'POST', body: '{' });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD');
      expect(await response.json()).toEqual({ message: 'Method Not Allowed' });

      const options = await api.ask(path, { method: 'OPTIONS' });
      expect(options.status).toBe(204);
      expect(options.headers.get('allow')).toBe('GET, HEAD');
    },
  );

  test.each(['%', '%ZZ', '%ff', '%C3%28'])(
    '400 for a path that cannot be decoded: %s',
    async (date) => {
      expect(await askRaw(`/api/v1/stats/day/${date}`)).toEqual({
        status: 400,
        body: { message: 'Bad Request', code: 'BAD_REQUEST' },
      });
    },
  );

  test('500 says nothing of its cause, which is in the log under the id of the request', async () => {
    const own = await createTestDatabase();
    await own.pool.query('drop view analyst.daily_stat cascade');
    const other = await startTestApi({ db: own.kysely });
    const response = await other.ask('/api/v1/stats/day/2026-01-01');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: 'Server Error' });
    expect(other.log).toHaveLength(1);
    expect(other.log[0]).toMatchObject({
      level: 50,
      req: { id: response.headers.get('x-request-id'), path: '/api/v1/stats/day/2026-01-01' },
      res: { status: 500 },
      err: { message: 'relation "analyst.daily_stat" does not exist' },
    });
  });

  test('503 when the database hangs, and 200 again when it goes on', async () => {
    const other = await startTestApi({ db: database.kysely, deadline_ms: 200 });
    const client = await database.pool.connect();
    await client.query('begin; lock table analyst.daily_stat');
    const held = await other.ask('/api/v1/stats/day/2026-01-01');
    await client.query('rollback');
    client.release();
    expect(held.status).toBe(503);
    expect(held.headers.get('retry-after')).toBe('5');
    expect(await held.json()).toEqual({ message: 'Service Unavailable' });
    expect((await other.ask('/api/v1/stats/day/2026-01-01')).status).toBe(200);
  });

  test('no path and no query makes a 5xx', async () => {
    const piece = fc.oneof(
      fc.constantFrom(...'2026-01-01 ? & source= ceidg / % %00 %2F .. ['.split(' ')),
      fc.string({ unit: fc.constantFrom(...punctuation) }),
      fc.string({ unit: 'binary' }).map((text) => encodeURIComponent(text.toWellFormed())),
    );
    const tail = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    const head = fc.constantFrom('/api/v1/stats/day/', '/api/v1/stats/range/', '/api/v1/');
    await fc.assert(
      fc.asyncProperty(head, tail, async (start, end) => {
        const { status, body } = await askRaw(start + end);
        expect(status).toBeLessThan(500);
        expect(body).toHaveProperty(status === 200 ? 'data' : 'message');
      }),
      { numRuns: 500 },
    );
  });
});

describe('what caches and browsers may do', () => {
  const openapi = '/api/v1/openapi.json';

  test('compresses large answers for clients that can read it', async () => {
    const sent = request(api.url + openapi, { headers: { 'Accept-Encoding': 'gzip' } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.headers['content-encoding']).toBe('gzip');
    expect(response.headers.vary).toContain('Accept-Encoding');
    const text = gunzipSync(await buffer(response)).toString();
    expect(JSON.parse(text)).toHaveProperty('openapi', '3.1.0');
  });

  test.each([
    [openapi, 'public, max-age=3600'],
    ['/api/v1/stats/day/2026-01-01', 'public, max-age=3600'],
    ['/api/v1/stats/range/2026-01-01', 'public, max-age=3600'],
    ['/api/v1/stats/range/2999-01-01', 'no-cache'],
  ])('304 to a client that has %s already', async (path, cacheControl) => {
    const { headers } = await api.ask(path);
    expect(headers.get('cache-control')).toBe(cacheControl);
    const tag = headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await api.ask(path, { headers: { 'If-None-Match': tag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await api.ask(path, { headers: { 'If-None-Match': 'W/"other"' } });
    expect(other.status).toBe(200);
  });

  test('lets pages of any origin read what is public, and nothing else', async () => {
    const headers = { Origin: 'https://app.example.com' };
    for (const path of [openapi, '/api/v1/stats/day/2026-01-01', '/api/v1/stats/day/x']) {
      const response = await api.ask(path, { headers });
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-expose-headers')).toContain('RateLimit');
    }
    const closed = await api.ask('/api/v1/wallet', { headers });
    expect(closed.headers.has('access-control-allow-origin')).toBe(false);
  });

  test('lets pages of an origin that is allowed read everything', async () => {
    const CORS_ORIGINS = ['https://app.example.com', 'https://other.example.com'];
    const shared = await startTestApi({ db: database.kysely, CORS_ORIGINS });
    const preflight = (origin: string) =>
      shared.ask('/api/v1/wallet/topup', {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization,content-type',
        },
      });
    const allowed = await preflight(CORS_ORIGINS[1]!);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(CORS_ORIGINS[1]);
    expect(allowed.headers.get('access-control-allow-methods')).toContain('POST');
    expect(allowed.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
    expect(allowed.headers.get('vary')).toContain('Origin');
    const refused = await preflight('https://evil.example.com');
    expect(refused.headers.has('access-control-allow-origin')).toBe(false);
    const refusal = await shared.ask('/api/v1/wallet', { headers: { Origin: CORS_ORIGINS[0]! } });
    expect(refusal.status).toBe(401);
    expect(refusal.headers.get('access-control-allow-origin')).toBe(CORS_ORIGINS[0]);
  });

  test('keeps an idle connection longer than proxies do', async () => {
    const sent = request(`${api.url}/healthz`, { agent: new Agent({ keepAlive: true }) }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.headers['keep-alive']).toBe('timeout=65');
    sent.destroy();
  });
});

describe('headers and log', () => {
  test('carries the safe headers and not the name of the framework', async () => {
    const { headers } = await api.ask('/api/v1/stats/day/2026-01-01');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.has('x-powered-by')).toBe(false);
  });

  test('gives the id of a request back, and makes one where none fits', async () => {
    const given = await api.ask('/healthz', { headers: { 'X-Request-Id': 'job-7:1.a' } });
    expect(given.headers.get('x-request-id')).toBe('job-7:1.a');
    const secrets = ['sk_live_1a2b3c', 'job:SK_API_1a2b3c', 'eyJhbGciOiJIUzI1NiJ9.1a2b3c.x'];
    for (const id of ['a b', 'x'.repeat(101), '{}', ...secrets]) {
      const made = await api.ask('/healthz', { headers: { 'X-Request-Id': id } });
      expect(made.headers.get('x-request-id')).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    }
  });

  test('logs a line a request, without its query and its headers', async () => {
    const other = await startTestApi({ db: database.kysely });
    await other.ask('/api/v1/stats/day/2026-01-01?token=secret-1', {
      address: '192.0.2.9',
      headers: { Authorization: 'Bearer secret-2', 'X-Request-Id': 'seen' },
    });
    expect(other.log).toHaveLength(1);
    expect(other.log[0]).toMatchObject({
      req: {
        id: 'seen',
        method: 'GET',
        path: '/api/v1/stats/day/2026-01-01',
        address: '192.0.2.9',
      },
      res: { status: 422 },
    });
    expect(JSON.stringify(other.log)).not.toContain('secret');
    expect(JSON.stringify(other.log)).not.toContain('_ref');
  });

  test('logs the references of account and token, also of a refused request', async () => {
    const { master_token, user_ref, token_ref } = await createAccount(database.kysely);
    const other = await startTestApi({ db: database.kysely });
    const headers = { Authorization: `Bearer ${master_token}` };
    await other.ask('/api/v1/wallet', { headers });
    await other.ask('/api/v1/wallet?currency=PLN', { headers });
    expect(other.log).toMatchObject([
      { req: { user_ref, token_ref }, res: { status: 200 } },
      { req: { user_ref, token_ref }, res: { status: 422 } },
    ]);
    expect(JSON.stringify(other.log)).not.toContain(master_token);
  });

  const tokens = [
    'sk_live_1a2b3c',
    'sk_api_1a2b3c',
    'SK%5Flive%5f1a2b3c',
    '%73%6b_%6c%69%76%65_1a2b3c',
    '%2573k_live_1a2b3c',
    '%25252525252573k_live_1a2b3c',
    '%zzsk_live_1a2b3c',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJBIn0.1a2b3c',
    'token%3D%65yJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJBIn0.1a2b3c',
  ];
  const others = [
    '/stats/day',
    '/stats/keyjournal-1',
    '/api/v1/tokens/ASK0LIVE0API',
    '/sk/live/eyJ',
  ];
  test.each([
    ...tokens.map((token) => [`/api/v1/tokens/${token}`, '/api/v1/tokens/[redacted]'] as const),
    ...others.map((path) => [path, path] as const),
  ])('logs a token in a path as [redacted]: %s as %s', async (path, logged) => {
    const other = await startTestApi({ db: database.kysely });
    await other.ask(path);
    expect(other.log[0]).toMatchObject({ req: { path: logged } });
    expect(JSON.stringify(other.log)).not.toContain('1a2b3c');
  });
});
