import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { insertDays } from '../../fixtures/database/published-days.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';

let database: TestDatabase;
let api: TestApi;

const path = '/api/v1/stats/series';

describe('a long series', () => {
  beforeAll(async () => {
    database = await createTestDatabase();
    api = await startTestApi({ db: database.kysely });
    await insertDays(
      database,
      `('krs', '2025-01-01', 0, 0, 0, 0, true), ${Array.from({ length: 3000 }, (_, day) => {
        const date = new Date(Date.UTC(2027, 0, 20) + day * 86_400_000).toISOString().slice(0, 10);
        return `('ceidg', '${date}', 0, 0, 0, 0, ${day === 0})`;
      }).join()}`,
    );
    await database.pool.query(`
      insert into registry.stock_change
      select source, day, teryt, null, null, 'ACTIVE', 1, 0, 0, 0, 0
      from (values ('ceidg', date '2027-01-20'), ('krs', '2025-01-01')) as first (source, day)
      cross join (
          select teryt from analyst.voivodeship union all select null union all select '99'
      ) as region
    `);
  });

  afterAll(async () => {
    await api.close();
    await database.drop();
  });

  test.each([
    ['to=2027-03-30', [true, false, true]],
    ['to=2027-03-31', [true, false, false]],
    ['from=2027-02-02&to=2027-03-31', [true, false]],
    ['from=2027-02-01&to=2027-02-27', [true]],
  ])('calls a month whole all of whose days are compared: %s', async (query, partial) => {
    const response = await api.ask(`${path}?by=month&${query}`);
    const { series } = (await response.json()) as { series: { is_partial: boolean }[] };
    expect(series.map(({ is_partial }) => is_partial)).toEqual(partial);
  });

  test('has at most 30,000 points by group, and 2,000 on the page', async () => {
    const message = (most: number) =>
      `The group_by field gives more than ${most} points: ask for fewer days, for months or for fewer groups.`;
    const tooMany = await api.ask(`${path}?group_by=voivodeship`);
    expect(tooMany.status).toBe(422);
    expect(await tooMany.json()).toMatchObject({ message: message(30_000) });
    const page = await api.ask('/stats/series?group_by=voivodeship&to=2027-06-01');
    expect(await page.json()).toMatchObject({ message: message(2000) });
    const fewer = await api.ask(`${path}?group_by=voivodeship&by=month&section=none`);
    const { series } = (await fewer.json()) as { series: unknown[] };
    expect(series.length).toBe(18 * 100);
  });
});
