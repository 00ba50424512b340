import { describe, expect, test } from 'vitest';
import { useApi } from '../../fixtures/client/use-api.ts';
import examples from '../openapi/examples.json' with { type: 'json' };

const { database, api } = await useApi();
const partnership = { slug: 'spolka-cywilna', symbol: '019', name: 'spółka cywilna' };

interface Dictionary {
  status: string;
  data: Record<string, string>[];
  meta: { total: number };
}

async function read(path: string): Promise<Dictionary> {
  const response = await api.ask(`/api/v1${path}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
  return (await response.json()) as Dictionary;
}

describe('the dictionaries', () => {
  test.each([
    ['/event-types', examples.EventTypeEntry],
    ['/legal-forms', partnership],
    ['/legal-forms?lang=en', { ...partnership, name: 'civil law partnership' }],
    ['/activity-sections', { section: 'F', name: 'Budownictwo' }],
    ['/activity-sections?lang=en', { section: 'F', name: 'Construction' }],
    [
      '/legal-forms?country=fr&lang=fr',
      { slug: 'entrepreneur-individuel', symbol: '1000', name: 'entrepreneur individuel' },
    ],
    ['/voivodeships', { name: 'dolnośląskie', slug: 'dolnoslaskie', teryt: '02' }],
    ['/activities?version=2007', { code: '0112Z', name: 'Uprawa ryżu' }],
  ])(
    'GET %s: 200 without a token, with all entries and how long to keep them',
    async (path, entry) => {
      const { status, data, meta } = await read(path);
      expect(status).toBe('success');
      expect(data).toContainEqual(entry);
      expect(meta).toEqual({ total: data.length });
    },
  );

  test('GET /voivodeships: 304 where the client has it', async () => {
    const first = await api.ask('/api/v1/voivodeships');
    const known = { 'If-None-Match': first.headers.get('etag')! };
    const again = await api.ask('/api/v1/voivodeships', { headers: known });
    expect(again.status).toBe(304);
    expect(again.headers.get('cache-control')).toBe('public, max-age=3600');
    expect(await again.text()).toBe('');
  });

  test('GET /legal-forms has each form once, with its newest symbol', async () => {
    const { data } = await read('/legal-forms');
    const slugs = data.map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(slugs.length);
  });

  test('GET /activities is of 2025 unless 2007 is asked for', async () => {
    const [newest, named, older] = await Promise.all([
      read('/activities'),
      read('/activities?version=2025'),
      read('/activities?version=2007'),
    ]);
    expect(newest).toEqual(named);
    expect(newest.data).not.toEqual(older.data);
  });

  test.each([
    ['/activities?version=2004', 'version'],
    ['/voivodeships?name=opolskie', 'name'],
    ['/legal-forms?lang=de', 'lang'],
  ])('GET %s: 422', async (path, field) => {
    const response = await api.ask(`/api/v1${path}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: { [field]: [expect.any(String)] } });
  });

  test.each([
    ['/voivodeships', { name: 'Grand Est', slug: 'grand-est', teryt: '44' }],
    ['/legal-forms', partnership],
    ['/activity-sections?lang=en', { section: 'B', name: 'Mining and quarrying' }],
    ['/activities', { code: '6210Y', name: expect.any(String) }],
    ['/activities?version=NAFRev2', { code: '7420Z', name: 'Activités photographiques' }],
    ['/activity-schemes', { version: 2007, scheme: 'PKD2007', name: 'PKD 2007', year: 2007 }],
  ])('the dictionary of all countries has the rows of each: %s', async (path, entry) => {
    const ask = (country: string) =>
      api.ask(`/api/v1${path}${path.includes('?') ? '&' : '?'}country=${country}`);
    const ofEach = await Promise.all(
      ['PL', 'FR'].map(async (country_code) => {
        const response = await ask(country_code);
        // A classification exists in one country only: the API answers 422 for the other country.
        if (response.status === 422) return [];
        const { data } = (await response.json()) as { data: object[] };
        return data.map((row) => ({ ...row, country_code }));
      }),
    );
    const all = (await (await ask('all')).json()) as { data: object[]; meta: object };
    expect(all.data).toEqual(ofEach.flat());
    expect(all.meta).toEqual({ total: all.data.length });
    expect(all.data).toContainEqual({ ...entry, country_code: expect.stringMatching(/^(PL|FR)$/) });
  });

  test('the dictionary of all countries has names in English, or each in its own language', async () => {
    const response = await api.ask('/api/v1/legal-forms?country=all&lang=fr');
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      errors: { lang: ['The lang field must be one of en.'] },
    });
  });

  test('are those that a search understands', async () => {
    const [forms, voivodeships] = await Promise.all([read('/legal-forms'), read('/voivodeships')]);
    const { rows } = await database.pool.query<{ slugs: string[]; names: string[] }>(
      `select
        (select array_agg(distinct slug) from registry.legal_form where country_code = 'PL') as slugs,
        (select array_agg(voivodeship) from analyst.voivodeship) as names`,
    );
    expect(new Set(forms.data.map(({ slug }) => slug))).toEqual(new Set(rows[0]!.slugs));
    expect(new Set(voivodeships.data.map(({ name }) => name))).toEqual(new Set(rows[0]!.names));
  });
});
