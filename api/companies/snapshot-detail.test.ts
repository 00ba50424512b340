import { describe, expect, test } from 'vitest';
import { createFirstDay } from '../../fixtures/dump/night.ts';
import { createSearcher, readMovements } from '../../fixtures/client/searcher.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const { database, api } = await useApi({}, createFirstDay);
const searcher = await createSearcher(database.kysely, api, 10_000);

function nip(identifier_value: string) {
  return { identifier_type: 'NIP', identifier_value };
}

async function profileOf(number: string) {
  const { body } = await searcher.snapshot(nip(number));
  type Profile = Record<'contacts' | 'dates' | 'activities', object[]>;
  return (body as { data: { profiles: [Profile] } }).data.profiles[0];
}

describe('POST /api/v1/companies/snapshot', () => {
  const group = 'Rozbiórka i przygotowanie terenu pod budowę';

  test('200 shows a restructuring and the e-delivery address', async () => {
    await database.pool.query(
      `update registry.entry set
          restructuring_start_date = '2026-01-02', e_delivery = 'AE:PL-00000-00000-AAAAA-11'
      where nip = '1000201006'`,
    );
    const { contacts, dates } = await profileOf('1000201006');
    const type = 'Data otwarcia postępowania restrukturyzacyjnego';
    expect(contacts).toContainEqual({ type: 'e_delivery', value: 'AE:PL-00000-00000-AAAAA-11' });
    expect(dates).toContainEqual({ type, date: '2026-01-02' });
  });

  test.each([
    [
      2007,
      ['431', group],
      ['41', 'Roboty budowlane związane ze wznoszeniem budynków'],
      ['4312', group],
      ['7222Z', ''],
    ],
    [
      2025,
      ['479', 'PKD 2025, grupa 47.9 (bez nazwy)'],
      ['621', 'PKD 2025, grupa 62.1 (bez nazwy)'],
      ['6210', 'PKD 2025, klasa 62.10 (bez nazwy)'],
      ['62', 'PKD 2025, dział 62 (bez nazwy)'],
    ],
  ] as [number, ...[code: string, name: string][]][])(
    '200 names codes that are not whole as the version %i does',
    async (version, ...names) => {
      const codes = names.map(([code]) => code);
      await database.pool.query(
        `update registry.entry set activity_main = $1, activity_codes = $2, activity_version = $3
        where nip = '1000201006'`,
        [codes[0], codes.join(), version],
      );
      expect((await profileOf('1000201006')).activities).toEqual(
        names.map(([code, name], at) => ({ code, name, is_primary: at === 0 })),
      );
    },
  );

  test('200 shows units, persons and all dates that a registry has', async () => {
    const place = { street: 'ul. Nowa', building: '1', city: 'Gliwice', country_code: 'PL' };
    await database.pool.query(
      `update registry.entry set
          units = $1, persons = $2, other_dates = $3, bankruptcy_start_date = '2026-01-02',
          bankruptcy_end_date = '2026-03-04', struck_off_date = '2026-05-06', fax = '400224199',
          address_country_code = 'CZ'
      where nip = '1002404009'`,
      [
        JSON.stringify([
          {
            identifier: '99240004000015',
            name: null,
            address: { ...place, apartment: null, postal_code: null, voivodeship: null },
            dates: [{ type: 'Data powstania', date: '2025-01-01' }],
          },
        ]),
        JSON.stringify([
          { kind: 'owner', full_name: 'Sylwia Jarzyna', role: 'Właściciel' },
          { kind: 'representative', full_name: 'Jan Kabel', role: 'Prokurent' },
          { kind: 'shareholder', full_name: 'J** K****', role: 'Wspólnik', holding: '40 udziałów' },
          { kind: 'shareholder', full_name: 'J** K****', role: 'Wspólnik', holding: '60 udziałów' },
          { kind: 'partner', full_name: 'Jan Kos', role: 'Wspólnik', number: '992400049' },
          { kind: 'partner', full_name: 'Jan Kos', role: 'Wspólnik', number: '992400055' },
        ]),
        JSON.stringify([{ type: 'Data wpisu do rejestru', date: '2021-01-12' }]),
      ],
    );
    const { body } = await searcher.snapshot(nip('1002404009'));
    expect(body).toMatchObject({
      data: {
        profiles: [
          {
            address: { country_code: 'CZ' },
            units: [
              {
                identifier: '99240004000015',
                name: '',
                address: { ...place, apartment: '', postal_code: '', voivodeship: '' },
                dates: [{ type: 'Data powstania', date: '2025-01-01' }],
              },
            ],
            contacts: [
              { type: 'phone', value: '400224104' },
              { type: 'email', value: 'sylwia@jarzyna.example.pl' },
              { type: 'fax', value: '400224199' },
            ],
            dates: [
              { type: 'Data rozpoczęcia działalności', date: '2021-01-11' },
              { type: 'Data ogłoszenia upadłości', date: '2026-01-02' },
              { type: 'Data zakończenia postępowania upadłościowego', date: '2026-03-04' },
              { type: 'Data wykreślenia', date: '2026-05-06' },
              { type: 'Data wpisu do rejestru', date: '2021-01-12' },
            ],
          },
        ],
        persons: [
          { full_name: 'Sylwia Jarzyna', role: 'Właściciel' },
          { full_name: 'Jan Kabel', role: 'Prokurent' },
          { full_name: 'J** K****', role: 'Wspólnik', holding: '40 udziałów' },
          { full_name: 'J** K****', role: 'Wspólnik', holding: '60 udziałów' },
          { full_name: 'Jan Kos', role: 'Wspólnik' },
          { full_name: 'Jan Kos', role: 'Wspólnik' },
        ],
      },
    });
  });

  test('200 labels each day in lang that the country has words for', async () => {
    const dates = [
      { type: 'Data powstania', date: '2025-01-01' },
      { type: 'Data wpisu do REGON', date: '2025-01-02' },
      { type: 'Data zawieszenia działalności', date: '2025-01-03' },
      { type: 'Data bez nazwy', date: '2025-01-04' },
    ];
    await database.pool.query(
      `update registry.entry set units = $1, other_dates = $2, start_date = '2021-01-11',
          bankruptcy_start_date = null, bankruptcy_end_date = null, struck_off_date = null
      where nip = '1002404009'`,
      [JSON.stringify([{ identifier: '99240004000015', dates }]), JSON.stringify(dates)],
    );
    const datesOf = async (lang?: string) => {
      const { body } = await searcher.snapshot({ ...nip('1002404009'), lang });
      type Profile = { dates: { type: string }[]; units: { dates: { type: string }[] }[] };
      const [profile] = (body as { data: { profiles: Profile[] } }).data.profiles;
      return [profile!.dates, profile!.units[0]!.dates].map((all) => all.map(({ type }) => type));
    };
    const polish = dates.map(({ type }) => type);
    const start = 'Data rozpoczęcia działalności';
    expect(await datesOf()).toEqual([[start, ...polish], polish]);
    expect(await datesOf('pl')).toEqual([[start, ...polish], polish]);
    const english = ['Formation', 'Entry in REGON', 'Suspension of activity', 'Data bez nazwy'];
    expect(await datesOf('en')).toEqual([['Start of activity', ...english], english]);
  });
});

