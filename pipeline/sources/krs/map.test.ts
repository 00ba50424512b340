import { beforeAll, expect, test } from 'vitest';
import { currentLine, declared, fullLine } from '../../../fixtures/dump/krs-extract.ts';
import { useKrsNights } from '../../../fixtures/dump/krs-nights.ts';

const nights = useKrsNights();
const { runLines, findEntry } = nights;

beforeAll(async () => {
  await runLines([currentLine({ krs: '0000990099' })]);
});

async function findRejects(): Promise<string[]> {
  const { rows } = await nights.db.pool.query<{ reason: string }>(
    `select reason from registry.reject
     where run_id = (select max(run_id) from registry.run)
     order by line`,
  );
  return rows.map(({ reason }) => reason);
}

const person = (first: string, more: object = {}) => ({
  imiona: { imie: first },
  nazwisko: { nazwiskoICzlon: 'K***' },
  ...more,
});

test('a number that is not valid says nothing: what was known stays', async () => {
  const krs = '0000991001';
  const say = (nip: string, regon: string) =>
    runLines([currentLine({ krs, identity: { identyfikatory: { nip, regon } } })]);
  await say('100-500-00-11', '99500001500000');
  expect(await findEntry(krs, 'nip, regon9')).toEqual(['1005000011', '995000015']);
  const summary = await say('1005000012', '99500001600000');
  expect(await findEntry(krs, 'nip, regon9')).toEqual(['1005000011', '995000015']);
  expect(summary).toMatchObject({
    updated: 0,
    notices: [
      { subject: 'NIP', value: '1005000012' },
      { subject: 'REGON', value: '99500001600000' },
    ],
  });
  expect(await say('0000000000', '00000000000000')).toMatchObject({ updated: 1, notices: [] });
  expect(await findEntry(krs, 'nip, regon9')).toEqual([null, null]);
});

test('a state later than the day of the dump is told, one later than today rejected', async () => {
  const summary = await runLines([
    currentLine({ krs: '0000991002', header: { stanZDnia: '20.11.2026' } }),
    currentLine({ krs: '0000991003', header: { stanZDnia: '21.11.2026' } }),
  ]);
  expect(summary).toMatchObject({ read: 2, accepted: 1, rejected: 1, new: 1 });
  expect(summary.notices).toMatchObject([
    { subject: 'state after the day of the dump', value: '2026-11-20' },
  ]);
  expect(await findRejects()).toEqual(['the state of 2026-11-21 is in the future']);
});

test('an OdpisPelny is believed where the OdpisAktualny beside it says the same, else neither is', async () => {
  const krs = '0000991007';
  const current = currentLine({ krs, identity: { nazwa: 'ALFA' }, activities: ['6910Z'] });
  const summary = await runLines([current, fullLine(krs, 'ALFA', '6910Z', '04.03.2019')]);
  expect(summary).toMatchObject({ read: 2, accepted: 1, rejected: 1, new: 1 });
  expect(await findRejects()).toEqual(['repeats another row of the same entry']);
  const other = currentLine({ krs: '0000991008', identity: { nazwa: 'BETA' } });
  const full = fullLine('0000991008', 'ALFA', '6910Z', '04.03.2019');
  const contrary = await runLines([other, full, currentLine({ krs: '0000990099' })]);
  expect(contrary).toMatchObject({ read: 3, accepted: 1, rejected: 2, new: 0 });
});

test('of several suspensions and bankruptcies the last one counts', async () => {
  const krs = '0000991009';
  await runLines([
    currentLine({
      krs,
      section6: {
        zawieszenieWznowienieDzialalnosci: [
          { dataZawieszenia: '01.05.2024' },
          { dataZawieszenia: '01.09.2026', dataWznowienia: '01.10.2026' },
          { dataZawieszenia: '01.01.2020', dataWznowienia: '01.02.2020' },
        ],
        postepowanieUpadlosciowe: [
          declared('03.03.2026'),
          { ...declared('02.02.2015'), opisZakonczeniaProcesuUpadlosci: { data: '02.02.2017' } },
        ],
      },
    }),
  ]);
  const columns =
    'status, suspension_date, resumption_date, bankruptcy_start_date, bankruptcy_end_date';
  const last = ['ACTIVE', '2026-09-01', '2026-10-01', '2026-03-03', null];
  expect(await findEntry(krs, columns)).toEqual(last);
});

