// What is read before it is known who asks, of somebody who was let in a moment ago.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runFixture } from '../../fixtures/night.ts';
import { createSearcher, readMovements } from '../../fixtures/searcher.ts';
import { startTestApi, type TestApi } from '../../fixtures/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/test-database.ts';
import { generalLimit } from '../auth/rate-limit.ts';

let database: TestDatabase;
let api: TestApi;
let searcher: Awaited<ReturnType<typeof createSearcher>>;

beforeAll(async () => {
  database = await createTestDatabase();
  await runFixture(database, '2026-11-02');
  api = await startTestApi({ db: database.kysely });
});

afterAll(async () => {
  await api.close();
  await database.drop();
});

beforeEach(async () => {
  searcher = await createSearcher(database.kysely, api);
  // Both of its tokens.
  for (const _ of ['Master', 'API']) await searcher.search('?city=Wrocław');
});

async function countMovements(): Promise<number> {
  return (await readMovements(database.kysely, searcher.account_id)).length;
}

describe('a search of a token that was let in before', () => {
  it.each(['?city=Wrocław', '?city='])(
    '401 once it is revoked, and costs nothing: %s',
    async (query) => {
      await database.pool.query(
        'update customer.token set revoked_at = now() where account_id = $1',
        [searcher.account_id],
      );
      expect(await searcher.search(query)).toMatchObject({
        status: 401,
        body: { error: 'Token revoked' },
        charged: null,
      });
      expect(await countMovements()).toBe(3);
    },
  );

  it('429 beyond its limit, and costs nothing', async () => {
    await database.pool.query('update customer.rate_limit set hit_count = $1', [
      generalLimit.request_count - 2,
    ]);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => searcher.search('?city=Wrocław')),
    );
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429, 429, 429, 429]);
    expect(await countMovements()).toBe(3 + 4);
  });

  it('422 to what cannot be asked, and 200 to what comes next', async () => {
    expect(await searcher.search('?voivodeship=nowhere')).toMatchObject({ status: 422 });
    expect(await searcher.search('?city=Wrocław')).toMatchObject({ status: 200, balance: '197' });
  });
});
