import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../fixtures/client/account.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../fixtures/database/database-proxy.ts';
import { createOrigin, type Origin } from '../fixtures/database/database-copy.ts';
import { startTestApi, type TestApi } from '../fixtures/client/test-api.ts';
import type { TestDatabase } from '../fixtures/database/test-database.ts';
import { runFixture } from '../fixtures/dump/night.ts';
import { connect, type Database } from '../sql/connection/database.ts';
import { openKysely } from '../sql/connection/kysely.ts';
import { createSearchIndex } from './companies/search-index.ts';

let origin: Origin;
let writer: TestDatabase;
/** Two databases stand for a writer and a standby, so that a test says when the standby is behind. */
let standby: TestDatabase;
let toWriter: DatabaseProxy;
let toStandby: DatabaseProxy;
let db: Database;
let api: TestApi;
let token: string;

const number = { identifier_type: 'NIP', identifier_value: '1000201006' };

async function ask(path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await api.ask(`/api/v1${path}`, {
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** How many statements of the API a server has run on a table. */
async function readsOf({ pool }: TestDatabase, relation: string): Promise<number> {
  await pool.query('select pg_stat_clear_snapshot()');
  const { rows } = await pool.query<{ count: number }>(
    `select (seq_scan + coalesce(idx_scan, 0))::integer as count
     from pg_stat_user_tables where relid = $1::regclass`,
    [relation],
  );
  return rows[0]!.count;
}

beforeAll(async () => {
  origin = await createOrigin((one) => runFixture(one, '2026-11-02'));
  [writer, standby] = [await origin.copy(), await origin.copy()];
  ({ master_token: token } = await createAccount(writer.kysely));
  toWriter = await startDatabaseProxy(writer.url);
  toStandby = await startDatabaseProxy(standby.url);
  db = await connect({
    databaseUrl: toWriter.url,
    readUrls: [toStandby.url],
    dataDir: '',
    applicationName: 'readers',
    patience_ms: 2_500,
  });
  api = await startTestApi({
    db: openKysely(db.pool),
    pool: db.pool,
    readers: db.readers,
    searchIndex: createSearchIndex([...db.readConnections, db.connection]),
    deadline_ms: 3_000,
  });
  while ((await ask('/companies/search')).status === 503);
});

afterAll(async () => {
  await api.close();
  await db.close();
  await Promise.all([toWriter.close(), toStandby.close()]);
  await Promise.all([writer.drop(), standby.drop()]);
  await origin.drop();
});

test('what the registries say is read on the standby, and charged on the writer', async () => {
  const before = await readsOf(writer, 'registry.entry_ceidg');
  for (let count = 0; count < 5; count += 1) {
    expect((await ask('/companies/snapshot', number)).status).toBe(200);
    expect((await ask('/companies/search?city=wroclaw')).status).toBe(200);
  }
  expect((await ask('/wallet')).body).toMatchObject({ data: { balance: 200 - 5 * 6 - 1 } });
  expect(await readsOf(writer, 'registry.entry_ceidg')).toBe(before);
  expect((await api.ask('/readyz')).status).toBe(200);
  const metrics = await (await api.ask('/metrics')).text();
  expect(metrics).toMatch(/registry_reader_up\{reader="127\.0\.0\.1:\d+"\} 1/);
});

test('no answer is older than the newest snapshot, while the standby is behind', async () => {
  await runFixture(writer, '2026-11-03');
  const history = '/companies/events?identifier_type=NIP&identifier_value=1000201006';
  const { body } = await ask(history);
  expect(body).toMatchObject({ data: { events: [{ event_date: '2026-11-03' }] } });
  await expect.poll(async () => (await ask('/stats/day/2026-11-03')).status).toBe(200);
  await runFixture(standby, '2026-11-03');
  expect((await ask(history)).body).toMatchObject({
    data: { events: [{ event_date: '2026-11-03' }] },
  });
});

test('public reads go on while the writer is away, and are limited; the rest is a 503', async () => {
  await toWriter.cut();
  const address = '192.0.2.77';
  const statuses = new Set<number>();
  for (let count = 0; count < 12; count += 1) {
    const { status } = await api.ask('/api/v1/stats/day/2026-11-03', { address });
    statuses.add(status);
  }
  expect(statuses).toEqual(new Set([200, 429]));
  expect((await ask('/wallet')).status).toBe(503);
  expect((await ask('/companies/search')).status).toBe(503);
  await expect
    .poll(async () => (await api.ask('/readyz')).json())
    .toMatchObject({ status: 'read-only', readers: [{ is_up: true, snapshot_no: 2 }] });
  await toWriter.mend();
  await expect.poll(async () => (await ask('/wallet')).status).toBe(200);
  await expect.poll(async () => (await api.ask('/readyz')).json()).toMatchObject({ status: 'ok' });
});

test('a standby that falls silent costs a read less than a second', async () => {
  toStandby.hang();
  const begun_at = performance.now();
  expect((await ask('/stats/day/2026-11-03')).status).toBe(200);
  // The look that finds the silence, not the deadline of the answer.
  expect(performance.now() - begun_at).toBeLessThan(2_500);
  expect((await ask('/companies/snapshot', number)).status).toBe(200);
  await toStandby.mend();
});
