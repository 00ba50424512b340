import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../fixtures/client/account.ts';
import { createTestDatabase, type TestDatabase } from '../fixtures/database/test-database.ts';
import { type Started, startScript } from '../fixtures/process/cli.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const fixture = join(project, 'fixtures', 'third-country');

let db: TestDatabase;
/** A folder with a copy of the product, to which the test adds a third country. */
let root: string;

function run(...args: string[]): Started {
  const variables = { DATABASE_URL: db.url, DATA_DIR: join(root, 'data'), PORT: '0' };
  return startScript(join(root, 'pipeline', 'main.ts'), args, variables);
}

async function linesOf(query: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ line: string }>(query);
  return rows.map(({ line }) => line);
}

beforeAll(async () => {
  db = await createTestDatabase();
  root = await mkdtemp(join(tmpdir(), 'registry-country-'));
  const filter = (path: string) => !path.endsWith('.test.ts');
  for (const part of ['package.json', 'api', 'pipeline', 'sql', 'scripts']) {
    await cp(join(project, part), join(root, part), { recursive: true, filter });
  }
  await symlink(join(project, 'node_modules'), join(root, 'node_modules'));
  for (const part of ['pipeline', 'sql']) {
    await cp(join(fixture, part), join(root, part), { recursive: true });
  }
  const migration = run('migrate');
  if ((await migration.end) !== 0) throw new Error(migration.stderr);
}, 60_000);

test('a country is files beside the others, and none of the product', async () => {
  const found = await Promise.all(
    ['sql', 'pipeline'].map(async (part) =>
      (await readdir(join(fixture, part), { recursive: true })).map((file) => join(part, file)),
    ),
  );
  const files = found.flat().filter((file) => file.includes('.'));
  expect(files).toHaveLength(12);
  const taken = files.filter((file) => existsSync(join(project, file)));
  expect(taken).toEqual([]);
});

test('two days are published, with the events of the second', async () => {
  for (const date of ['2026-11-02', '2026-11-03']) {
    const night = run('ingest', 'guild', join(fixture, date), '--date', date);
    expect([await night.end, night.sentences()]).toEqual([0, []]);
  }
  expect(
    await linesOf(`select concat_ws(' | ', event_type, name, old_value, new_value) as line
      from analyst.event join analyst.company using (company_id) order by event_id`),
  ).toEqual([
    'COMPANY_NAME_CHANGED | Fig Garden and Sons | Fig Garden | Fig Garden and Sons',
    'COMPANY_ADDRESS_CHANGED | Map Press | Quay Street 2, Anyder, Harbour | Quay Street 5, Anyder, Harbour',
    'COMPANY_STRUCK_OFF | Old Orchard | ACTIVE | 2026-11-03',
    // Right Trade causes no event COMPANY_REGISTERED, because its row was rejected in the first snapshot.
    'COMPANY_REGISTERED | New Orchard | New Orchard',
  ]);
  expect(await linesOf('select reason as line from analyst.reject')).toEqual([
    "one of the activities '0113Z' is not a code",
  ]);
  const verified = run('verify', 'guild');
  expect([await verified.end, verified.stdout]).toEqual([0, expect.stringContaining('guild')]);
});

