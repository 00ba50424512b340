import { describe, expect, test } from 'vitest';
import { createFirstDay } from '../../fixtures/dump/night.ts';
import { createSearcher } from '../../fixtures/client/searcher.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const { database, api } = await useApi({}, createFirstDay);
const searcher = await createSearcher(database.kysely, api, 10_000);

function nip(identifier_value: string) {
  return { identifier_type: 'NIP', identifier_value };
}

describe('POST /api/v1/companies/snapshot', () => {
  test('200 shows a restructuring, the e-delivery address and codes that are not whole', async () => {
    await database.pool.query(
      `update registry.entry set
          restructuring_start_date = '2026-01-02', e_delivery = 'AE:PL-00000-00000-AAAAA-11',
          activity_main = '431', activity_codes = '431,41,4312,7222Z', activity_version = 2007
      where nip = '1000201006'`,
    );
    const { body } = await searcher.snapshot(nip('1000201006'));
    const group = 'Rozbiórka i przygotowanie terenu pod budowę';
    expect(body).toMatchObject({
      data: {
        profiles: [
          {
            contacts: expect.arrayContaining([
              { type: 'e_delivery', value: 'AE:PL-00000-00000-AAAAA-11' },
            ]),
            dates: expect.arrayContaining([
              { type: 'Data otwarcia postępowania restrukturyzacyjnego', date: '2026-01-02' },
            ]),
            activities: [
              { code: '431', name: group, is_primary: true },
              { code: '41', name: 'Roboty budowlane związane ze wznoszeniem budynków' },
              { code: '4312', name: group },
              { code: '7222Z', name: '' },
            ],
          },
        ],
      },
    });
  });

  test('200 names codes that are not whole as the version of the entry does', async () => {
    await database.pool.query(
      `update registry.entry set
          activity_main = '479', activity_codes = '479,621,6290,6210,62', activity_version = 2025
      where nip = '1000201006'`,
    );
    const { body } = await searcher.snapshot(nip('1000201006'));
    expect(body).toMatchObject({
      data: {
        profiles: [
          {
            activities: [
              { code: '479', name: 'PKD 2025, grupa 47.9 (bez nazwy)', is_primary: true },
              { code: '621', name: 'PKD 2025, grupa 62.1 (bez nazwy)' },
              {
                code: '6290',
                name: 'Pozostała działalność usługowa w zakresie technologii informatycznych i komputerowych',
              },
              { code: '6210', name: 'PKD 2025, klasa 62.10 (bez nazwy)' },
              { code: '62', name: 'PKD 2025, dział 62 (bez nazwy)' },
            ],
          },
        ],
      },
    });
  });

  test('200 shows units, persons and all dates that a registry has', async () => {
    const unit_address = { street: 'ul. Nowa', building: '1', city: 'Gliwice', voivodeship: null };
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
            address: { ...unit_address, apartment: null, postal_code: null, country_code: 'PL' },
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
                address: {
                  street: 'ul. Nowa',
                  building: '1',
                  apartment: '',
                  city: 'Gliwice',
                  postal_code: '',
                  voivodeship: '',
                  country_code: 'PL',
                },
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
