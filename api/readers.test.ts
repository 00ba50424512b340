import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, createApiToken } from '../fixtures/client/account.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../fixtures/database/database-proxy.ts';
import { createOrigin, type Origin } from '../fixtures/database/database-copy.ts';
import { startTestApi, type TestApi } from '../fixtures/client/test-api.ts';
import type { TestDatabase } from '../fixtures/database/test-database.ts';
import { runFixture } from '../fixtures/dump/night.ts';
import { connect, type Database } from '../sql/connection/database.ts';
import { openPool } from '../sql/connection/pool.ts';
import { openReaders } from '../sql/connection/readers.ts';
import { openKysely } from '../sql/connection/kysely.ts';
import { createSecret } from './auth/token-secret.ts';
import { createSearchIndex } from './search/client.ts';

let origin: Origin;
let writer: TestDatabase;
/** The writer and the standby are two separate databases, so that the test decides when the standby is behind. */
let standby: TestDatabase;
let toWriter: DatabaseProxy;
let toStandby: DatabaseProxy;
let db: Database;
let gatePool: Pool;
let api: TestApi;
/** A valid token of an account that is stored on the standby, too. */
let token: string;
let revoked: string;
/**
 * A token for requests to a second process of the API. That process ends while the writer is unavailable, so the
 * token's last use may stay uncounted.
 */
let freeToken: string;
let account_id: string;

const number = { identifier_type: 'NIP', identifier_value: '1000201006' };

function startApi(readers = db.readers!, SEARCH_CREDITS = 1) {
  return startTestApi({
    SEARCH_CREDITS,
    db: openKysely(db.pool),
    gate: openKysely(gatePool),
    pool: db.pool,
    readers,
    downloadPools: [...db.readConnections, db.connection].map(openPool),
    searchIndex: createSearchIndex([...db.readConnections, db.connection]),
    deadline_ms: 3_000,
  });
}