describe('the API answers for the country', () => {
  let url: string;
  let authorization: string;

  const send = (path: string, body?: object) =>
    fetch(url + path, {
      headers: {
        authorization,
        ...(path.startsWith('/api/')
          ? { 'content-type': 'application/json' }
          : { accept: 'text/html' }),
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });

  async function ask<Body = unknown>(path: string): Promise<Body> {
    return (await send(`/api/v1${path}`)).json() as Promise<Body>;
  }

  async function search(query: string) {
    type Found = { data: { results: { name: string; identifiers: unknown[] }[] } };
    const { data } = await ask<Found>(`/companies/search?${query}`);
    return data.results.map(({ name, identifiers }) => [name, ...identifiers]);
  }

  beforeAll(async () => {
    const { master_token } = await createAccount(db.kysely, { now: new Date() });
    authorization = `Bearer ${master_token}`;
    const api = run('serve');
    await api.says('Listening on');
    url = /^Listening on (\S+)\n$/.exec(api.stdout)![1]!;
  });

  test('search finds its companies by its region, form and code, and those of no other country', async () => {
    const press = ['Map Press', { type: 'GUILD', value: 'U000002' }];
    expect(await search('country=XU&status=ACTIVE')).toHaveLength(4);
    expect(await search('country=XU&voivodeship=harbour')).toEqual([press]);
    expect(await search('country=XU&legal_form=guild-house&activity_code=581')).toEqual([press]);
    expect(await search('country=all&name=map+press')).toEqual([press]);
    expect(await search('name=map+press')).toEqual([]);
    expect(await search('country=FR')).toEqual([]);
  });

  test('a snapshot is asked for by its number, and written in its words', async () => {
    const response = await send('/api/v1/companies/snapshot', {
      identifier_type: 'GUILD',
      identifier_value: 'U000001',
    });
    expect(await response.json()).toMatchObject({
      data: {
        identity: {
          identifiers: [{ type: 'GUILD', value: 'U000001' }],
          company_type: 'LEGAL',
          country_code: 'XU',
        },
        profiles: [
          {
            source: 'guild',
            name: 'Fig Garden and Sons',
            legal_form: 'guild house',
            address: { street: 'LONG ST', voivodeship: 'Highland', country_code: 'XU' },
            contacts: [{ type: 'phone', value: '+99 123' }],
            activities: [{ code: '011', name: 'Growing of figs', is_primary: true }],
            dates: [{ type: 'Joined the guild', date: '1998-04-01' }],
          },
        ],
      },
    });
  });

  test('the feed has its events, and that of no country named has none', async () => {
    type Feed = { data: { event_type: string; primary_identifier: string }[] };
    const feed = await ask<Feed>('/events/feed?scope=all&country=XU');
    expect(feed.data.map((one) => [one.event_type, one.primary_identifier])).toEqual([
      ['COMPANY_NAME_CHANGED', 'U000001'],
      ['COMPANY_ADDRESS_CHANGED', 'U000002'],
      ['COMPANY_STRUCK_OFF', 'U000003'],
      ['COMPANY_REGISTERED', 'U000005'],
    ]);
    expect(await ask('/events/feed?scope=all')).toMatchObject({ data: [] });
  });

  test('statistics count its entries by its regions', async () => {
    expect(await ask('/stats/day/2026-11-03?country=XU')).toMatchObject({
      meta: { source: 'guild' },
      data: { new: 2, updated: 2, deleted: 1, total: 5 },
    });
    const query = 'country=XU&group_by=voivodeship&from=2026-11-03';
    expect(await ask(`/stats/series?${query}`)).toMatchObject({
      series: [
        { group: { voivodeship: 'Highland' }, stock: { ACTIVE: 3 } },
        { group: { voivodeship: 'Harbour' }, stock: { ACTIVE: 1 } },
      ],
    });
  });

  test('its dictionaries are lists of the API', async () => {
    expect(await ask('/voivodeships?country=XU')).toMatchObject({
      data: [
        { name: 'Highland', slug: 'highland' },
        { name: 'Harbour', slug: 'harbour' },
      ],
    });
    expect(await ask('/activity-sections?country=XU')).toMatchObject({
      data: [{ section: 'A', name: 'Gardens' }, { section: 'B' }],
    });
    expect(await ask('/voivodeships')).toMatchObject({ meta: { total: 16 } });
  });

  test('pages show its statistics and its nights', async () => {
    const show = async (path: string) =>
      (await (await send(path)).text()).replaceAll(/<[^>]*>|\s+/g, ' ');
    expect(await show('/stats?country=XU')).toMatch(
      /Statistics of Utopia.*A: Gardens.*guild house.*Harbour +1 .*Highland +3 /,
    );
    expect(await show('/quality/2026-11-03?country=XU')).toContain('GUILD');
    expect(await show('/stats')).not.toContain('Highland');
  });
});
