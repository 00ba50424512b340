import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legalPerson } from '../../../fixtures/registry/bir-entity.ts';
import { stageRegon, xmlOf } from '../../../fixtures/dump/regon-stage.ts';
import { createTestDatabase, type TestDatabase } from '../../../fixtures/database/test-database.ts';
import type { BirRow } from './soap.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const company = legalPerson('995200010', '1005200017', 'ŻÓŁĆ S.A.', { form: '116' });

type Entry = Record<string, unknown>;

/** What the company is mapped to when its main report says this. */
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
    expect(entry).toEqual({
      file_no: 0,
      line: '1',
      fingerprint: null,
      entry_key: '995200010-6',
      nip: '1005200017',
      regon9: '995200010',
      krs: '0000990201',
      entity_type: 'LEGAL',
      legal_form: '116',
      name: 'ŻÓŁĆ S.A.',
      surname: null,
      first_name: null,
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
      announced_activity: null,
      closed_units: null,
      address_ids: null,
      is_partial: null,
      numbers: null,
      untold: null,
      activity_version: null,
      activity_main: null,
      activity_codes: '',
      is_well_formed: false,
      status_text: null,
      declared_status: 'ACTIVE',
      is_partnership_only: false,
      start_date: '2019-03-11',
      end_date: '2026-11-30',
      suspension_date: null,
      resumption_date: null,
      address_country_code: 'PL',
      struck_off_date: '2026-12-01',
      bankruptcy_start_date: '2025-01-02',
      bankruptcy_state: 'ENDED',
      restructuring_start_date: null,
      restructuring_end_date: null,
      restructuring_state: null,
      e_delivery: null,
      version_no: null,
      version_register: null,
      version_date: null,
      bankruptcy_end_date: '2026-01-03',
      units: null,
      persons: null,
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
    ['praw_statusNip', 'Unieważniony', 'nip', null],
    ['praw_statusNip', 'Anulowany', 'nip', null],
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
    // The names of BIR 1.0.
    [
      'praw_dataWpisuDoREGON',
      '2019-03-06',
      'other_dates',
      [
        { type: 'Data powstania', date: '2019-03-04' },
        { type: 'Data wpisu do REGON', date: '2019-03-06' },
      ],
    ],
    ['praw_dataSkresleniazRegon', '2026-01-01', 'struck_off_date', '2026-01-01'],
  ])('%s %j: %s %j', async (field, written, column, value) => {
    // The same field in another spelling would be a second one.
    const others = { praw_dataWpisuDoRegon: '', praw_dataSkresleniaZRegon: '' };
    const entry = await mapCompany({ ...others, [field]: written });
    expect(entry[column]).toEqual(value);
  });

  test.each([
    ['', 'POLSKA', 'PL', '10-115'],
    ['DE', '', 'DE', '10115'],
    ['', 'NIEMCY', 'DE', '10115'],
    // An unknown one is noted.
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
