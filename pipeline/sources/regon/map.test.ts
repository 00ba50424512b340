import { describe, expect, test } from 'vitest';
import { legalPerson, naturalPerson } from '../../../fixtures/registry/bir-entity.ts';
import { stageRegon, xmlOf } from '../../../fixtures/dump/regon-stage.ts';
import { createTestDatabase } from '../../../fixtures/database/test-database.ts';
import type { BirRow } from './soap.ts';

const db = await createTestDatabase();

const company = legalPerson('995200010', '1005200017', 'ŻÓŁĆ S.A.', { form: '116' });
const person = naturalPerson('995200040', '1005200046', 'ŹDŹBŁO', ['Ceidg', 'Rolnicza']);

type Entry = Record<string, unknown>;

/** Returns the entry of a company whose main report has the given fields. */
async function mapCompany(fields: BirRow, more: Record<string, BirRow[]> = {}): Promise<Entry> {
  const files = Object.entries(more).map(([name, rows]) => [`995200010-${name}.xml`, xmlOf(rows)]);
  const main = { ...company.reports['BIR12OsPrawna 995200010']![0]!, ...fields };
  const { entries } = await stageRegon(db, {
    'main.xml': xmlOf([main]),
    ...(Object.fromEntries(files) as Record<string, string>),
  });
  return entries['995200010-6']!;
}

