import { beforeAll, describe, expect, test } from 'vitest';
import { createSearcher, type Searcher } from '../fixtures/client/searcher.ts';
import { askJson } from '../fixtures/client/json-client.ts';
import { createAccount } from '../fixtures/client/account.ts';
import { completeOptions, startTestApi, type TestApi } from '../fixtures/client/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../fixtures/database/test-database.ts';
import { runSource } from '../fixtures/dump/three-sources.ts';
import { listEndpoints } from './app.ts';
import { isPublic } from './endpoint/mount.ts';
import { views } from './downloads/views.ts';

// Publishes two days of KRS for Poland, then a stock and a daily delta of SIRENE for France.
const [first, second] = ['2026-11-02', '2026-11-03'] as const;

let database: TestDatabase;
let api: TestApi;
let searcher: Searcher;
let Authorization: string;
let before: Map<string, string>;

const publicPaths = listEndpoints(completeOptions({ db: {} as never }))
  .map(({ description }) => description)
  .filter(isPublic)
  .map(({ path }) => `/api/v1${path.replace('{date}', second)}`);

/**
 * The addresses that are requested without a country. The start page `/` is missing here, because it shows the changes
 * of every country.
 */
const paths = [
  ...publicPaths,
  '/api/v1/stats/series?group_by=voivodeship,section,legal_form',
  '/stats',
  '/stats?lang=pl&measure=rate',
  '/quality',
  `/quality/${second}`,
  '/console',
  '/downloads',
  '/downloads/dictionary.json',
  '/docs',
  '/terms',
  ...views.map(({ view }) => `/downloads/${second}/${view}.csv`),
];

async function textOf(path: string, init: RequestInit = {}): Promise<string> {
  const response = await api.ask(path, init);
  return `${response.status} ${await response.text()}`;
}

async function read(path: string): Promise<{ data: Record<string, unknown>[] }> {
  const response = await api.ask(`/api/v1${path}`, { headers: { Authorization } });
  expect(response.status).toBe(200);
  return (await response.json()) as { data: Record<string, unknown>[] };
}

const feedOf = async (query: string) =>
  (await read(`/events/feed?limit=1000&${query}`)).data.map(
    ({ event_type, identifier_type, primary_identifier }) =>
      [event_type, identifier_type, primary_identifier].join(' '),
  );

async function readAll(): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const path of paths) texts.set(path, await textOf(path));
  texts.set('feed', JSON.stringify(await feedOf('scope=all')));
  return texts;
}

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startTestApi({ db: database.kysely });
  searcher = await createSearcher(database.kysely, api, 1_000);
  Authorization = `Bearer ${(await createAccount(database.kysely)).master_token}`;
  await runSource(database, 'krs', first);
  await runSource(database, 'krs', second);
  before = await readAll();
  for (const date of ['2026-09-30', '2026-10-02']) {
    await runSource(database, 'sirene', date, { now: () => new Date('2026-11-04') });
  }
});

const countries = ['PL', 'FR'];

const refusal = (field: string, message: string) => ({ message, errors: { [field]: [message] } });

describe('what asks for no country', () => {
  test('is byte for byte the same, whatever another country has published', async () => {
    const after = await readAll();
    expect(paths.length).toBeGreaterThan(35);
    expect([...after.keys()].filter((path) => after.get(path) !== before.get(path))).toEqual([]);
  });

  test.each([
    ['/companies/search', [...countries, 'all']],
    ['/events/feed', [...countries, 'all']],
    ['/quality', [...countries, 'all']],
    [`/quality/${second}`, [...countries, 'all']],
    ['/stats/series', countries],
    ['/stats/series.csv', countries],
    [`/stats/day/${second}`, countries],
    [`/stats/range/${second}`, countries],
    ['/event-types', countries],
    ['/voivodeships', [...countries, 'all']],
    ['/legal-forms', [...countries, 'all']],
    ['/activity-sections', [...countries, 'all']],
    ['/activity-schemes', [...countries, 'all']],
    ['/activities', [...countries, 'all']],
  ])('GET %s: 422 lists the countries for an unknown one', async (path, known) => {
    const response = await api.ask(`/api/v1${path}?country=DE`, { headers: { Authorization } });
    expect(response.status).toBe(422);
    const message = `The country field must be one of ${known.join(', ')}.`;
    expect(await response.json()).toEqual(refusal('country', message));
  });
});

