import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { insertDays } from '../../fixtures/database/published-days.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';

let database: TestDatabase;
let api: TestApi;

// TERYT 14: mazowieckie, 24: śląskie; 019: spolka-cywilna.
beforeAll(async () => {
  database = await createTestDatabase();
  api = await startTestApi({ db: database.kysely });
  await insertDays(
    database,
    `('ceidg', '2026-01-30', 0, 0, 0, 100, true),
     ('ceidg', '2026-01-31', 5, 7, 2, 103, false),
     ('ceidg', '2026-02-03', 0, 0, 0, 103, false),
     ('ceidg', '2026-02-04', 2, 0, 0, 105, false),
     ('krs', '2026-02-04', 0, 0, 0, 10, true)`,
  );
  await database.pool.query(`
    insert into registry.stock_change values
        ('ceidg', '2026-01-30', '14', 'F', null, 'ACTIVE', 70, 0, 0, 0, 0),
        ('ceidg', '2026-01-30', '24', 'G', '019', 'ACTIVE', 20, 0, 0, 0, 0),
        ('ceidg', '2026-01-30', '24', 'G', null, 'SUSPENDED', 10, 0, 0, 0, 0),
        ('ceidg', '2026-01-31', '14', 'F', null, 'ACTIVE', 1, 5, 1, 0, 0),
        ('ceidg', '2026-01-31', '14', 'F', null, 'SUSPENDED', 2, 0, 0, 2, 0),
        ('ceidg', '2026-02-04', '24', 'G', '019', 'ACTIVE', 2, 1, 0, 0, 1),
        ('ceidg', '2026-02-04', '24', 'G', null, 'SUSPENDED', -1, 0, 0, 0, 0),
        ('ceidg', '2026-02-04', '24', 'G', null, 'DELETED', 1, 0, 0, 0, 0),
        ('ceidg', 'infinity', '24', 'G', null, 'ACTIVE', 1, 1, 0, 0, 0),
        ('krs', '2026-02-04', '14', null, null, 'ACTIVE', 10, 0, 0, 0, 0)
  `);
});

afterAll(async () => {
  await api.close();
  await database.drop();
});

const path = '/api/v1/stats/series';

