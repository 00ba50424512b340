import { afterAll, describe, expect, test, onTestFinished } from 'vitest';
import { createAccount } from '../fixtures/client/account.ts';
import { startDatabaseProxy } from '../fixtures/database/database-proxy.ts';
import { startTestApi } from '../fixtures/client/test-api.ts';
import { insertDays } from '../fixtures/database/published-days.ts';
import { createTestDatabase } from '../fixtures/database/test-database.ts';
import { connect } from '../sql/connection/database.ts';
import { openKysely } from '../sql/connection/kysely.ts';

const patience_ms = 1_000;

const database = await createTestDatabase();
await insertDays(database, `('ceidg', '2026-01-01', 0, 0, 0, 100, true)`);
const accounts = await Promise.all(
  Array.from({ length: 10 }, () => createAccount(openKysely(database.pool))),
);
const tokens = accounts.map(({ master_token }) => master_token);
const proxy = await startDatabaseProxy(database.url);
const db = await connect({
  DATABASE_URL: proxy.url,
  DATA_DIR: '',
  applicationName: 'cut off',
  patience_ms,
});
const api = await startTestApi({ db: openKysely(db.pool) });

afterAll(async () => {
  await api.close();
  await db.close();
  await proxy.close();
});

interface Answered {
  status: number;
  retryAfter: string | null;
  body: unknown;
}

async function ask(method: string, path: string, token?: string): Promise<Answered> {
  const response = await api.ask(`/api/v1${path}`, {
    method,
    ...(token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }),
  });
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, retryAfter, body: await response.json() };
}

/** Sends requests to five endpoints that need the database, with each token, in parallel. */
function askAll(): Promise<Answered[]> {
  return Promise.all(
    tokens.flatMap((token) => [
      ask('POST', '/tokens/verify', token),
      ask('GET', '/wallet', token),
      ask('GET', '/wallet/transactions', token),
      ask('GET', '/tokens', token),
      ask('GET', '/stats/day/2026-01-01'),
    ]),
  );
}

const away = { status: 503, retryAfter: '5', body: { message: 'Service Unavailable' } };

function expectAway(answers: Answered[]): void {
  expect(answers).toEqual(answers.map(() => away));
}

/** Waits until all answers are 200: on a busy machine, opening new database sessions can exceed the API's timeout. */
async function expectWell(): Promise<void> {
  const statuses = async () => new Set((await askAll()).map(({ status }) => status));
  await expect.poll(statuses).toEqual(new Set([200]));
}

describe('a database that is away', () => {
  test('503 with Retry-After while no session can be opened, and 200 once it is back', async () => {
    await expectWell();
    const answers = askAll();
    await proxy.cut();
    expectAway((await answers).filter(({ status }) => status !== 200));
    expectAway(await askAll());
    expect(JSON.stringify(api.log)).toContain('ECONNREFUSED');
    await proxy.mend();
    await expectWell();
  });

  test('503 or 200 while sessions are ended under load', async () => {
    const answers: Promise<Answered[]>[] = [];
    for (let round = 0; round < 10; round += 1) {
      answers.push(askAll());
      await database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut off'`,
      );
    }
    const all = (await Promise.all(answers)).flat();
    const failed = all.filter(({ status }) => status !== 200);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed).toEqual(failed.map(() => away));
    await expectWell();
  });

  test('503 within its patience while the database says nothing, and 200 once it does', async () => {
    await expectWell();
    proxy.hang();
    expectAway(await askAll());
    await proxy.mend();
    await expectWell();
  });

  test('503 within its patience for what waits for a lock, and nothing stays behind', async () => {
    const client = await database.pool.connect();
    onTestFinished(() => client.release());
    await client.query('begin; lock table customer.wallet');
    const waiting = await Promise.all(
      Array.from({ length: 40 }, (_, at) => ask('GET', '/wallet', tokens[at % 10])),
    );
    expectAway(waiting);
    const busy = `select from pg_stat_activity where application_name = 'cut off' and state <> 'idle'`;
    // Reads `pg_stat_activity` in a session of its own: within a transaction, the view would keep its first content.
    const look = async () => (await database.pool.query(busy)).rowCount;
    await expect.poll(look).toBe(0);
    await client.query('rollback');
    await expectWell();
  });

  test('503 is a page for a browser, and JSON for a program and below the API', async () => {
    const open = async (path: string, accept = 'text/html,*/*;q=0.8') => {
      const response = await api.ask(path, { headers: { Accept: accept } });
      const { status, headers } = response;
      const type = headers.get('content-type');
      return [status, headers.get('retry-after'), type, (await response.text()).slice(0, 15)];
    };
    await proxy.cut();
    const pages = ['/', '/stats', '/console', '/recover?token=x', '/checkout/success', '/nowhere'];
    const html = 'text/html; charset=utf-8';
    for (const path of pages) {
      expect([path, ...(await open(path))]).toEqual([path, 503, '5', html, '<!doctype html>']);
    }
    const json = [503, '5', 'application/json; charset=utf-8', '{"message":"Ser'];
    expect(await open('/stats', 'application/json')).toEqual(json);
    expect(await open('/api/v1/stats/day/2026-01-01')).toEqual(json);
    expect(await open('/api/v1/nowhere')).toEqual(json);
    expect((await open('/readyz', '*/*')).slice(0, 2)).toEqual([503, '5']);
    await proxy.mend();
    proxy.hang();
    const late = await startTestApi({ db: openKysely(db.pool), deadline_ms: 200 });
    onTestFinished(() => late.close());
    const response = await late.ask('/stats', { headers: { Accept: 'text/html' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([503, html]);
    expect(await response.text()).toContain('<h1>Not available right now</h1>');
    await proxy.mend();
    await expectWell();
  });

  test('logs what was wrong, under the id of the request', async () => {
    await proxy.cut();
    const response = await api.ask('/api/v1/stats/day/2026-01-01');
    await proxy.mend();
    await expect
      .poll(() => api.log.at(-1))
      .toMatchObject({
        level: 50,
        req: { id: response.headers.get('x-request-id') },
        res: { status: 503 },
        err: { message: expect.stringMatching(/ECONNREFUSED|ECONNRESET|terminated/) as string },
      });
  });
});
