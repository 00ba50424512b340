import { parquetReadObjects } from 'hyparquet';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { insertDays } from '../../fixtures/database/published-days.ts';
import { openPool } from '../../sql/connection/pool.ts';

// TERYT code 14 is mazowieckie, and 24 is śląskie; legal form 019 is spolka-cywilna.
const { database, api } = await useApi({ now: () => new Date('2026-02-04T12:00:00Z') });
await insertDays(
  database,
  `('ceidg', '2026-01-30', 0, 0, 0, 100, true),
   ('ceidg', '2026-01-31', 5, 7, 2, 103, false),
   ('ceidg', '2026-02-04', 2, 0, 0, 105, false),
   ('krs', '2026-02-04', 0, 0, 0, 10, true)`,
);
await database.pool.query(`
  insert into registry.stock_change values
      ('ceidg', '2026-01-30', '14', 'F', null, 'ACTIVE', 70, 0, 0, 0, 0),
      ('ceidg', '2026-01-30', '24', 'G', '019', 'ACTIVE', 20, 0, 0, 0, 0),
      ('ceidg', '2026-01-30', null, null, null, 'SUSPENDED', 2, 0, 0, 0, 0),
      ('ceidg', '2026-01-31', '14', 'F', null, 'ACTIVE', 1, 5, 1, 0, 0),
      ('ceidg', '2026-01-31', '14', 'F', null, 'SUSPENDED', 3, 0, 0, 2, 0),
      ('ceidg', '2026-02-04', '24', 'G', '019', 'ACTIVE', -20, 1, 21, 0, 3),
      ('ceidg', 'infinity', '24', 'G', null, 'ACTIVE', 1, 1, 0, 0, 0),
      ('krs', '2026-02-04', '14', null, null, 'ACTIVE', 10, 0, 0, 0, 0)
`);

