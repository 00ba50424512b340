import { describe, expect, test } from 'vitest';
import { runFixture } from '../../fixtures/dump/night.ts';
import { createSearcher } from '../../fixtures/client/searcher.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';

const days = ['2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05', '2026-11-06'];

const firstId = 2 ** 32 - 20;

const database = await createTestDatabase();
// The ids of most companies in this test exceed 32 bits.
await database.pool.query(
  `update registry.last_id set last_id = ${firstId} where table_name = 'entry'`,
);
for (const day of days) await runFixture(database, day);
const api = await startTestApi({ db: database.kysely });
const searcher = await createSearcher(database.kysely, api, 10_000);

type Found = Record<'total' | 'current_page', number> & {
  results: Record<'name' | 'status' | 'activity_start', string>[];
};

async function find(query: Record<string, string>): Promise<Found> {
  const { status, body } = await searcher.search(`?${new URLSearchParams(query).toString()}`);
  expect(status).toBe(200);
  return (body as { data: Found }).data;
}

async function namesOf(query: Record<string, string>): Promise<string[]> {
  const { total, results } = await find(query);
  expect(total).toBe(results.length);
  return results.map(({ name }) => name);
}

const kanarek = 'Sklep Zoologiczny Kanarek Barbara Piórko';
const wedrowiec = 'Transport Ciężarowy Wędrowiec Marek Pszczółka';
const bajt = 'Oprogramowanie Bajt Sebastian Przecinek';
const wlokniarz = 'Tkaniny Artystyczne Jadwiga Włókniarz';
const szpachla = 'Malarstwo Dekoracyjne Paweł Szpachla';
const lyzka = 'Catering Smakosz Monika Łyżka';
const szalka = 'Serwis Wag Odważnik Ireneusz Szalka';
const firanka = 'Dekoracje Okien Firanka Bożena Żabka-Karnisz';

