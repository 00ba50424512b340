import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixtureFolder, shareDays } from '../../fixtures/dump/night.ts';
import { createSearcher } from '../../fixtures/client/searcher.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const now = new Date('2026-11-06T05:00:00Z');

const { database, api } = await useApi({ now: () => now }, async () => (await shareDays()).copy());
const searcher = await createSearcher(database.kysely, api, 10_000);

function nip(identifier_value: string) {
  return { identifier_type: 'NIP', identifier_value };
}

// The phone number of the shop changes on 2026-11-03, and the shop's second entry is deleted on 2026-11-05.
const reportName = 'Zarejestrowane działalności - województwo mazowieckie.csv';
const report = readFileSync(join(fixtureFolder('2026-11-03'), reportName));

const shop = {
  source: 'ceidg',
  name: 'Sklep Zoologiczny Kanarek Barbara Piórko',
  other_names: [{ type: 'owner', value: 'Barbara Piórko' }],
  status: 'ACTIVE',
  legal_form: 'osoba fizyczna prowadząca działalność gospodarczą',
  address: {
    street: 'ul. Hoża',
    building: '41',
    apartment: '5',
    city: 'Warszawa',
    postal_code: '00-001',
    voivodeship: 'mazowieckie',
    country_code: 'PL',
  },
  units: [],
  contacts: [
    { type: 'phone', value: '400214199' },
    { type: 'email', value: 'kanarek@piorko.example.com' },
  ],
  activities: [
    {
      code: '4776B',
      name: 'Sprzedaż detaliczna żywych zwierząt domowych, karmy dla zwierząt domowych',
      is_primary: true,
    },
  ],
  dates: [{ type: 'Data rozpoczęcia działalności', date: '2010-02-01' }],
  websites: [],
  attributes: [],
  provenance: {
    dump_date: '2026-11-03',
    file: reportName,
    sha256: hash('sha256', report),
    line: 2,
    said_since: '2026-11-03',
  },
};

const since = '2026-11-05';
const place = { street: 'ul. Leśna', building: '2', apartment: '', city: 'Piaseczno' };
const other = 'Pozostała działalność usługowa, gdzie indziej niesklasyfikowana';

const kanarek = {
  identity: {
    identifiers: [
      { type: 'NIP', value: '1001401003' },
      { type: 'REGON9', value: '991400019' },
      { type: 'REGON9', value: '991400025' },
    ],
    company_type: 'NATURAL',
    country_code: 'PL',
  },
  profiles: [
    shop,
    {
      ...shop,
      name: 'Hotel dla Zwierząt Kanarek Barbara Piórko',
      status: 'DELETED',
      address: { ...shop.address, ...place, postal_code: '05-500' },
      activities: [{ code: '9699Z', name: other, is_primary: true }],
      dates: [
        { type: 'Data rozpoczęcia działalności', date: '2019-04-01' },
        { type: 'Data wykreślenia', date: since },
      ],
      provenance: { dump_date: since, file: null, sha256: null, line: null, said_since: since },
    },
  ],
  persons: [{ full_name: 'Barbara Piórko', role: 'Właściciel' }],
};

async function profileOf(value: string) {
  const { status, body } = await searcher.snapshot(nip(value));
  expect(status).toBe(200);
  return (body as { data: typeof kanarek }).data.profiles[0]!;
}

describe('POST /api/v1/companies/snapshot', () => {
  test('200 shows one profile for each entry', async () => {
    expect(await searcher.snapshot(nip('1001401003'))).toEqual({
      status: 200,
      body: {
        status: 'success',
        data: kanarek,
        meta: { fetched_at: '2026-11-06T05:00:00+00:00' },
      },
      charged: '5',
      balance: '10195',
      etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
    });
  });

  test.each([
    { identifier_type: 'NIP', identifier_value: '100-140-10-03' },
    { identifier_type: 'NIP', identifier_value: ' 100 140 10 03 ' },
    { identifier_type: 'REGON9', identifier_value: '991400019' },
    // The REGON 991400025 belongs to the deleted entry of the company.
    { identifier_type: 'REGON9', identifier_value: '991 400 025' },
  ])('200 by $identifier_type $identifier_value', async (asked) => {
    expect(await searcher.snapshot(asked)).toMatchObject({ status: 200, body: { data: kanarek } });
  });

  test('200 names activities as the version of the entry does, the main one first', async () => {
    const [tapes, fish] = [await profileOf('1001407000'), await profileOf('1003001006')];
    expect(tapes.activities).toEqual([
      { code: '6201Z', name: 'Działalność związana z oprogramowaniem', is_primary: true },
      { code: '6202Z', name: expect.stringMatching(/ doradztwem /), is_primary: false },
      { code: '2651Z', name: expect.stringMatching(/^Produkcja /), is_primary: false },
    ]);
    const name = expect.stringMatching(/./);
    expect(fish.activities).toEqual([
      { code: '6210B', name, is_primary: true },
      { code: '6220A', name, is_primary: false },
      { code: '6290Z', name, is_primary: false },
    ]);
  });

  test('200 labels the dates of a company that was suspended and closed', async () => {
    const started = (date: string) => ({ type: 'Data rozpoczęcia działalności', date });
    expect(await profileOf('1001002007')).toMatchObject({
      status: 'SUSPENDED',
      dates: [started('2021-05-01')],
    });
    expect(await profileOf('1001201008')).toMatchObject({
      status: 'DELETED',
      dates: [started('1999-02-01'), { type: 'Data zakończenia działalności', date: '2026-11-05' }],
    });
    expect((await profileOf('1001001002')).dates).toEqual([
      started('1995-10-02'),
      { type: 'Data zawieszenia działalności', date: '2026-11-01' },
      { type: 'Data wznowienia działalności', date: expect.any(String) },
    ]);
  });

  test('200 says nothing of an address that is unknown, and shows websites', async () => {
    const unknown = Object.keys(kanarek.profiles[0]!.address).map((part) => [part, '']);
    expect((await profileOf('1000206009')).address).toEqual(Object.fromEntries(unknown));
    expect((await profileOf('1000602001')).websites).toEqual([
      { type: 'website', value: expect.any(String) },
    ]);
  });
});