async function linesOf(path: string, from = api, country = ''): Promise<string[]> {
  const query = country && `?country=${country}`;
  const response = await from.ask(`/downloads/${path}.csv${query}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  return (await response.text()).trimEnd().split('\n');
}

const stockHeader =
  'date,source,voivodeship,activity_section,legal_form,status,entry_count,is_suppressed,country_code';

describe('GET /downloads/{date}/{view}', () => {
  test('200 has the rows of the day alone, of every registry that has it', async () => {
    expect(await linesOf('2026-01-31/stock_daily')).toEqual([
      stockHeader,
      '2026-01-31,ceidg,mazowieckie,F,,ACTIVE,71,f,PL',
      '2026-01-31,ceidg,mazowieckie,F,,SUSPENDED,3,f,PL',
      '2026-01-31,ceidg,śląskie,G,spolka-cywilna,ACTIVE,20,f,PL',
      '2026-01-31,ceidg,,,,SUSPENDED,2,f,PL',
    ]);
    expect(await linesOf('2026-02-04/stock_daily')).toEqual([
      stockHeader,
      '2026-02-04,ceidg,mazowieckie,F,,ACTIVE,71,f,PL',
      '2026-02-04,ceidg,mazowieckie,F,,SUSPENDED,3,f,PL',
      '2026-02-04,ceidg,,,,SUSPENDED,2,f,PL',
      '2026-02-04,krs,mazowieckie,,,ACTIVE,10,f,PL',
    ]);
    expect(await linesOf('2026-02-04/daily_stat')).toEqual([
      'source,date,new,updated,deleted,total,entry_count,is_baseline,days_covered,is_suppressed,country_code',
      'ceidg,2026-02-04,2,0,0,2,105,f,4,f,PL',
      'krs,2026-02-04,0,0,0,0,10,t,,f,PL',
    ]);
    expect(await linesOf('2026-01-30/event_daily')).toHaveLength(1);
  });

  test('200 is Parquet with types, whole or in the parts that a reader asks for', async () => {
    const path = '/downloads/2026-01-31/flow_daily.parquet';
    const whole = await api.ask(path);
    expect(whole.status).toBe(200);
    expect(whole.headers.get('content-type')).toBe('application/vnd.apache.parquet');
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    const file = await whole.arrayBuffer();
    const date = new Date('2026-01-31T00:00:00Z');
    expect(await parquetReadObjects({ file })).toMatchObject([
      { date, voivodeship: 'mazowieckie', legal_form: null, new: 5n, is_suppressed: false },
    ]);
    const ask = (Range: string) => api.ask(path, { headers: { Range } });
    const part = await ask('bytes=-4');
    expect(part.status).toBe(206);
    const size = file.byteLength;
    expect(part.headers.get('content-range')).toBe(`bytes ${size - 4}-${size - 1}/${size}`);
    expect(await part.text()).toBe('PAR1');
    expect((await ask(`bytes=${size}-`)).status).toBe(416);
    expect((await ask('bytes=0-3,8-9')).status).toBe(200);
    const head = await api.ask(path, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(size));
    expect(await head.text()).toBe('');
  });

  test('200 has by month the newest month that was over on the day', async () => {
    const flow = [
      'month,source,voivodeship,activity_section,legal_form,new,ended,suspended,resumed,births,returns,moved_in,moved_out,recoded_in,recoded_out,days_covered,is_partial,is_suppressed,country_code',
      '2026-01-01,ceidg,mazowieckie,F,,5,1,2,0,5,0,0,0,0,0,1,t,f,PL',
    ];
    expect(await linesOf('2026-02-04/flow_monthly')).toEqual(flow);
    expect(await linesOf('2026-01-31/flow_monthly')).toEqual(flow);
    expect(await linesOf('2026-01-30/flow_monthly')).toEqual(flow.slice(0, 1));
    expect(await linesOf('2026-02-04/month')).toEqual([
      'month,source,first_date,last_date,days_with_data,days_covered,is_partial,is_suppressed,country_code',
      '2026-01-01,ceidg,2026-01-30,2026-01-31,2,1,t,f,PL',
    ]);
  });

  test('200 has the rows and dictionaries of another country where that is asked for', async () => {
    const before = await linesOf('2026-01-31/stock_daily');
    const regions = await linesOf('2026-01-31/voivodeship');
    await insertDays(database, `('sirene', '2026-01-31', 0, 0, 0, 9, true)`);
    await database.pool.query(`
      insert into registry.stock_change values
          ('sirene', '2026-01-31', '24', 'G', '5710', 'ACTIVE', 9, 0, 0, 0, 0)
    `);
    expect(await linesOf('2026-01-31/stock_daily')).toEqual(before);
    expect(await linesOf('2026-01-31/voivodeship')).toEqual(regions);
    const french =
      '2026-01-31,sirene,Centre-Val de Loire,G,sas-societe-par-actions-simplifiee,ACTIVE,9,f,FR';
    expect(await linesOf('2026-01-31/stock_daily', api, 'FR')).toEqual([stockHeader, french]);
    expect(await linesOf('2026-01-31/stock_daily', api, 'all')).toEqual([...before, french]);
    expect(await linesOf('2026-01-31/voivodeship', api, 'fr')).toContain(
      'Centre-Val de Loire,24,centre-val-de-loire,FR',
    );
    const file = await api.ask('/downloads/2026-01-31/month.csv?country=FR');
    expect(file.headers.get('content-disposition')).toContain('month-FR-2026-01-31.csv');
    expect((await api.ask('/downloads/2026-02-04/month.csv?country=FR')).status).toBe(404);
    const message = 'The country field must be one of PL, FR, all.';
    const unknown = await api.ask('/downloads/2026-01-31/month.csv?country=DE');
    expect(unknown.status).toBe(422);
    expect(await unknown.json()).toEqual({ message, errors: { country: [message] } });
    await database.pool.query(`
      delete from registry.run where source = 'sirene';
      delete from registry.stock_change where source = 'sirene'
    `);
  });

  test('200 has dictionaries, whose texts no spreadsheet runs', async () => {
    const { pool } = database;
    await pool.query(`update registry.activity_section set name = '=1+1' where section = 'F'`);
    const sections = await linesOf('2026-01-31/activity_section');
    expect(sections).toHaveLength(23);
    expect(sections.slice(5, 7)).toEqual([
      expect.stringMatching(/^E,/),
      expect.stringMatching(/^F,'=1\+1,41,43/),
    ]);
  });

  test('304 for a known file, which changes when a registry publishes the day late', async () => {
    const ask = async (day: string, known = '') => {
      const path = `/downloads/${day}/stock_daily.csv`;
      const response = await api.ask(path, { headers: { 'If-None-Match': known } });
      const { status, headers } = response;
      return { status, tag: headers.get('etag')!, cache: headers.get('cache-control') };
    };
    const before = await ask('2026-01-30');
    const after = await ask('2026-01-31');
    expect(before).toMatchObject({ status: 200, cache: 'public, max-age=3600' });
    expect(await ask('2026-01-30', before.tag)).toEqual({ ...before, status: 304 });
    expect(await ask('2026-02-04')).toMatchObject({ status: 200, cache: 'no-cache' });
    await insertDays(database, `('regon', '2026-01-31', 0, 0, 0, 7, true)`);
    await database.pool.query(`
      insert into registry.stock_change values
          ('regon', '2026-01-31', '14', null, null, 'ACTIVE', 7, 0, 0, 0, 0)
    `);
    expect((await ask('2026-01-30', before.tag)).status).toBe(304);
    expect(await ask('2026-01-31', after.tag)).toMatchObject({ status: 200 });
    expect((await linesOf('2026-01-31/stock_daily')).at(-1)).toBe(
      '2026-01-31,regon,mazowieckie,,,ACTIVE,7,f,PL',
    );
  });

  test('200 has null for small counts where the operator hides them, and says so', async () => {
    const hiding = await startTestApi({ db: database.kysely, SUPPRESS_BELOW: 3 });
    expect((await linesOf('2026-02-04/stock_daily', hiding)).slice(2, 4)).toEqual([
      '2026-02-04,ceidg,mazowieckie,F,,SUSPENDED,3,f,PL',
      '2026-02-04,ceidg,,,,SUSPENDED,,t,PL',
    ]);
    const path = '/downloads/2026-02-04/flow_daily.parquet';
    const file = await (await hiding.ask(path)).arrayBuffer();
    expect(await parquetReadObjects({ file })).toMatchObject([
      { new: null, ended: 21n, suspended: 0n, resumed: 3n, is_suppressed: true },
    ]);
    expect((await linesOf('2026-02-04/flow_monthly', hiding))[1]).toBe(
      '2026-01-01,ceidg,mazowieckie,F,,5,,,0,5,0,0,0,0,0,1,t,t,PL',
    );
    // The counts in `daily_stat` are of whole registries and public elsewhere, so small counts are not suppressed.
    expect((await linesOf('2026-02-04/daily_stat', hiding))[1]).toBe(
      'ceidg,2026-02-04,2,0,0,2,105,f,4,f,PL',
    );
    expect((await linesOf('2026-02-04/event_type', hiding))[0]).not.toContain('is_suppressed');
    expect(await (await hiding.ask('/downloads?lang=en')).text()).toContain(
      'Counts from 1 to below 3',
    );
  });

  test('404 for a day without a snapshot', async () => {
    for (const date of ['2026-02-01', '0001-01-01', '9999-12-31']) {
      const response = await api.ask(`/downloads/${date}/stock_daily.csv`);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ message: `No snapshot was published for ${date}.` });
    }
  });

  test.each([
    '2026-02-30/stock_daily.csv',
    '2026-01-31/company.csv',
    '2026-01-31/entry.parquet',
    '2026-01-31/event.csv',
    '2026-01-31/corroboration.csv',
    '2026-01-31/cohort.csv',
    '2026-01-31/reject.csv',
    '2026-01-31/run.csv',
    '2026-01-31/wallet_transaction.csv',
    '2026-01-31/constructor.csv',
    '2026-01-31/stock_daily',
    '2026-01-31/stock_daily.xlsx',
    '2026-01-31/stock_daily.csv.parquet',
    '2026-01-31/stock_daily.csv%00',
  ])('404 for what is no public file: %s', async (path) => {
    expect((await api.ask(`/downloads/${path}`)).status).toBe(404);
  });

  test('429 after 120 files in a minute, and the statistics answer on', async () => {
    const client = { address: '10.9.9.9' };
    const ask = () => api.ask('/downloads/2026-01-30/voivodeship.csv', client);
    const statuses = [];
    for (let at = 0; at < 121; at += 1) statuses.push((await ask()).status);
    expect(statuses).toEqual([...Array.from({ length: 120 }, () => 200), 429]);
    expect((await api.ask('/api/v1/stats/series', client)).status).toBe(200);
  });
});

test('GET /api/v1/stats/series and its page hide the same small counts', async () => {
  const hiding = await startTestApi({ db: database.kysely, SUPPRESS_BELOW: 3 });
  for (const path of ['/api/v1/stats/series', '/stats/series']) {
    const response = await hiding.ask(`${path}?source=ceidg`);
    expect(await response.json()).toMatchObject({
      series: [
        { stock: { ACTIVE: 90, SUSPENDED: null, DELETED: 0 }, new: null, is_suppressed: true },
        { stock: { ACTIVE: 91, SUSPENDED: 5 }, new: 5, ended: null, days_covered: 1 },
        { new: null, ended: 21, resumed: 3, days_with_data: 1, is_suppressed: true },
      ],
    });
  }
  const csv = await (
    await hiding.ask('/api/v1/stats/series.csv?source=ceidg&to=2026-01-31')
  ).text();
  expect(csv.trimEnd().split('\n').slice(1)).toEqual([
    '2026-01-30,90,,0,,,,,true,,,,,,,,1,false,true',
    '2026-01-31,91,5,0,5,,,0,false,5,0,0,0,0,0,1,1,false,true',
  ]);
  const { series } = (await (await api.ask('/stats/series?source=ceidg')).json()) as {
    series: { stock: object; is_suppressed: boolean }[];
  };
  expect(series[0]).toMatchObject({ stock: { SUSPENDED: 2 }, is_suppressed: false });
});

describe('a file that takes long', () => {
  const path = '/downloads/2026-01-30/flow_daily.csv';

  /** Locks a table, so that every query of the statistics waits until the test is over. */
  async function holdStock(): Promise<void> {
    const holder = await database.pool.connect();
    await holder.query('begin; lock table registry.stock_change');
    onTestFinished(async () => {
      await holder.query('rollback');
      holder.release();
    });
  }

  test('503 once its query has taken too long, and another view is not held up', async () => {
    const connection = { connectionString: database.url, max: 1 };
    const downloadPool = openPool({ ...connection, statement_timeout: 1_500 });
    const impatient = await startTestApi({ db: database.kysely, downloadPools: [downloadPool] });
    await holdStock();
    const response = await impatient.ask(path);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toEqual({ message: 'Service Unavailable' });
    expect(await linesOf('2026-01-30/daily_stat', impatient)).toHaveLength(2);
  });
});

describe('GET /downloads', () => {
  test('200 has the files of the newest day, which all are there, and of a day that is asked for', async () => {
    const page = await (await api.ask('/downloads?lang=en')).text();
    expect(page).toContain('Files of 4 February 2026');
    expect(page).toContain('Registries of the day: CEIDG, KRS.');
    const files = [...page.matchAll(/href="(\/downloads\/[^"?]+\.(?:csv|parquet|json))"/g)];
    expect(files.length).toBe(26);
    for (const [, path] of files) expect((await api.ask(path!)).status).toBe(200);
    const other = await (await api.ask('/downloads?date=2026-01-30&lang=pl')).text();
    expect(other).toContain('Pliki z dnia 30 stycznia 2026');
    expect(other.match(/href="\/downloads\?date=[^"]+lang=pl"/g)).toEqual([
      'href="/downloads?date=2026-01-30&amp;lang=pl"',
      'href="/downloads?date=2026-01-31&amp;lang=pl"',
    ]);
    const none = await (await api.ask('/downloads?date=2026-02-01&lang=en')).text();
    expect(none).toContain('No registry has a snapshot of 1 February 2026');
    expect(none).not.toContain('.parquet"');
  });

  test('200 has the data dictionary as JSON', async () => {
    const response = await api.ask('/downloads/dictionary.json');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const dictionary = (await response.json()) as {
      views: { view: string; columns: Record<string, string>[] }[];
    };
    expect(dictionary).toMatchObject({ suppress_below: 0 });
    const view = dictionary.views.find((one) => one.view === 'event_daily')!;
    expect(view).toMatchObject({
      rows: 'day',
      description: 'One row per day, registry and event type that occurred: how often.',
    });
    expect(view.columns.slice(5).map(({ name, type }) => `${name} ${type}`)).toEqual([
      'category text',
      'event_count bigint',
      'is_suppressed boolean',
      'country_code text',
    ]);
    expect(view.columns.slice(6, 8).map(({ description }) => description)).toEqual([
      'Events of that type on that day.',
      'Whether the row has a count that is null because it is small.',
    ]);
    expect(view.columns.filter(({ description }) => !description)).toEqual([]);
  });
});
