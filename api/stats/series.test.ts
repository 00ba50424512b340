import { beforeAll, describe, expect, test } from 'vitest';
import { askJson, refusals } from '../../fixtures/client/json-client.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { insertDays } from '../../fixtures/database/published-days.ts';

// TERYT code 14 is mazowieckie, and 24 is śląskie; legal form 019 is spolka-cywilna.
const { database, api } = await useApi();
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
      ('krs', '2026-02-04', '14', null, null, 'ACTIVE', 10, 0, 0, 0, 0);
  update registry.stock_change set returned_count = 1
  where stat_date = '2026-02-04' and new_count = 1;
  insert into registry.stock_move values
      ('ceidg', '2026-02-04', 'ACTIVE', false, '14', 'F', null, '24', 'F', null, 3),
      ('ceidg', '2026-02-04', 'ACTIVE', false, '14', 'F', null, null, 'F', null, 4),
      ('ceidg', '2026-02-04', 'SUSPENDED', true, '24', 'G', null, '24', 'F', null, 2),
      ('ceidg', 'infinity', 'ACTIVE', false, '14', 'F', null, '24', 'F', null, 50)
`);

const path = '/api/v1/stats/series';

/** The flows of a baseline snapshot, which is compared with no earlier snapshot. */
const nothingCompared = {
  new: null,
  ended: null,
  suspended: null,
  resumed: null,
  births: null,
  returns: null,
  moved_in: null,
  moved_out: null,
  recoded_in: null,
  recoded_out: null,
  days_covered: null,
};

/** The flows of a snapshot in which nothing changed. */
const nothing = Object.fromEntries(Object.keys(nothingCompared).map((flow) => [flow, 0]));

/** Returns the expected point of a day without changes. `fields` replaces values of the point. */
const pointOf = (date: string, [ACTIVE, SUSPENDED, DELETED]: number[], fields: object) => ({
  date,
  stock: { ACTIVE, SUSPENDED, DELETED },
  ...nothing,
  is_baseline: false,
  days_covered: 1,
  days_with_data: 1,
  is_partial: false,
  is_suppressed: false,
  ...fields,
});

const csvFields =
  'stock_active,stock_suspended,stock_deleted,new,ended,suspended,resumed,is_baseline,births,returns,moved_in,moved_out,recoded_in,recoded_out,days_covered,days_with_data,is_partial,is_suppressed';

async function seriesOf(query: string) {
  const { status, body } = await askJson(api, `GET /stats/series?${query}`);
  expect(status).toBe(200);
  return (body as { series: unknown[] }).series;
}

async function errorsOf(query: string): Promise<unknown> {
  const { status, body } = await askJson(api, `GET /stats/series?${query}`);
  expect(status).toBe(422);
  return (body as { errors: unknown }).errors;
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
        pointOf('2026-01-30', [90, 10, 0], { ...nothingCompared, is_baseline: true }),
        pointOf('2026-01-31', [91, 12, 0], { new: 5, ended: 1, suspended: 2, births: 5 }),
        pointOf('2026-02-03', [91, 12, 0], { days_covered: 3 }),
        pointOf('2026-02-04', [93, 11, 1], { new: 1, resumed: 1, returns: 1 }),
      ],
    });
  });

  test('200 by month has the last stock of the month and the sum of its flows', async () => {
    const month = { days_with_data: 2, is_partial: true };
    const january = { ...month, new: 5, ended: 1, suspended: 2, births: 5, is_baseline: true };
    const february = { ...month, new: 1, resumed: 1, returns: 1, days_covered: 4 };
    expect(await seriesOf('by=month')).toEqual([
      pointOf('2026-01-01', [91, 12, 0], january),
      pointOf('2026-02-01', [93, 11, 1], february),
    ]);
  });

  test('200 by month has nulls where a month holds a baseline alone', async () => {
    expect(await seriesOf('by=month&to=2026-01-30')).toMatchObject([
      { date: '2026-01-01', ...nothingCompared, is_baseline: true, is_partial: true },
    ]);
  });

  test('200 counts what came before the first day into the stock, but not into the series', async () => {
    expect(await seriesOf('from=2026-02-01&to=2026-02-03')).toMatchObject([
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

  test.each([
    ['voivodeship=none', { date: '2026-02-04', moved_in: 4, moved_out: 0, recoded_in: 0 }],
    ['section=none&source=krs', { stock: { ACTIVE: 10, SUSPENDED: 0, DELETED: 0 } }],
    ['legal_form=none', { stock: { ACTIVE: 71, SUSPENDED: 11, DELETED: 1 }, moved_in: 0 }],
    ['voivodeship=mazowieckie', { moved_in: 0, moved_out: 7, recoded_in: 0, recoded_out: 0 }],
    ['voivodeship=slaskie&section=F', { moved_in: 3, moved_out: 0, recoded_in: 2, recoded_out: 0 }],
    ['section=G', { moved_in: 0, moved_out: 0, recoded_in: 0, recoded_out: 2 }],
    ['section=F', { moved_in: 0, moved_out: 0, recoded_in: 2, recoded_out: 0 }],
  ])('200 counts who crosses the border of the selection: %s', async (query, last) => {
    expect((await seriesOf(query)).at(-1)).toMatchObject(last);
  });

  test('200 has a point a group where groups are asked for', async () => {
    const of = (voivodeship: string | null, active: number, flows: object) =>
      expect.objectContaining({
        date: '2026-02-01',
        group: { voivodeship },
        stock: expect.objectContaining({ ACTIVE: active }),
        ...flows,
      });
    expect(await seriesOf('by=month&from=2026-02-01&group_by=voivodeship')).toEqual([
      of(null, 0, { new: 0, moved_in: 4, moved_out: 0 }),
      of('mazowieckie', 71, { new: 0, births: 0, returns: 0, moved_in: 0, moved_out: 7 }),
      of('śląskie', 22, { new: 1, births: 0, returns: 1, moved_in: 3, recoded_in: 0 }),
    ]);
    expect(await seriesOf('from=2026-02-04&group_by=legal_form,section')).toMatchObject([
      { group: { section: 'F', legal_form: null }, stock: { ACTIVE: 71 }, moved_in: 0 },
      { group: { section: 'G', legal_form: null }, stock: { SUSPENDED: 9 }, recoded_out: 2 },
      { group: { section: 'G', legal_form: 'spolka-cywilna' }, stock: { ACTIVE: 22 }, new: 1 },
    ]);
    expect(await seriesOf('group_by=legal_form&legal_form=spolka-akcyjna')).toEqual([]);
  });

  test('200 is the same for the page, under a limit of its own', async () => {
    const query = 'by=month&voivodeship=none';
    const response = await api.ask(`/stats/series?${query}`);
    expect(response.headers.get('ratelimit-policy')).toContain('q=60; w=60');
    expect(await response.json()).toEqual(await (await api.ask(`${path}?${query}`)).json());
    expect((await api.ask('/stats/series?by=year')).status).toBe(422);
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
          `date,${csvFields}`,
          '2026-02-03,91,12,0,0,0,0,0,false,0,0,0,0,0,0,3,1,false,false',
          '2026-02-04,93,11,1,1,0,0,1,false,0,1,0,0,0,0,1,1,false,false',
          '',
        ].join('\n'),
      );
      expect(response.headers.get('content-disposition')).toBe(
        'attachment; filename=ceidg-by-day-2026-02-03-2026-02-04.csv',
      );
    }
  });

  test('200 is CSV, with lines that tell what it is', async () => {
    const asked = 'comments=true&group_by=legal_form&by=month&to=2026-01-31&section=F';
    const response = await api.ask(`${path}.csv?${asked}`);
    expect(await response.text()).toBe(
      [
        '# Registry: ceidg',
        '# Selection: section=F; group_by=legal_form',
        '# By month: 2026-01-01',
        '# Source: the public register of that name, as its dumps of these days state it',
        '# Licence: public sector information; the terms of the data are at /terms',
        `date,legal_form,${csvFields}`,
        '2026-01-01,,71,2,0,5,1,2,0,true,5,0,0,0,0,0,1,2,true,false',
        '',
      ].join('\n'),
    );
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename=ceidg-F-legal_form-by-month-2026-01-01.csv',
    );
    const named = await api.ask(`${path}.csv?voivodeship=śląskie&to=2026-01-30`);
    expect(named.headers.get('content-disposition')).toContain(
      "filename*=UTF-8''ceidg-%C5%9Bl%C4%85skie-by-day-2026-01-30.csv",
    );
  });

  test('200 may be kept in a cache where all its days are past', async () => {
    const kept = async (to: string) => (await api.ask(`${path}${to}`)).headers.get('cache-control');
    expect(await kept('?to=2026-02-28')).toBe('public, max-age=3600');
    expect(await kept('.csv?to=2026-02-28')).toBe('public, max-age=3600');
    expect(await kept('?to=2999-01-01')).toBe('no-cache');
    expect(await kept('')).toBe('no-cache');
  });

  test.each([
    ['from=2026-02-30', { from: 'must be a calendar date in the form YYYY-MM-DD.' }],
    ['from=2026-02-01&from=2026-02-02', { from: 'must be given only once.' }],
    ['from=2026-02-02&to=2026-02-01', { to: 'must not be before from.' }],
    ['by=year', { by: 'must be one of day, month.' }],
    ['section=W', { section: 'must be a section from A to V, or none.' }],
    ['source=regon', { source: 'must be the name of a source that has statistics.' }],
    [
      'voivodeship=14&legal_form=',
      {
        voivodeship: 'must be the name of a voivodeship.',
        legal_form: 'must be the slug of a legal form.',
      },
    ],
    [
      'voivodeship=opol',
      {
        voivodeship:
          'must be the name of a voivodeship; near ones: opolskie, malopolskie, wielkopolskie, zachodniopomorskie.',
      },
    ],
    ['status=ACTIVE', { status: 'is unknown.' }],
    [
      'group_by=section,status',
      { group_by: 'must list voivodeship, section, legal_form, or some of them.' },
    ],
  ] as [string, Record<string, string>][])('422 for %s', async (query, errors) => {
    expect(await errorsOf(query)).toEqual(refusals(errors));
  });
});

describe('a long series', () => {
  beforeAll(async () => {
    await insertDays(
      database,
      `('other', '2025-01-01', 0, 0, 0, 0, true), ${Array.from({ length: 3000 }, (_, day) => {
        const date = new Date(Date.UTC(2027, 0, 20) + day * 86_400_000).toISOString().slice(0, 10);
        return `('long', '${date}', 0, 0, 0, 0, ${day === 0})`;
      }).join()}`,
    );
    await database.pool.query(`
      insert into registry.stock_change
      select source, day, teryt, null, null, 'ACTIVE', 1, 0, 0, 0, 0
      from (values ('long', date '2027-01-20'), ('other', '2025-01-01')) as first (source, day)
      cross join (
          select teryt from analyst.voivodeship union all select null union all select '99'
      ) as region
    `);
  });

  test.each([
    ['to=2027-03-30', [true, false, true]],
    ['to=2027-03-31', [true, false, false]],
    ['from=2027-02-02&to=2027-03-31', [true, false]],
    ['from=2027-02-01&to=2027-02-27', [true]],
  ])('calls a month whole all of whose days are compared: %s', async (query, partial) => {
    const series = await seriesOf(`source=long&by=month&${query}`);
    expect(series).toMatchObject(partial.map((is_partial) => ({ is_partial })));
  });

  test('has at most 30,000 points by group, and 2,000 on the page', async () => {
    const message = (most: number) =>
      `The group_by field gives more than ${most} points: ask for fewer days, for months or for fewer groups.`;
    const errors = { group_by: [message(30_000)] };
    expect(await errorsOf('source=long&group_by=voivodeship')).toEqual(errors);
    const page = await api.ask('/stats/series?source=long&group_by=voivodeship&to=2027-06-01');
    expect(await page.json()).toMatchObject({ message: message(2000) });
    const fewer = await seriesOf('source=long&group_by=voivodeship&by=month&section=none');
    expect(fewer).toHaveLength(18 * 100);
  });
});