test('a legal form and a voivodeship that are not known are told', async () => {
  const krs = '0000991010';
  const summary = await runLines([
    currentLine({
      krs,
      identity: { formaPrawna: 'GILDIA' },
      section1: { siedzibaIAdres: { siedziba: { kraj: 'POLSKA', wojewodztwo: 'LITEWSKIE' } } },
    }),
  ]);
  expect(summary.notices).toMatchObject([
    { subject: 'legal form', value: 'GILDIA' },
    { subject: 'voivodeship', value: 'LITEWSKIE' },
  ]);
  const columns = 'legal_form, voivodeship, address_country_code';
  expect(await findEntry(krs, columns)).toEqual([null, null, 'PL']);
  // An extract without a legal form is accepted.
  const blank = await runLines([currentLine({ krs: '0000991090', identity: { formaPrawna: '' } })]);
  expect(blank).toMatchObject({ new: 1, rejected: 0, notices: [] });
});

test('everyone who owns or represents a company is named, with the role', async () => {
  const krs = '0000991011';
  await runLines([
    currentLine({
      krs,
      section1: {
        jedynyAkcjonariusz: [{ nazwa: 'GMINA ŻÓŁWIN', krs: { krs: '0000000000' } }],
        wspolnicyPartnerzy: [
          person('A**', {
            posiadaneUdzialy: '9 UDZIAŁÓW',
            identyfikator: { pesel: '8**********' },
          }),
        ],
        wspolnicySpzoo: [{ nazwa: 'BÓR', identyfikator: { regon: '99500007300000' } }],
      },
      section2: {
        reprezentacja: {
          nazwaOrganu: 'ZARZĄD',
          sklad: [person('B**', { funkcjaWOrganie: 'PREZES', czyZawieszona: true }), person('C**')],
        },
        prokurenci: [person('D**', { rodzajProkury: 'ŁĄCZNA Z JANEM NOWAKIEM' })],
        pelnomocnicy: [person('E**')],
      },
    }),
  ]);
  const [persons] = await findEntry(krs, 'persons');
  expect(persons).toEqual([
    { kind: 'representative', full_name: 'B** K***', role: 'PREZES, w zawieszeniu' },
    { kind: 'representative', full_name: 'C** K***', role: 'ZARZĄD' },
    { kind: 'representative', full_name: 'D** K***', role: 'Prokurent' },
    { kind: 'representative', full_name: 'E** K***', role: 'Pełnomocnik' },
    { kind: 'shareholder', full_name: 'A** K***', role: 'Wspólnik', holding: '9 UDZIAŁÓW' },
    { kind: 'shareholder', full_name: 'BÓR', role: 'Wspólnik', number: '995000073' },
    { kind: 'shareholder', full_name: 'GMINA ŻÓŁWIN', role: 'Jedyny akcjonariusz' },
  ]);
});

test('a cancelled number is none; one that was known and is not cancelled stays', async () => {
  const krs = '0000991012';
  const say = (identyfikatory: object) =>
    runLines([currentLine({ krs, identity: { identyfikatory } })]);
  const inForce = { statusNip: 'AKTYWNY', statusRegon: 'NADANY' };
  const first = await say({ nip: '1005000011', regon: '99500001500000', ...inForce });
  expect(first.notices).toEqual([]);
  const other = { dataDecyzji: '2015-11-17', nip: '1005000028', regon: '99500001500000' };
  expect(await say({ ...other, statusNip: 'UNIEWAŻNIONY' })).toMatchObject({
    events: 0,
    notices: [{ subject: 'NIP status', value: 'UNIEWAŻNIONY' }],
  });
  expect(await findEntry(krs, 'nip, regon9')).toEqual(['1005000011', '995000015']);
  expect(await say({ nip: '1005000011', statusNip: 'UCHYLONY' })).toMatchObject({
    event_types: { ANOMALY_REGON_CHANGE: 1, COMPANY_TAX_IDENTITY_REVOKED: 1 },
  });
  const regon = { regon: '99500001500000', statusRegon: 'SKREŚLONY' };
  expect(await say({ nip: '1005000028', statusNip: 'ZMĄCONY', ...regon })).toMatchObject({
    events: 0,
  });
  expect(await findEntry(krs, 'nip, regon9')).toEqual([null, null]);
});

test('the activities of a public benefit organisation are its activities', async () => {
  const krs = '0000991020';
  const [care, lessons] = [
    { kodDzial: '88', kodKlasa: '99', kodPodklasa: 'Z' },
    { kodDzial: '85', kodKlasa: '59', kodPodklasa: 'B' },
  ];
  const przedmiotDzialalnosciOPP = { nieodplatnyPkd: [care], odplatnyPkd: [lessons, care] };
  await runLines([currentLine({ krs, section3: { przedmiotDzialalnosciOPP } })]);
  expect(await findEntry(krs, 'activity_main, activity_codes')).toEqual([null, '8559B,8899Z']);
});