describe('a legal person', () => {
  test('every field', async () => {
    const entry = await mapCompany({
      praw_nazwa: ' ŻÓŁĆ   S.A. ',
      praw_nazwaSkrocona: 'ŻSA',
      praw_formaWlasnosci_Symbol: '215',
      praw_numerWRejestrzeEwidencji: '0000990201 ',
      praw_rodzajRejestruEwidencji_Symbol: '138',
      praw_dataWpisuDoRejestruEwidencji: '2019-03-05',
      praw_dataWpisuDoRegon: '2019-03-06',
      praw_dataZakonczeniaDzialalnosci: '2026-11-30',
      praw_dataSkresleniaZRegon: '2026-12-01',
      praw_dataOrzeczeniaOUpadlosci: '2025-01-02',
      praw_dataZakonczeniaPostepowaniaUpadlosciowego: '2026-01-03',
      praw_adSiedzWojewodztwo_Symbol: '30',
      praw_adSiedzWojewodztwo_Nazwa: 'WIELKOPOLSKIE',
      praw_adSiedzPowiat_Nazwa: 'm. st. Poznań',
      praw_adSiedzGmina_Nazwa: 'M. Poznań',
      praw_adSiedzNumerLokalu: 'A         ',
      praw_numerTelefonu: '61 123-45-67',
      praw_numerWewnetrznyTelefonu: '12',
      praw_numerFaksu: '+48 61 1234568',
      praw_adresEmail: 'Biuro@Zolc.example.PL',
      praw_adresStronyinternetowej: 'HTTPS://Zolc.example.pl/',
    });
    const stated = Object.entries(entry).filter(([, value]) => value !== null);
    expect(Object.fromEntries(stated)).toEqual({
      file_no: 0,
      line: '1',
      entry_key: '995200010-6',
      nip: '1005200017',
      regon9: '995200010',
      krs: '0000990201',
      entity_type: 'LEGAL',
      legal_form: '116',
      name: 'ŻÓŁĆ S.A.',
      other_names: [{ type: 'short_name', value: 'ŻSA' }],
      attributes: { ownership_form: '215' },
      phone: '611234567 wew. 12',
      email: 'biuro@zolc.example.pl',
      fax: '+48611234568',
      website: 'https://zolc.example.pl/',
      postal_code: '61-823',
      county: 'Poznań',
      commune: 'Poznań',
      city: 'Poznań',
      street: 'ul. Zmyślona',
      building: '29/31',
      apartment: 'A',
      voivodeship: '30',
      activity_codes: '',
      is_well_formed: false,
      is_partnership_only: false,
      declared_status: 'ACTIVE',
      start_date: '2019-03-11',
      end_date: '2026-11-30',
      address_country_code: 'PL',
      struck_off_date: '2026-12-01',
      bankruptcy_start_date: '2025-01-02',
      bankruptcy_state: 'ENDED',
      bankruptcy_end_date: '2026-01-03',
      other_dates: [
        { type: 'Data powstania', date: '2019-03-04' },
        { type: 'Data wpisu do REGON', date: '2019-03-06' },
        { type: 'Data wpisu do rejestru lub ewidencji', date: '2019-03-05' },
      ],
    });
  });

  test.each([
    ['', '', 'ACTIVE'],
    ['2026-01-01', '', 'SUSPENDED'],
    ['2026-01-01', '2026-02-01', 'ACTIVE'],
    ['2026-03-01', '2026-02-01', 'SUSPENDED'],
    ['2026-03-01', '2026-03-01', 'ACTIVE'],
  ])('suspended on %j, resumed on %j: %s', async (suspended, resumed, status) => {
    const entry = await mapCompany({
      praw_dataZawieszeniaDzialalnosci: suspended,
      praw_dataWznowieniaDzialalnosci: resumed,
    });
    expect(entry.declared_status).toBe(status);
  });

  test.each([
    ['praw_szczegolnaFormaPrawna_Symbol', '17', 'legal_form', '117'],
    ['praw_szczegolnaFormaPrawna_Symbol', '019', 'legal_form', '019'],
    ['praw_statusNip', 'Uchylony', 'nip', null],
    ['praw_statusNip', 'Nadany', 'nip', '1005200017'],
    ['praw_nip', '100-520-00-17', 'nip', '1005200017'],
    ['praw_nip', '0000000000', 'nip', null],
    ['praw_adSiedzUlica_Nazwa', 'ul.Zmyślona', 'street', 'ul. Zmyślona'],
    ['praw_adSiedzUlica_Nazwa', '&#8209;&#8209;', 'street', null],
    ['praw_adSiedzKodPocztowy', '61-823', 'postal_code', '61-823'],
    ['praw_adSiedzKodPocztowy', '61 - 823', 'postal_code', '61-823'],
    ['praw_adSiedzKraj_Symbol', 'de', 'address_country_code', 'DE'],
    ['praw_adSiedzWojewodztwo_Nazwa', 'ŚWIĘTOKRZYSKIE', 'voivodeship', '26'],
    ['praw_adresStronyinternetowej', 'zolc.example.pl/Oferta', 'website', 'zolc.example.pl/Oferta'],
    ['PRAW_NUMERTELEFONU', 'brak', 'phone', 'brak'],
  ])('%s %j: %s %j', async (field, written, column, value) => {
    const entry = await mapCompany({ [field]: written });
    expect(entry[column]).toEqual(value);
  });

  test.each([
    ['', 'POLSKA', 'PL', '10-115'],
    ['DE', '', 'DE', '10115'],
    ['', 'NIEMCY', 'DE', '10115'],
    // An unknown name of a country causes a notice, and the entry has no country.
    ['', 'ATLANTYDA', '', '10115'],
  ])('the address has the country %j %j', async (symbol, name, country, code) => {
    const entry = await mapCompany({
      praw_adSiedzKraj_Symbol: symbol,
      praw_adSiedzKraj_Nazwa: name,
      praw_adSiedzKodPocztowy: '10115',
      praw_adSiedzWojewodztwo_Symbol: '',
      praw_adSiedzWojewodztwo_Nazwa: '',
    });
    expect(entry).toMatchObject({ address_country_code: country, postal_code: code });
  });

  test('the number of another register is no KRS number', async () => {
    const number = { praw_numerWRejestrzeEwidencji: '0000990201' };
    const symbol = 'praw_rodzajRejestruEwidencji_Symbol';
    expect((await mapCompany({ ...number, [symbol]: '139' })).krs).toBe('0000990201');
    expect((await mapCompany({ ...number, [symbol]: '033' })).krs).toBeNull();
  });
});