describe('the numbers of another country', () => {
  const identity = {
    identifiers: [
      { type: 'SIREN', value: '000990127' },
      { type: 'SIRET', value: '00099012700011' },
      { type: 'RNA', value: 'W112099001' },
    ],
    company_type: 'LEGAL',
    country_code: 'FR',
  };

  test.each([
    ['SIREN', '000 990 127'],
    ['SIRET', '00099012700011'],
    ['RNA', 'W112099001'],
  ])('name a company in a snapshot: %s', async (identifier_type, identifier_value) => {
    const { status, body } = await searcher.snapshot({ identifier_type, identifier_value });
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: { identity } });
  });

  test.each([
    ['SIREN', '000990128', 'a SIREN: nine digits, the last of which is the check digit'],
    [
      'SIRET',
      '00099012700012',
      'a SIRET: the SIREN and five digits, the last of which is the check digit',
    ],
    ['RNA', '112099001', 'an RNA number: W and nine digits or capital letters'],
    ['SIREN', '\u0000', 'a SIREN: nine digits, the last of which is the check digit'],
  ])('422 says what is wrong with a %s: %s', async (identifier_type, identifier_value, form) => {
    const { status, body } = await searcher.snapshot({ identifier_type, identifier_value });
    expect(status).toBe(422);
    const message = `The identifier_value field must be ${form}.`;
    expect(body).toEqual(refusal('identifier_value', message));
  });

  test('are watched under the first of them, also where another one was submitted', async () => {
    const body = { identifier_type: 'SIRET', identifier_value: ['00099014300018', '1'] };
    const message =
      'The identifier_value.1 field must be a SIRET: the SIREN and five digits, the last of which is the check digit.';
    const headers = { Authorization };
    const refused = await askJson(api, 'POST /companies/add', { headers, body });
    expect(refused).toEqual({ status: 422, body: refusal('identifier_value.1', message) });
    body.identifier_value.pop();
    const added = await askJson(api, 'POST /companies/add', { headers, body });
    expect(added).toMatchObject({ status: 202 });
    expect((await read('/companies/watched')).data).toMatchObject([
      {
        primary_identifier: '000990143',
        identifier_type: 'SIREN',
        submitted_identifier: '00099014300018',
        name: 'HORLOGERIE DU DOUBS',
      },
    ]);
    const history = '/companies/events?identifier_type=SIREN&identifier_value=000990143';
    expect(await read(history)).toMatchObject({
      meta: { primary_identifier: '000990143', identifier_type: 'SIREN', total: 1 },
    });
    const names = { name: 'SIREN', value: ['000990143', '000990127'] };
    expect(await askJson(api, 'DELETE /companies/watched', { headers, body: names })).toMatchObject(
      { body: { data: { removed: ['000990143'], not_watched: ['000990127'] } } },
    );
  });
});