async function ask(path: string, body?: object, key?: string, bearer = token) {
  const response = await api.ask(`/api/v1${path}`, {
    headers: {
      Authorization: `Bearer ${bearer}`,
      'Content-Type': 'application/json',
      ...(key && { 'Idempotency-Key': key }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  return { status: response.status, body: answer };
}

/** Returns how many times the statements of the API have scanned a table on a server. */
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
  origin = await createOrigin(async (one) => {
    await runFixture(one, '2026-11-02');
    ({ master_token: token, account_id } = await createAccount(one.kysely));
    ({ plaintext: revoked } = await createApiToken(one.kysely, account_id));
    await one.pool.query(`update customer.token set revoked_at = now() where kind = 'api'`);
    ({ plaintext: freeToken } = await createApiToken(one.kysely, account_id));
  });
  [writer, standby] = [await origin.copy(), await origin.copy()];
  toWriter = await startDatabaseProxy(writer.url);
  toStandby = await startDatabaseProxy(standby.url);
  db = await connect({
    DATABASE_URL: toWriter.url,
    DATABASE_READ_URL: [toStandby.url],
    DATA_DIR: '',
    applicationName: 'readers',
    patience_ms: 2_500,
  });
  gatePool = openPool({ ...db.connection, patience_ms: 2_500, max: 3 });
  api = await startApi();
  while ((await ask('/companies/search')).status === 503);
});

afterAll(async () => {
  await api.close();
  await gatePool.end();
  await db.close();
  await Promise.all([toWriter.close(), toStandby.close()]);
  await Promise.all([writer.drop(), standby.drop()]);
});

test('what the registries say is read on the standby, and charged on the writer', async () => {
  const before = await readsOf(writer, 'registry.entry_ceidg');
  for (let count = 0; count < 5; count += 1) {
    // A snapshot request with an idempotency key is charged in the transaction that stores its answer.
    const key = count % 2 === 1 ? `read-${count}` : undefined;
    expect((await ask('/companies/snapshot', number, key)).status).toBe(200);
    expect((await ask('/companies/search?city=wroclaw')).status).toBe(200);
  }
  expect((await ask('/wallet')).body).toMatchObject({ data: { balance: 200 - 5 * 6 - 1 } });
  expect(await readsOf(writer, 'registry.entry_ceidg')).toBe(before);
  expect((await api.ask('/readyz')).status).toBe(200);
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  expect(metrics).toMatch(/registry_reader_up\{reader="127\.0\.0\.1:\d+"\} 1/);
});

test('a search is answered where the standby has a single session', async () => {
  const pool = openPool({ ...db.readConnections[0], max: 1 });
  const readers = await openReaders(db.pool, [pool], 10, 60);
  const other = await startApi(readers);
  const headers = { Authorization: `Bearer ${token}` };
  expect((await other.ask('/api/v1/companies/search', { headers })).status).toBe(200);
  await other.close();
  await readers.close();
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

/** Returns the number of uses of the Master Token that are counted on the writer. */
async function usesOf(): Promise<number> {
  const { rows } = await writer.pool.query<{ usage_count: string }>(
    `select usage_count from customer.token where account_id = $1 and kind = 'master'`,
    [account_id],
  );
  return Number(rows[0]!.usage_count);
}

test('reads do not wait for commits that hang, such as those of a frozen standby', async () => {
  const waitAtCommit = (seconds: number) =>
    `create or replace function wait_at_commit() returns trigger language plpgsql
    as $$ begin perform pg_sleep(${seconds}); return null; end $$;`;
  await writer.pool.query(`${waitAtCommit(60)}
    create constraint trigger wait after insert on customer.wallet_transaction
    deferrable initially deferred for each row execute function wait_at_commit()`);
  const findHanging = `select from pg_stat_activity
    where wait_event_type in ('Timeout', 'Lock') and datname = current_database()`;
  const charged = Array.from({ length: 20 }, (_, at) =>
    ask('/companies/snapshot', number, `key-${at}`),
  );
  // Ten sessions of the API hang, which are all sessions except those for limits and tokens. One hangs in the commit of
  // a charge, and nine wait for the lock that this session holds.
  await expect.poll(async () => (await writer.pool.query(findHanging)).rowCount).toBe(10);
  expect((await ask('/stats/day/2026-11-03')).status).toBe(200);
  expect((await ask('/events/feed')).status).toBe(200);
  expect((await writer.pool.query(findHanging)).rowCount).toBe(10);
  await writer.pool.query(waitAtCommit(0));
  await writer.pool.query(`select pg_terminate_backend(pid) ${findHanging.slice(6)}`);
  await Promise.all(charged);
});

test('reads without a charge go on while the writer is away, and are limited; the rest is a 503', async () => {
  const free = await startApi(db.readers, 0);
  const headers = { Authorization: `Bearer ${freeToken}` };
  const searchFree = () => free.ask('/api/v1/companies/search', { headers });
  while ((await searchFree()).status === 503);
  await api.uses.flush();
  const uses_before = await usesOf();
  await toWriter.cut();
  const address = '192.0.2.77';
  const statuses = new Set<number>();
  for (let count = 0; count < 12; count += 1) {
    const { status } = await api.ask('/api/v1/stats/day/2026-11-03', { address });
    statuses.add(status);
  }
  expect(statuses).toEqual(new Set([200, 429]));
  expect((await api.ask('/downloads/2026-11-03/daily_stat.csv')).status).toBe(200);
  expect((await ask('/events/feed')).status).toBe(200);
  const history = '/companies/events?identifier_type=NIP&identifier_value=1000201006';
  expect((await ask(history)).body).toMatchObject({ meta: { is_watched: false } });
  expect((await ask('/events/feed', undefined, undefined, revoked)).body).toMatchObject({
    error: 'Token revoked',
  });
  expect((await ask('/events/feed', undefined, undefined, createSecret('api'))).status).toBe(401);
  expect((await ask('/wallet')).status).toBe(503);
  expect((await ask('/companies/search')).status).toBe(503);
  const found = await searchFree();
  expect([found.status, found.headers.get('X-Credits-Balance')]).toEqual([200, '200']);
  await free.close();
  await expect
    .poll(async () => (await api.ask('/readyz')).json())
    .toMatchObject({ status: 'read-only', readers: [{ is_up: true, snapshot_no: 2 }] });
  await toWriter.mend();
  await api.uses.flush();
  expect((await usesOf()) - uses_before).toBe(4);
  await expect.poll(async () => (await ask('/wallet')).status).toBe(200);
  await expect.poll(async () => (await api.ask('/readyz')).json()).toMatchObject({ status: 'ok' });
});

test('a standby that falls silent costs a read less than a second', async () => {
  toStandby.hang();
  const begun_at = performance.now();
  expect((await ask('/stats/day/2026-11-03')).status).toBe(200);
  // The API's liveness check finds the silent standby within 2.5 seconds, before the answer's deadline of 3 seconds.
  expect(performance.now() - begun_at).toBeLessThan(2_500);
  expect((await ask('/companies/snapshot', number)).status).toBe(200);
  await toStandby.mend();
});