type Found = { data: { results: [{ company_ref: string }] } };

describe('POST /api/v1/companies/snapshot', () => {
  test('404 for a number that nobody has, free of charge', async () => {
    const stranger = await createSearcher(database.kysely, api);
    const krs = { identifier_type: 'KRS', identifier_value: '0000000001' };
    for (const asked of [nip('5260250274'), krs]) {
      expect(await stranger.snapshot(asked)).toMatchObject({
        status: 404,
        body: { message: 'No company with this number is known.' },
        charged: null,
      });
    }
    expect(await readMovements(database.kysely, stranger.account_id)).toHaveLength(1);
  });

  test('200 for a company by its reference, also for one without any number', async () => {
    const found = await searcher.search('?name=ludwik%20bezimienny');
    const [{ company_ref }] = (found.body as Found).data.results;
    expect(await searcher.snapshot({ company_ref })).toMatchObject({
      status: 200,
      body: { data: { profiles: [{ name: 'Ludwik Bezimienny' }] } },
      charged: '5',
    });
    expect(await readMovements(database.kysely, searcher.account_id)).toContainEqual([
      'withdraw',
      5,
      expect.any(Number),
      `Snapshot of company ${company_ref}`,
    ]);
    for (const wrong of ['0', '99999999999999999999', 'x', '4711000']) {
      expect(await searcher.snapshot({ company_ref: wrong })).toMatchObject({ status: 404 });
    }
  });

  const invalidNip = 'must be a NIP: ten digits, the last of which is the check digit';
  const invalidRegon = 'must be a REGON of nine digits, the last of which is the check digit';
  const invalidKrs = 'must be a KRS number: ten digits, leading zeros included';
  const types = 'must be one of NIP, REGON9, KRS, SIREN, SIRET, RNA';
  const of = (identifier_type: string, identifier_value: unknown) => {
    return { identifier_type, identifier_value };
  };
  test.each([
    [nip('1001401004'), 'identifier_value', invalidNip],
    [nip('0000000000'), 'identifier_value', invalidNip],
    [nip('100140100'), 'identifier_value', invalidNip],
    [nip('PL1001401003'), 'identifier_value', invalidNip],
    [nip(''), 'identifier_value', invalidNip],
    [nip('1'.repeat(51)), 'identifier_value', 'must not be longer than 50 characters'],
    [of('REGON9', '99140001900015'), 'identifier_value', invalidRegon],
    [of('KRS', '1'), 'identifier_value', invalidKrs],
    [of('nip', '1001401003'), 'identifier_type', types],
    [{ identifier_value: '1001401003' }, 'identifier_type', 'is required'],
    [{ identifier_type: 'NIP' }, 'identifier_value', 'is required'],
    [of('NIP', ['1001401003']), 'identifier_value', 'must be a string'],
    [{ ...nip('1001401003'), company_ref: '1' }, 'company_ref', 'must be given without a number'],
    [{ ...nip('1001401003'), fields: 'all' }, 'fields', 'is unknown'],
  ])('422 for %j', async (asked, field, wrong) => {
    const message = `The ${field} field ${wrong}.`;
    expect(await searcher.snapshot(asked)).toMatchObject({
      status: 422,
      body: { message, errors: { [field]: [message] } },
      charged: null,
    });
  });
});