async function seriesOf(query: string): Promise<unknown> {
  const response = await api.ask(`${path}?${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { series: unknown }).series;
}

async function errorsOf(query: string): Promise<unknown> {
  const response = await api.ask(`${path}?${query}`);
  expect(response.status).toBe(422);
  return ((await response.json()) as { errors: unknown }).errors;
}

describe('GET /api/v1/stats/series', () => {
  test('200 has the stock and the flow of each snapshot, and leaves out days without one', async () => {
    const response = await api.ask(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('vary')?.split(', ')).toContain('Accept');
    expect(await response.json()).toEqual({
      by: 'day',
      source: 'ceidg',
      series: [
        {
          date: '2026-01-30',
          stock: { ACTIVE: 90, SUSPENDED: 10, DELETED: 0 },
          new: 0,
          ended: 0,
          suspended: 0,
          resumed: 0,
          is_baseline: true,
        },
        {
          date: '2026-01-31',
          stock: { ACTIVE: 91, SUSPENDED: 12, DELETED: 0 },
          new: 5,
          ended: 1,
          suspended: 2,
          resumed: 0,
          is_baseline: false,
        },
        {
          date: '2026-02-03',
          stock: { ACTIVE: 91, SUSPENDED: 12, DELETED: 0 },
          new: 0,
          ended: 0,
          suspended: 0,
          resumed: 0,
          is_baseline: false,
        },
        {
          date: '2026-02-04',
          stock: { ACTIVE: 93, SUSPENDED: 11, DELETED: 1 },
          new: 1,
          ended: 0,
          suspended: 0,
          resumed: 1,
          is_baseline: false,
        },
      ],
    });
  });

  test('200 by month has the last stock of the month and the sum of its flows', async () => {
    expect(await seriesOf('by=month')).toEqual([
      {
        date: '2026-01-01',
        stock: { ACTIVE: 91, SUSPENDED: 12, DELETED: 0 },
        new: 5,
        ended: 1,
        suspended: 2,
        resumed: 0,
        is_baseline: true,
      },
      {
        date: '2026-02-01',
        stock: { ACTIVE: 93, SUSPENDED: 11, DELETED: 1 },
        new: 1,
        ended: 0,
        suspended: 0,
        resumed: 1,
        is_baseline: false,
      },
    ]);
  });

  test('200 counts what came before the first day into the stock, but not into the series', async () => {
    const series = await seriesOf('from=2026-02-01&to=2026-02-03');
    expect(series).toMatchObject([
      { date: '2026-02-03', stock: { ACTIVE: 91, SUSPENDED: 12, DELETED: 0 } },
    ]);
    expect(await seriesOf('from=2026-03-01')).toEqual([]);
  });

  test.each([
    ['voivodeship=mazowieckie', [70, 71, 71, 71]],
    ['voivodeship=śląskie', [20, 20, 20, 22]],
    ['voivodeship=Slaskie', [20, 20, 20, 22]],
    ['section=f', [70, 71, 71, 71]],
    ['legal_form=spolka-cywilna', [20, 20, 20, 22]],
    ['voivodeship=mazowieckie&section=G', [0, 0, 0, 0]],
    ['source=krs', [10]],
  ])('200 counts only the group that is asked for: %s', async (query, active) => {
    const series = (await seriesOf(query)) as { stock: { ACTIVE: number } }[];
    expect(series.map(({ stock }) => stock.ACTIVE)).toEqual(active);
  });

  test('200 is CSV where the client prefers it, and under a path of its own', async () => {
    const asked = [
      await api.ask(`${path}?from=2026-02-01`, { headers: { Accept: 'text/csv' } }),
      await api.ask(`${path}.csv?from=2026-02-01`),
    ];
    for (const response of asked) {
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(await response.text()).toBe(
        [
          'date,stock_active,stock_suspended,stock_deleted,new,ended,suspended,resumed,is_baseline',
          '2026-02-03,91,12,0,0,0,0,0,false',
          '2026-02-04,93,11,1,1,0,0,1,false',
          '',
        ].join('\n'),
      );
    }
  });

  test('200 may be kept in a cache where all its days are past', async () => {
    const kept = async (to: string) => (await api.ask(`${path}${to}`)).headers.get('cache-control');
    expect(await kept('?to=2026-02-28')).toBe('public, max-age=3600');
    expect(await kept('.csv?to=2026-02-28')).toBe('public, max-age=3600');
    expect(await kept('?to=2999-01-01')).toBe('no-cache');
    expect(await kept('')).toBe('no-cache');
  });

  test('200 answers HEAD without a body', async () => {
    for (const ending of ['', '.csv']) {
      const response = await api.ask(path + ending, { method: 'HEAD' });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('');
    }
  });

  test.each([
    [
      'from=2026-02-30',
      { from: ['The from field must be a calendar date in the form YYYY-MM-DD.'] },
    ],
    ['from=2026-02-01&from=2026-02-02', { from: ['The from field must be given only once.'] }],
    ['from=2026-02-02&to=2026-02-01', { to: ['The to field must not be before from.'] }],
    ['by=year', { by: [expect.any(String)] }],
    ['section=W', { section: ['The section field must be a section of the PKD 2025, A to V.'] }],
    [
      'source=regon',
      { source: ['The source field must be the name of a source that has statistics.'] },
    ],
    [
      'voivodeship=14&legal_form=',
      {
        voivodeship: ['The voivodeship field must be the name of a voivodeship.'],
        legal_form: ['The legal_form field must be the slug of a legal form.'],
      },
    ],
    ['status=ACTIVE', { status: ['The status field is unknown.'] }],
  ])('422 for %s', async (query, errors) => {
    expect(await errorsOf(query)).toEqual(errors);
  });

  test('404 as long as nothing is published', async () => {
    const empty = await createTestDatabase();
    const other = await startTestApi({ db: empty.kysely });
    const response = await other.ask(path);
    await other.close();
    await empty.drop();
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ message: 'No snapshot has been published yet.' });
  });
});