const code = (kod: string, main = '0', version?: string) => ({
  ...(version === undefined ? {} : { praw_pkdWersja: version }),
  praw_pkdKod: kod,
  praw_pkdPrzewazajace: main,
});

describe('the lists of a legal person', () => {
  test('partners, in an order of their own', async () => {
    const names = { wspolsc_imiePierwsze: 'PAWEŁ', wspolsc_imieDrugie: 'JAN' };
    const partner = { ...names, wspolsc_nazwisko: 'ŻUK', wspolsc_firmaNazwa: 'ŻUK' };
    const { persons } = await mapCompany(
      { praw_szczegolnaFormaPrawna_Symbol: '019' },
      { w: [partner, { wspolsc_nazwisko: '', wspolsc_firmaNazwa: 'BĄK SP. Z O.O.' }] },
    );
    expect(persons).toEqual([
      { kind: 'partner', full_name: 'BĄK SP. Z O.O.', role: 'Wspólnik' },
      { kind: 'partner', full_name: 'PAWEŁ JAN ŻUK', role: 'Wspólnik' },
    ]);
  });

  test('units out of the list, or of their own reports', async () => {
    const unit = {
      lokpraw_regon14: '99520001000022',
      lokpraw_nazwa: 'SKLEP',
      lokpraw_adSiedzUlica_Nazwa: 'ul.Krótka',
      lokpraw_adSiedzNumerNieruchomosci: '1',
      lokpraw_adSiedzMiejscowosc_Nazwa: 'Śrem',
      lokpraw_adSiedzKodPocztowy: '63100',
      lokpraw_adSiedzWojewodztwo_Nazwa: 'WIELKOPOLSKIE',
      lokpraw_dataPowstania: '2020-01-02',
      lokpraw_dataZakonczeniaDzialalnosci: '2026-01-02',
    };
    const details = { ...unit, lokpraw_dataZaistnieniaZmiany: '2026-01-01', lokpraw_nip: '' };
    const units = [
      {
        identifier: '99520001000022',
        name: 'SKLEP',
        address: {
          street: 'ul. Krótka',
          building: '1',
          apartment: null,
          city: 'Śrem',
          postal_code: '63-100',
          voivodeship: 'wielkopolskie',
          country_code: 'PL',
        },
        dates: [
          { type: 'Data powstania', date: '2020-01-02' },
          { type: 'Data zakończenia działalności', date: '2026-01-02' },
        ],
        is_closed: true,
      },
    ];
    const many = { praw_liczbaJednLokalnych: '1' };
    expect((await mapCompany(many, { l: [unit, unit] })).units).toEqual(units);
    expect((await mapCompany(many, { j: [details] })).units).toEqual(units);
    expect(
      (await mapCompany({}, { l: [unit], j: [{ ...details, lokpraw_nazwa: 'B' }] })).units,
    ).toEqual(units);
    expect((await mapCompany(many)).units).toBeNull();
  });
});

describe('activity codes', () => {
  const dotted = [code('62.10.B', '1', '2025'), code('6220A', '0', '2025')];
  const both = [code('6201Z', '1', '2007'), code('6210B', '1', '2025')];

  test.each([
    ['dots', dotted, '2025', '6210B', ['6210B', '6220A']],
    ['both versions', both, '2025', '6210B', ['6210B']],
    ['an unknown version', [code('7220Z', '1', '2004')], null, null, []],
    ['2007 alone', [code('6201Z', '1'), code('4711Z')], '2007', '6201Z', ['4711Z', '6201Z']],
    ['2025 alone', [code('6210B', '1'), code('4711Z')], '2025', '6210B', ['4711Z', '6210B']],
    ['no version, of both', [code('4711Z', '1')], '2007', '4711Z', ['4711Z']],
  ])('%s', async (_, rows, version, main, codes) => {
    expect(await mapCompany({}, { pkd: rows })).toMatchObject({
      activity_version: version,
      activity_main: main,
      activity_codes: codes.join(','),
    });
  });
});