describe('GET /api/v1/companies/search', () => {
  test('200 shows what the specification says', async () => {
    expect(await searcher.search('?city=Wrocław')).toMatchObject({
      status: 200,
      body: {
        status: 'success',
        data: {
          total: 2,
          per_page: 20,
          current_page: 1,
          last_page: 1,
          results: [
            {
              identifiers: [
                { type: 'NIP', value: '1000201006' },
                { type: 'REGON9', value: '990200011' },
              ],
              name: 'Piekarnia Pod Wieżą Anna Żakowska',
              city: 'Wrocław',
              voivodeship: 'dolnośląskie',
              activity_start: '2014-05-12',
              activity_main: '1071Z',
              status: 'ACTIVE',
              contacts: [{ type: 'email', value: 'piekarnia@zakowska.example.pl' }],
            },
            { name: 'Studio Tatuażu Kruk Oliwia Mączyńska' },
          ],
        },
      },
    });
  });

  test('200 leaves out contacts that the registry does not have; what is unknown is empty', async () => {
    const { body } = await searcher.search('?name=bezimienny');
    expect((body as { data: Found }).data.results).toEqual([
      {
        identifiers: [],
        company_ref: expect.stringMatching(/^\d+$/),
        name: 'Ludwik Bezimienny',
        city: '',
        voivodeship: '',
        activity_start: '1996-12-02',
        activity_main: '6910Z',
        status: 'ACTIVE',
      },
    ]);
    expect(await find({ name: 'bosman' })).toMatchObject({ results: [{ activity_start: null }] });
  });

  test('200 finds active companies unless told otherwise', async () => {
    const { total, results } = await find({});
    expect([total, results.length]).toEqual([71, 20]);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['ACTIVE']));
    expect(await find({ status: 'ACTIVE' })).toEqual(await find({}));
    expect(await namesOf({ status: 'SUSPENDED', voivodeship: 'łódzkie' })).toEqual([
      'Lodziarnia Sopelek Grzegorz Mroźny',
      'Korepetycje Matematyka bez Łez Iwona Całka',
      'Zakład Szewski Dratewka Henryk Kopyto',
    ]);
    expect(await namesOf({ status: 'DELETED', voivodeship: 'mazowieckie' })).toEqual([
      'Catering Smakosz Monika Łyżka',
    ]);
  });

  test.each([
    ['city', 'WARSZAWA', [kanarek]],
    ['city', '  warszawa ', [kanarek]],
    ['city', 'lodz', [wlokniarz]],
    ['city', 'Łódź', [wlokniarz]],
    ['city', 'Łódź'.normalize('NFD'), [wlokniarz]],
    ['city', 'Warszaw', []],
    ['city', 'Warszaw%', []],
    ['voivodeship', 'łódzkie', [wlokniarz, 'Kino Objazdowe Wiesława Żmuda-Klisza', szpachla]],
    ['voivodeship', 'LODZKIE', [wlokniarz, 'Kino Objazdowe Wiesława Żmuda-Klisza', szpachla]],
    ['voivodeship', 'Świętokrzyskie', 2],
    ['voivodeship', 'kujawsko-pomorskie', 3],
    ['postal_code', '00-001', [kanarek]],
    ['postal_code', '00001', [kanarek]],
    ['postal_code', '00-00', []],
    ['postal_prefix', '00-0', [kanarek]],
    ['postal_prefix', '40', 2],
    ['nip', '100-020-10-06', ['Piekarnia Pod Wieżą Anna Żakowska']],
    // The NIP is a former number of its company, and the REGON belongs to a company that has ended.
    ['nip', '1001801004', ['Lakiernictwo Połysk Dariusz Szlif']],
    ['regon', '991400083', [lyzka]],
    ['siren', '552100554', []],
    ['activity_code', '4776B', ['Kwiaciarnia Pod Akacją Halina Pęcak', kanarek]],
    // 5621Z is a secondary activity of each of these companies.
    [
      'activity_code',
      '5621z',
      ['Bar Mleczny KŁOS Genowefa Ryżowa', 'Bistro Pyra Magdalena Gzik', lyzka],
    ],
    // One of the three companies has the activity 9699Z only in a deleted entry.
    [
      'activity_code',
      '9699Z',
      [
        'Malowanie Twarzy Motylek Laura Pędzelek-Różyc',
        'Studio Tatuażu Kruk Oliwia Mączyńska',
        'Wyprowadzanie Psów Merdek Igor Smycz',
      ],
    ],
    ['activity_prefix', '47', 13],
    ['activity_prefix', '4776B', 2],
    ['activity_prefix', '331', [szalka]],
    ['activity_start_from', '2026-11-01', 4],
    ['activity_start_from', '2026-11-05', ['Pracownia Ceramiki Glinka Tomasz Garncarz']],
    ['activity_start_to', '1990-06-30', 2],
    ['activity_start_to', '1990-06-29', ['Rękodzieło Wiklina Janina Łozina']],
    ['legal_form', 'osoba-fizyczna-prowadzaca-dzialalnosc-gospodarcza', 71],
    ['legal_form', 'spolka-akcyjna', []],
    ['name', 'wedrowiec', [wedrowiec]],
    ['name', 'CIĘŻAROWY   wędr', [wedrowiec]],
    ['name', 'piek', ['Piekarnia Pod Wieżą Anna Żakowska', 'Piekarnia Sękacz Olga Bułkowska']],
    ['name', 'pie', 3],
    ['name', 'bronte-zuk', ['Biuro Tłumaczeń Lingwista Zoë Brontë-Żuk']],
    ['name', '"dąb; buk', ['Zakład Stolarski "Dąb; Buk i Syn" Jerzy Świerszczak']],
    ['name', 'p%szcz', []],
    ['name', String.raw`\\pszcz`, []],
  ])('200 filters by %s=%s', async (parameter, value, expected) => {
    const { total, results } = await find({ [parameter]: value });
    const names = results.map(({ name }) => name);
    expect(typeof expected === 'number' ? total : names).toEqual(expected);
  });

  test('200 combines all filters', async () => {
    const all = {
      activity_code: '4753Z',
      activity_prefix: '13',
      activity_start_from: '2008-02-18',
      activity_start_to: '2008-02-18',
      voivodeship: 'slaskie',
      city: 'katowice',
      postal_code: '40-012',
      status: 'ACTIVE',
      legal_form: 'osoba-fizyczna-prowadzaca-dzialalnosc-gospodarcza',
      name: 'firanka',
      page: '1',
    };
    expect(await namesOf(all)).toEqual([firanka]);
    const others = {
      activity_code: '4778Z',
      activity_prefix: '14',
      activity_start_from: '2008-02-19',
      activity_start_to: '2008-02-17',
      voivodeship: 'opolskie',
      city: 'Gliwice',
      postal_code: '40-013',
      status: 'SUSPENDED',
      legal_form: 'spolka-akcyjna',
      name: 'firanki',
    };
    for (const [parameter, value] of Object.entries(others)) {
      const without = { ...all, [parameter]: value };
      // If only one end of the range of days changed, the range would be reversed: so both ends change together.
      if (parameter === 'activity_start_from') without.activity_start_to = '2009-01-01';
      if (parameter === 'activity_start_to') without.activity_start_from = '2007-01-01';
      expect([parameter, ...(await namesOf(without))]).toEqual([parameter]);
    }
  });

  test('200 combines numbers with other filters', async () => {
    const lacquer = { nip: '1001801004', regon: '991800010' };
    expect(await namesOf(lacquer)).toEqual(['Lakiernictwo Połysk Dariusz Szlif']);
    const others = { regon: '991400083', status: 'DELETED', city: 'Warszawa', country: 'FR' };
    for (const [parameter, value] of Object.entries(others))
      expect([parameter, ...(await namesOf({ ...lacquer, [parameter]: value }))]).toEqual([
        parameter,
      ]);
  });

  test('422 for a wrong number, order, page length or beginning of a postal code', async () => {
    const wrong = [
      ['nip', '1001801005', 'a NIP: ten digits, the last of which is the check digit'],
      ['regon', '9918', 'a REGON of nine digits, the last of which is the check digit'],
      ['krs', 'ą', 'a KRS number: ten digits, leading zeros included'],
      ['siren', '', 'a SIREN: nine digits, the last of which is the check digit'],
      ['sort', 'name', 'one of added, activity_start, -activity_start'],
      ['per_page', '101', 'a whole number from 1 to 100'],
      ['postal_prefix', '0a', 'digits, such as 00'],
    ] as const;
    for (const [field, value, words] of wrong) {
      const query = new URLSearchParams({ [field]: value });
      expect(await searcher.search(`?${query.toString()}`)).toMatchObject({
        status: 422,
        charged: null,
        body: { errors: { [field]: [`The ${field} field must be ${words}.`] } },
      });
    }
  });

  test('200 sorts by start day, companies without a day last, in pages of the asked length', async () => {
    for (const [sort, sign] of [
      ['activity_start', 1],
      ['-activity_start', -1],
    ] as const) {
      const pages = await Promise.all(
        ['1', '2', '3'].map((page) => find({ sort, page, per_page: '30' })),
      );
      expect(pages.map(({ results }) => results.length)).toEqual([30, 30, 11]);
      const starts = pages.flatMap(({ results }) => results.map((one) => one.activity_start));
      expect(starts.at(-1)).toBeNull();
      const known = starts.filter((start) => start !== null);
      expect(known).toEqual(
        known.toSorted((one, other) => sign * (Date.parse(one) - Date.parse(other))),
      );
      expect(new Set(pages.flatMap(({ results }) => results.map(({ name }) => name))).size).toBe(
        71,
      );
    }
  });

  test('200 gives every company once, whichever the page, in an order that stays', async () => {
    const pages = await Promise.all(['1', '2', '3', '4'].map((page) => find({ page })));
    expect(pages.map(({ current_page }) => current_page)).toEqual([1, 2, 3, 4]);
    const names = pages.flatMap(({ results }) => results.map(({ name }) => name));
    expect(names).toHaveLength(71);
    expect(new Set(names).size).toBe(71);
    expect(names[0]).toBe('Andrzej Wspólnik-Dębowy');
    expect(names.indexOf(wlokniarz)).toBeLessThan(names.indexOf(bajt));
    const again = await Promise.all(['1', '2', '3', '4'].map((page) => find({ page })));
    expect(again).toEqual(pages);
    for (const page of ['5', '1000000000000']) {
      expect(await find({ page })).toMatchObject({ total: 71, last_page: 4, results: [] });
    }
  });

  test('names the right company by an id of more than 32 bits, and only new entries take ids', async () => {
    const { rows } = await database.pool.query<{ nip: string; name: string; is_large: boolean }>(
      `select nip, name, company_id > 4294967295 as is_large from registry.company
       where status = 'ACTIVE' and nip is not null order by company_id`,
    );
    expect([rows.at(0)!.is_large, rows.at(-1)!.is_large]).toEqual([false, true]);
    for (const { nip, name } of [rows.at(0)!, rows.at(-1)!]) {
      expect(await namesOf({ name })).toEqual([name]);
      expect(
        await searcher.snapshot({ identifier_type: 'NIP', identifier_value: nip }),
      ).toMatchObject({ status: 200, body: { data: { profiles: [{ name }] } } });
    }
    const { rows: runs } = await database.pool.query(
      `select last_entry_id - ${firstId} as last_id,
         (select count(*) from registry.entry where entry_id > run.last_entry_id) as later_entries
       from registry.run order by run_id`,
    );
    // In the first snapshot, every line of a report takes an entry id, including the header lines.
    expect(runs).toEqual([
      { last_id: '116', later_entries: '5' },
      { last_id: '118', later_entries: '3' },
      { last_id: '119', later_entries: '2' },
      { last_id: '120', later_entries: '1' },
      { last_id: '121', later_entries: '0' },
    ]);
    await expect(
      database.pool.query(`update registry.last_id set last_id = ${2 ** 53}`),
    ).rejects.toThrow('last_id_of_53_bits');
  });
});
