import { afterAll, beforeAll, expect, test } from 'vitest';
import { boundDefaults } from '../bounds.ts';
import { createSubmitter } from '../../fixtures/client/submitter.ts';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';

let database: TestDatabase;
let api: TestApi;

beforeAll(async () => {
  database = await createTestDatabase();
  const bounds = { ...boundDefaults, REQUESTS_IN_FLIGHT: 3 };
  api = await startTestApi({ db: database.kysely, bounds });
});

afterAll(async () => {
  await api.close();
  await database.drop();
});

/** Sessions of the API that wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]!.count;
}

test('Requests of an account beyond its share get a 429; those that wait hold one session', async () => {
  const submitter = await createSubmitter(database, api);
  const other = await createSubmitter(database, api);
  const holder = await database.pool.connect();
  await holder.query('begin');
  await holder.query('select customer.lock_accounts(array[$1::bigint])', [submitter.account_id]);
  const added = ['0000000017', '0000000018', '0000000019'].map((krs) => submitter.add('KRS', krs));
  await expect.poll(countWaiting, { timeout: 20_000 }).toBe(1);
  await expect
    .poll(() => submitter.ask('GET /wallet'), { timeout: 20_000 })
    .toEqual({ status: 429, body: { message: 'At most 3 requests may be under way at a time.' } });
  expect((await other.ask('GET /wallet')).status).toBe(200);
  expect((await api.ask('/api/v1/event-types')).status).toBe(200);
  expect(await countWaiting()).toBe(1);
  await holder.query('rollback');
  holder.release();
  await Promise.all(added);
  expect(await submitter.list()).toHaveLength(3);
});