test('a postal code with blanks is the same as without; the address for electronic delivery is no event', async () => {
  const krs = '0000991021';
  const at = (kodPocztowy: string, more: object = {}) => {
    const siedzibaIAdres = { adres: { kodPocztowy }, ...more };
    const jednostkiTerenoweOddzialy = [{ nazwa: 'ODDZIAŁ', adres: { kodPocztowy } }];
    return runLines([
      currentLine({ krs, section1: { siedzibaIAdres, jednostkiTerenoweOddzialy } }),
    ]);
  };
  await at('16-400');
  expect(await at('16 - 400')).toMatchObject({ updated: 0 });
  const e_delivery = 'AE:PL-00000-00000-AAAAA-11';
  const summary = await at('16-400', { adresDoDoreczenElektronicznychWpisanyDoBAE: e_delivery });
  expect(summary).toMatchObject({ updated: 1, events: 0, notices: [] });
  expect(await findEntry(krs, 'e_delivery')).toEqual([e_delivery]);
});

const member = (first: string, dataZawieszeniaDo: string) =>
  person(first, { funkcjaWOrganie: 'PREZES', czyZawieszona: true, dataZawieszeniaDo });

test('a suspension that has ended by the day of the dump is shown no longer', async () => {
  const [krs, other] = ['0000991023', '0000991026'];
  const tell = (number: string, members: readonly object[], stanZDnia: string) =>
    currentLine({
      krs: number,
      header: { stanZDnia },
      section2: { reprezentacja: { nazwaOrganu: 'ZARZĄD', sklad: members } },
    });
  await runLines([
    tell(krs, [member('A**', '30.09.2026'), member('B**', '31.12.2026')], '01.10.2026'),
    tell(other, [member('A**', '31.08.2026'), member('B**', '31.12.2026')], '15.08.2026'),
  ]);
  const expected = [{ role: 'PREZES' }, { role: 'PREZES, w zawieszeniu' }];
  expect((await findEntry(krs, 'persons'))[0]).toMatchObject(expected);
  expect((await findEntry(other, 'persons'))[0]).toMatchObject(expected);
});

test('legal forms that the extracts spell in their own way are known', async () => {
  const forms: [formaPrawna: string, symbol: string][] = [
    ['INNA OSOBA PRAWNA BĘDĄCA ORGANIZACJĄ POŻYTKU PUBLICZNEGO', 'K35'],
    ['ZWIĄZKI ROLNIKÓW, KÓŁEK I ORGANIZACJI ROLNICZYCH', '143'],
    ['NIE POSIADAJĄCA OSOBOWOŚCI PRAWNEJ ORGANIZACJA POŻYTKU PUBLICZNEGO', 'K37'],
    ['KOŚCIELNA OSOBA PRAWNA BĘDĄCA ORGANIZACJĄ POŻYTKU PUBLICZNEGO', 'K34'],
    [
      'NIE POSIADAJĄCA OSOBOWOŚCI PRAWNEJ INSTYTUCJA KOŚCIELNA BĘDĄCA ORGANIZACJĄ POŻYTKU PUBLICZNEGO',
      'K36',
    ],
    ['INSTYTUT BADAWCZY', '165'],
    ['INSTYTUT BADAWCZY / INSTYTUT DZIAŁAJĄCY W RAMACH SIECI BADAWCZEJ ŁUKASIEWICZ', '165'],
  ];
  const lines = forms.map(([formaPrawna], at) =>
    currentLine({ krs: `000099110${at}`, identity: { formaPrawna } }),
  );
  expect(await runLines(lines)).toMatchObject({ new: forms.length, notices: [] });
  for (const [at, [, symbol]] of forms.entries()) {
    expect(await findEntry(`000099110${at}`, 'legal_form')).toEqual([symbol]);
  }
});

test('what a curator, a trustee and a liquidation are known by besides is no unknown field', async () => {
  const krs = '0000991027';
  const daneSyndyka = [{ podmiot: { nazwa: 'ŻUBR', identyfikatory: { krs } } }];
  const kurator = [person('A**', { podstawaPowolaniaZakresDzialania: 'ART. 42 K.C.' })];
  const section6 = {
    likwidacja: [{ opisSposobuZakonczeniaPostepowania: 'UMORZENIE' }],
    postepowanieUpadlosciowe: [{ ...declared('02.02.2026'), daneSyndyka }],
  };
  const line = currentLine({ krs, section5: { kurator }, section6 });
  expect(await runLines([line])).toMatchObject({ notices: [] });
  expect((await findEntry(krs, 'persons'))[0]).toMatchObject([
    { full_name: 'ŻUBR', role: 'Syndyk' },
    { full_name: 'A** K***', role: 'Kurator' },
  ]);
});

test('a dump of which every extract is rejected is refused, however short', async () => {
  const line = currentLine({ krs: '991024' });
  await expect(runLines([line])).rejects.toThrow(/1 of 1 rows were rejected/);
});