test.each([
  ['', 'DELETED', null],
  ['2013-04-05', 'ACTIVE', '2013-04-05'],
])(
  'an activity struck off before 2014-11-08, on %j',
  async (day, declared_status, struck_off_date) => {
    const [general] = person.reports['BIR12OsFizycznaDaneOgolne 995200040']!;
    const activity = { fiz_regon9: '995200040', fiz_nazwa: 'ŹDŹBŁO' };
    const { entries } = await stageRegon(db, {
      'a/1.xml': xmlOf([general!]),
      'a/2.xml': xmlOf([{ ...activity, fiz_dataSkresleniaDzialalnosciZRegon: day }]),
    });
    expect(entries['995200040-4']).toMatchObject({ declared_status, struck_off_date });
  },
);

test('a natural person: an entry an activity', async () => {
  const [general] = person.reports['BIR12OsFizycznaDaneOgolne 995200040']!;
  const [farm] = person.reports['BIR12OsFizycznaDzialalnoscRolnicza 995200040']!;
  const [trade] = person.reports['BIR12OsFizycznaDzialalnoscCeidg 995200040']!;
  const { entries, rejects } = await stageRegon(db, {
    'a/1.xml': xmlOf([
      {
        ...general!,
        fiz_imie2: 'ANNA',
        fiz_szczegolnaFormaPrawna_Symbol: '099',
        fiz_dataWpisuPodmiotuDoRegon: '2001-02-03',
      },
    ]),
    'a/2.xml': xmlOf([
      {
        ...trade!,
        fizC_RodzajRejestru_Symbol: '151',
        fizC_numerWRejestrzeEwidencji: '0000990201',
        fizC_dataSkresleniaZRejestruEwidencji: '2026-01-02',
      },
    ]),
    // In the report of agricultural activities, the field with the day of the strike-off has another spelling.
    'a/3.xml': xmlOf([
      {
        ...farm!,
        fiz_dataSkresleniaDzialalanosciZRegon: '2026-01-03',
        fiz_dataOrzeczeniaOUpadlosci: '',
      },
    ]),
    'a/4.xml': xmlOf([
      { fiz_pkd_Kod: '4941Z', fiz_SilosID: '1' },
      { fiz_pkd_Kod: '0150Z', fiz_Silos_Symbol: 'Rolnicza' },
    ]),
    'a/5.xml': xmlOf([
      { lokfiz_regon14: '99520004000013', lokfiz_silosID: '1' },
      { lokfiz_regon14: '99520004000020', lokfiz_silosID: '2' },
    ]),
  });
  expect(rejects).toEqual([]);
  const shared = {
    nip: '1005200046',
    regon9: '995200040',
    krs: null,
    entity_type: 'NATURAL',
    legal_form: '099',
    surname: 'ŹDŹBŁO',
    first_name: 'DOBROŻYŹŃ ANNA',
    persons: [{ kind: 'owner', full_name: 'DOBROŻYŹŃ ANNA ŹDŹBŁO', role: 'Właściciel' }],
  };
  expect(entries).toMatchObject({
    '995200040-1': {
      ...shared,
      activity_codes: '4941Z',
      struck_off_date: null,
      units: [{ identifier: '99520004000013' }],
      other_dates: [
        { type: 'Data skreślenia z rejestru lub ewidencji', date: '2026-01-02' },
        { type: 'Data wpisu podmiotu do REGON', date: '2001-02-03' },
      ],
    },
    '995200040-2': {
      ...shared,
      activity_codes: '0150Z',
      struck_off_date: '2026-01-03',
      units: [{ identifier: '99520004000020' }],
    },
  });
});