describe('the answers of another country', () => {
  test('a snapshot has its regions, labels and persons, each once, and no unknown language', async () => {
    const named = { identifier_type: 'SIREN', identifier_value: '000990085' };
    const { body } = await searcher.snapshot(named);
    const [profile] = (body as { data: { profiles: Record<string, unknown>[] } }).data.profiles;
    expect(profile).toMatchObject({
      source: 'sirene',
      name: 'CAMILLE VASSEUR',
      legal_form: 'entrepreneur individuel',
      address: { city: 'RENNES', voivodeship: 'Bretagne', country_code: 'FR' },
      activities: [{ code: '7420Z', name: 'Activités photographiques', is_primary: true }],
      dates: [{ type: 'Date de création', date: '2012-03-01' }],
    });
    expect(body).toMatchObject({
      data: {
        identity: { company_type: 'NATURAL' },
        persons: [{ full_name: 'CAMILLE VASSEUR', role: 'Entrepreneur individuel' }],
      },
    });
    const message = 'The lang field must be one of en, fr, pl.';
    expect(await searcher.snapshot({ ...named, lang: 'de' })).toMatchObject({
      status: 422,
      body: refusal('lang', message),
    });
  });

  test('a search is of the first country, of the one that is asked for, or of all', async () => {
    type Found = { data: { total: number; results: { name: string; identifiers: object[] }[] } };
    const find = async (query: string) => ((await searcher.search(query)).body as Found).data;
    const [polish, french] = [await find(''), await find('?country=FR')];
    expect((await find('?country=PL')).total).toBe(polish.total);
    expect((await find('?country=all')).total).toBe(polish.total + french.total);
    const place = 'country=fr&voivodeship=Bourgogne-Franche-Comt%C3%A9&city=Besan%C3%A7on';
    expect(
      await find(`?${place}&activity_code=2652z&legal_form=sas-societe-par-actions-simplifiee`),
    ).toMatchObject({
      total: 1,
      results: [
        {
          name: 'HORLOGERIE DU DOUBS',
          identifiers: [{ type: 'SIREN', value: '000990143' }],
          voivodeship: 'Bourgogne-Franche-Comté',
        },
      ],
    });
    expect((await find('?name=horlogerie')).total).toBe(0);
    expect(await searcher.search('?country=all&voivodeship=bretagne')).toMatchObject({
      status: 422,
      body: refusal('voivodeship', 'The voivodeship field needs one country.'),
    });
  });

  test('the feed of the registry is of the first country, of the one that is asked for, or of all', async () => {
    const polish = await feedOf('scope=all');
    const french = await feedOf('scope=all&country=FR');
    expect(polish.length).toBeGreaterThan(0);
    expect(polish.filter((line) => !/ (NIP|REGON9|KRS) /.test(line))).toEqual([]);
    expect(french).toHaveLength(13);
    expect(french).toContain('COMPANY_SUSPENDED SIREN 000990036');
    expect(french.filter((line) => !line.includes(' SIREN '))).toEqual([]);
    expect(await feedOf('scope=all&country=all')).toEqual([...polish, ...french]);
  });

  test('the feed goes on by cursor, also over what another country published', async () => {
    const all: unknown[] = [];
    let [after, isMore] = ['', true];
    while (isMore) {
      const part = await read(`/events/feed?scope=all&country=fr&limit=5${after}`);
      const { meta } = part as unknown as { meta: { next_cursor: string; has_more: boolean } };
      all.push(...part.data.map(({ id }) => id));
      [after, isMore] = [`&after=${meta.next_cursor}`, meta.has_more];
    }
    expect(new Set(all).size).toBe(13);
  });

  test('statistics are of its registry, by its regions, sections and forms', async () => {
    const range = await (await api.ask('/api/v1/stats/range/2026-10-02?country=FR')).json();
    expect(range).toMatchObject({
      meta: { source: 'sirene', days_with_data: 2 },
      data: { new: 0, updated: 13, deleted: 1 },
    });
    const series = '/api/v1/stats/series?country=FR&from=2026-10-02';
    const grouped = await (await api.ask(`${series}&group_by=voivodeship`)).json();
    const { source, series: points } = grouped as { source: string; series: { group: object }[] };
    expect(source).toBe('sirene');
    expect(points.map(({ group }) => group)).toContainEqual({ voivodeship: 'Île-de-France' });
    const one = `${series}&voivodeship=${encodeURIComponent('île-de-france')}&legal_form=entrepreneur-individuel`;
    expect((await api.ask(one)).status).toBe(200);
    expect(await (await api.ask(`${series}&section=W`)).json()).toEqual(
      refusal('section', 'The section field must be a section from A to V, or none.'),
    );
    const message = 'The source field must be the name of a source that has statistics.';
    expect(await (await api.ask(`${series}&source=krs`)).json()).toEqual(
      refusal('source', message),
    );
  });

  test('events are in the words of its numbers and codes', async () => {
    const event_type = 'COMPANY_REGISTRY_NUMBER_ASSIGNED';
    const meaningOf = async (query: string) =>
      (await read(`/event-types${query}`)).data.find((type) => type.event_type === event_type)
        ?.description;
    expect(await meaningOf('')).toBe('A KRS number was assigned.');
    expect(await meaningOf('?country=PL')).toBe('A KRS number was assigned.');
    expect(await meaningOf('?country=FR')).toBe('A SIREN or RNA number was assigned.');
    const history = await read(
      '/companies/events?identifier_type=SIREN&identifier_value=000990127&lang=en',
    );
    const { events } = history.data as unknown as { events: object[] };
    expect(events).toContainEqual(
      expect.objectContaining({ text: 'A SIREN or RNA number was assigned: W112099001' }),
    );
  });

  test('nights of its registry are listed with it alone, or with those of all', async () => {
    const sourcesOf = async (query: string) =>
      (await read(`/quality?${query}`)).data.map(({ source }) => source);
    expect(await sourcesOf('country=FR')).toEqual(['sirene', 'sirene']);
    expect(await sourcesOf('country=all')).toEqual(['krs', 'krs', 'sirene', 'sirene']);
    expect((await api.ask('/api/v1/quality/2026-10-02')).status).toBe(404);
  });
});

