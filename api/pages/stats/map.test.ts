import { describe, expect, test } from 'vitest';
import { startTestApi } from '../../../fixtures/client/test-api.ts';
import { useApi } from '../../../fixtures/client/use-api.ts';
import { insertDays } from '../../../fixtures/database/published-days.ts';

const { database, api } = await useApi();
await insertDays(
  database,
  `('map', '2026-09-29', 0, 0, 0, 950, true), ('map', '2026-10-01', 70, 0, 20, 1000, false),
  ('few', '2026-10-01', 0, 0, 0, 11, true)`,
);
await database.pool.query(
  `insert into registry.stock_change (
    source, stat_date, voivodeship, activity_section, legal_form, status, entry_change, new_count,
    ended_count, suspended_count, resumed_count
  )
  values
    ('few', '2026-10-01', '14', 'F', '099', 'ACTIVE', 5, 0, 0, 0, 0),
    ('few', '2026-10-01', '24', 'F', '099', 'ACTIVE', 3, 0, 0, 0, 0),
    ('few', '2026-10-01', '16', 'F', '099', 'ACTIVE', 2, 0, 0, 0, 0),
    ('few', '2026-10-01', '12', 'F', '099', 'ACTIVE', 1, 0, 0, 0, 0),
    ('map', '2026-09-29', '14', 'F', '099', 'ACTIVE', 300, 0, 0, 0, 0),
    ('map', '2026-10-01', '14', 'F', '099', 'ACTIVE', 60, 60, 0, 0, 0),
    ('map', '2026-10-01', '14', 'F', '099', 'SUSPENDED', 8, 0, 0, 0, 0),
    ('map', '2026-09-29', '24', 'G', '099', 'ACTIVE', 400, 0, 0, 0, 0),
    ('map', '2026-10-01', '24', 'G', '099', 'ACTIVE', -20, 0, 20, 0, 0),
    ('map', '2026-09-29', null, null, null, 'ACTIVE', 250, 0, 0, 0, 0),
    ('map', '2026-10-01', null, null, null, 'ACTIVE', 10, 10, 0, 0, 0)`,
);

describe('the map of the statistics', () => {
  /**
   * Returns the figures on the map: of two voivodeships with entries, of one voivodeship without entries, and of the
   * entries without a voivodeship.
   */
  async function read(query: string): Promise<string[]> {
    const page = await (await api.ask(`/stats?source=map&${query}`)).text();
    const shown = [...page.matchAll(/aria-label="(?:MZ|SL|OP) ([^"]*)"/g)].map(([, text]) => text!);
    const none = />Without a voivodeship: <strong>([^<]*)</.exec(page)?.[1];
    return [...shown, `none ${none}`];
  }

  /** Returns the labels of the classes in the map's legend. */
  function legendOf(page: string) {
    const legend = page.slice(page.indexOf('<ul class="legend'));
    const labels = [...legend.matchAll(/<li>.*?<\/span>([^<]*)<\/li>/g)].map(([, label]) => label);
    return labels.filter((label) => label !== 'no figure');
  }

  const empty = ['0 mazowieckie', '0 opolskie', '0 śląskie'];
  test.each([
    ['count', '', ['360 mazowieckie', '0 opolskie', '380 śląskie', 'none 260']],
    ['share', 'measure=share', ['36% mazowieckie', '0% opolskie', '38% śląskie', 'none 26%']],
    ['change', 'measure=change', ['+20% mazowieckie', '– opolskie', '−5% śląskie', 'none +4%']],
    ['count of a section', 'section=G', [...empty.slice(0, 2), '380 śląskie', 'none undefined']],
    ['count of a form', 'legal_form=spolka-cywilna', [...empty, 'none undefined']],
    ['count of no section', 'section=none', [...empty, 'none 260']],
    [
      'count of a day',
      'to=2026-09-30',
      ['300 mazowieckie', '0 opolskie', '400 śląskie', 'none 250'],
    ],
  ])('shows the %s, also of entries without a voivodeship', async (_, query, expected) => {
    expect(await read(query)).toEqual(expected);
  });

  test('hides what the operator hides', async () => {
    const hiding = await startTestApi({ db: database.kysely, SUPPRESS_BELOW: 300 });
    const page = await (await hiding.ask('/stats?source=map')).text();
    expect(page).toContain('Without a voivodeship: <strong>–</strong>');
    expect(page).toContain('mazowieckie: 360 active entries; 36% of the country; – since');
  });

  test('shows entries per 1,000 inhabitants, with the source and the year of these', async () => {
    const { rows } = await database.pool.query<{
      shown: string;
      year: number;
      source: string;
    }>(
      `select (360000::float8 / population)::numeric::text as shown, year, source
      from registry.population
      where voivodeship = '14'`,
    );
    const [{ shown, year, source }] = rows as [(typeof rows)[0]];
    expect((await read('measure=rate'))[0]).toBe(
      `${Number(Number(shown).toPrecision(3))} mazowieckie`,
    );
    const page = await (await api.ask('/stats?source=map&measure=rate')).text();
    expect(page).toContain(
      `The map shows the active entries per 1,000 inhabitants on 1 October 2026. Population: ${source}, ${year}.`,
    );
  });

  test.each([
    ['few', 'count', ['below 1', '1', '2', '3', '4 and more']],
    [
      'few',
      'share',
      ['below 5%', '5% to below 10%', '10% to below 20%', '20% to below 40%', '40% and more'],
    ],
    [
      'map',
      'change',
      ['below −12%', '−12% to below −4%', '−4% to below +4%', '+4% to below +12%', '+12% and more'],
    ],
  ])(
    'has classes that share no number, and of entries no part of one: %s %s',
    async (source, measure, labels) => {
      const page = await (await api.ask(`/stats?source=${source}&measure=${measure}`)).text();
      expect(legendOf(page)).toEqual(labels);
    },
  );

  test('has a date, a legend with limits, and all entries in its sum', async () => {
    const page = await (await api.ask('/stats?source=map')).text();
    expect(page).toContain('On 1 October 2026, the whole country had 1,000 active entries.');
    expect(legendOf(page)).toEqual(['below 200', '200 to 369', '370 and more']);
    expect(page).toContain(
      'mazowieckie: 360 active entries; 36% of the country; +60 since 29 September 2026',
    );
    expect(page).toMatch(/href="\/stats\?source=map&amp;voivodeship=none&amp;by=day"/);
  });
});