describe('the pages of another country', () => {
  const sirene = 'Data: SIRENE (INSEE), Licence Ouverte 2.0.';

  test.each(['/stats', '/quality', '/quality/2026-10-02', '/downloads'])(
    '%s names its registry with the licence, and not those of Poland',
    async (path) => {
      const page = await textOf(`${path}?country=FR`);
      const [footer] = /<footer>[^]*<\/footer>/.exec(page)!;
      expect(footer).toContain(sirene);
      expect(footer).not.toMatch(/CEIDG|KRS|REGON|Poland/);
    },
  );

  test.each(['/stats', '/quality', '/downloads'])('%s leads to each country', async (path) => {
    const page = await textOf(`${path}?country=fr`);
    const other = /<a href="([^"]*)">Poland<\/a>\n<a href="[^"]*" aria-current="page">France</;
    expect(other.exec(page)?.[1]).toBe(path);
    expect(await textOf(path)).toContain(`<a href="${path}?country=FR">France</a>`);
  });

  test('the statistics show its map, its names and whom the data are from', async () => {
    const page = await textOf('/stats?country=FR', { headers: { Accept: 'text/html' } });
    expect(page.match(/<(rect|path) class="shade-/g)).toHaveLength(18);
    expect(page).toMatch(/aria-label="BRE [^"]* Bretagne"/);
    for (const part of [
      'Statistics of France',
      'Active entries by region',
      'CC BY 4.0',
      'from NAF rév. 2 to NAF 2025',
    ]) {
      expect(page).toContain(part);
    }
    expect(page).not.toMatch(/voivodeship[ <]|of Poland/i);
  });

  test('a country without a map has a table of its regions', async () => {
    const { pool } = database;
    await pool.query(
      `delete from registry.country_word where country_code = 'FR' and word = 'map'`,
    );
    const page = await textOf('/stats?country=FR');
    expect(page).not.toContain('<svg class="map"');
    expect(page).toMatch(/<th scope="row"><a href="[^"]*country=FR[^"]*voivodeship=bretagne/);
  });

  test('the first page says what the newest night of each country changed', async () => {
    const page = await textOf('/', { headers: { Accept: 'text/html' } });
    expect(page).toMatch(/<h2 id="night-fr">[^<]* France/);
    for (const credit of ['Data: KRS, public sector information of Poland.', sirene])
      expect(page).toContain(credit);
    expect(page).toContain('href="/stats?country=FR&amp;source=sirene"');
    expect(page.indexOf('>KRS</a>')).toBeLessThan(page.indexOf('>SIRENE</a>'));
  });
});
