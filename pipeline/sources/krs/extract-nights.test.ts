import { expect, test } from 'vitest';
import { currentLine, declared, fullLine, newest } from '../../../fixtures/dump/krs-extract.ts';
import { useKrsNights } from '../../../fixtures/dump/krs-nights.ts';

const { runLines, findEntry } = useKrsNights();

interface FullExtract {
  odpis: { dane: { dzial1: { danePodmiotu: { nazwa: object[] } } } };
}

test('an extract that is older than the known one says nothing, and is noted', async () => {
  const krs = '0000991018';
  const at = (header: object, nazwa: string) => currentLine({ krs, header, identity: { nazwa } });
  await runLines([at(newest(7, '03.10.2026'), 'NOWA')]);
  expect(await runLines([at(newest(6, '02.10.2026'), 'DAWNA')])).toMatchObject({
    read: 0,
    rejected: 0,
    events: 0,
    notices: [{ subject: 'older extract', value: `${krs}, entry 6, state of 2026-10-02` }],
  });
  await runLines([at({ stanZDnia: '02.10.2026' }, 'DAWNA')]);
  expect(await findEntry(krs, 'name')).toEqual(['NOWA']);
  // An extract with unchanged content and a later day changes only the entry's `version_date`.
  await runLines([at(newest(7, '05.10.2026'), 'NOWA')]);
  await runLines([at({ stanZDnia: '04.10.2026' }, 'DAWNA')]);
  // Of two extracts from the same register, the extract with the higher version number takes precedence, even if its
  // day is earlier.
  await runLines([at(newest(6, '06.10.2026'), 'DAWNA')]);
  expect(await findEntry(krs, 'name, version_no, version_date')).toEqual(['NOWA', 7, '2026-10-05']);
});

test('of two versions of one dump the newer one counts', async () => {
  const krs = '0000991019';
  const summary = await runLines([
    currentLine({ krs, header: newest(8, '03.10.2026'), identity: { nazwa: 'NOWA' } }),
    currentLine({ krs, header: newest(7, '02.10.2026'), identity: { nazwa: 'DAWNA' } }),
  ]);
  expect(summary).toMatchObject({ read: 1, accepted: 1, rejected: 0, new: 1 });
  expect(await findEntry(krs, 'name')).toEqual(['NOWA']);
});

test('a current extract counts that says the same as an older full one of the dump', async () => {
  const krs = '0000991028';
  const identity = { nazwa: 'GAMMA SPÓŁKA AKCYJNA' };
  const summary = await runLines([
    fullLine(krs, identity.nazwa, '6910Z', '04.03.2019'),
    currentLine({ krs, identity, activities: ['6910Z'], header: newest(2) }),
  ]);
  expect(summary).toMatchObject({ read: 1, accepted: 1, rejected: 0, new: 1 });
  expect(await findEntry(krs, 'version_no')).toEqual([2]);
});

test('the former names of a full extract stay beside a current one, without the shown name', async () => {
  const krs = '0000991029';
  const entry = (nrWpisuWprow: string, nrWpisuWykr?: string) => ({ nrWpisuWprow, nrWpisuWykr });
  const full = JSON.parse(fullLine(krs, 'DELTA', '6910Z', '04.03.2019')) as FullExtract;
  full.odpis.dane.dzial1.danePodmiotu.nazwa = [
    { nazwa: 'DELTA I SYNOWIE', ...entry('1', '2') },
    { nazwa: 'DELTA', ...entry('2', '3') },
    { nazwa: 'DELTA POLSKA', ...entry('3', '4') },
    { nazwa: 'DELTA', ...entry('4') },
  ];
  await runLines([JSON.stringify(full)]);
  const [names] = await findEntry(krs, 'other_names');
  expect(names).toEqual([
    { type: 'former_name', value: 'DELTA I SYNOWIE' },
    { type: 'former_name', value: 'DELTA POLSKA' },
  ]);
  await runLines([currentLine({ krs, identity: { nazwa: 'DELTA' }, header: newest(5) })]);
  expect(await findEntry(krs, 'other_names')).toEqual([names]);
});

test('a number that the register of entrepreneurs alone has struck off is not struck off', async () => {
  const krs = '0000991025';
  const header = { ...newest(9, '03.10.2026'), dataWykreslenia: '02.10.2026' };
  const summary = await runLines([
    currentLine({ krs, header }),
    currentLine({ krs, header: { ...newest(4, '03.10.2026'), rejestr: 'RejS' } }),
  ]);
  expect(summary).toMatchObject({ read: 1, accepted: 1, new: 1 });
  expect(await findEntry(krs, 'status, version_no')).toEqual(['ACTIVE', 4]);
});

test('a number that one register keeps is not struck off by another one on a later day', async () => {
  const krs = '0000991026';
  const kept = currentLine({ krs, header: { ...newest(4, '03.10.2026'), rejestr: 'RejS' } });
  await runLines([kept]);
  const ended = { ...newest(9, '05.10.2026'), dataWykreslenia: '01.09.2026' };
  expect(await runLines([currentLine({ krs, header: ended })])).toMatchObject({
    read: 0,
    events: 0,
    notices: [
      { subject: 'extract of another register', value: `${krs}, entry 9, state of 2026-10-05` },
    ],
  });
  expect(await findEntry(krs, 'status, version_register')).toEqual(['ACTIVE', 'RejS']);
  await runLines([currentLine({ krs, header: { ...ended, rejestr: 'RejS' } })]);
  expect(await findEntry(krs, 'status, version_register')).toEqual(['DELETED', 'RejS']);
});

test('of two registers of one dump that both keep a number, that of entrepreneurs counts', async () => {
  const krs = '0000991027';
  const [ofP, ofS] = ['RejP', 'RejS'].map((rejestr) =>
    currentLine({ krs, header: { ...newest(4), rejestr }, identity: { nazwa: rejestr } }),
  );
  expect(await runLines([ofS!, ofP!])).toMatchObject({ read: 1, accepted: 1, rejected: 0 });
  expect(await findEntry(krs, 'name')).toEqual(['RejP']);
});

const suspended = (dataZawieszenia: string) => ({
  zawieszenieWznowienieDzialalnosci: [{ dataZawieszenia }],
});

test('a day that is not readable is noted and stays as it was; the rest of the extract counts', async () => {
  const [krs, ended, fresh] = ['0000991004', '0000991005', '0000991006'];
  const columns = 'name, status, suspension_date, bankruptcy_start_date, other_dates';
  const bankrupt = (data: string) => ({ postepowanieUpadlosciowe: [declared(data)] });
  await runLines([
    currentLine({ krs, section6: { ...suspended('01.09.2026'), ...bankrupt('02.08.2026') } }),
    currentLine({ krs: ended }),
  ]);
  const summary = await runLines([
    currentLine({
      krs,
      identity: { nazwa: 'NOWA' },
      header: { dataRejestracjiWKRS: 'WIOSNĄ' },
      section6: { ...suspended('31.11.2026'), ...bankrupt('00.00.0000') },
    }),
    currentLine({ krs: ended, header: { dataWykreslenia: 'ZARAZ' }, section6: bankrupt('------') }),
    currentLine({ krs: fresh, section6: suspended('16.01.0001') }),
  ]);
  const at = 'dane.dzial6';
  const suspension = `${at}.zawieszenieWznowienieDzialalnosci.dataZawieszenia`;
  const opening = `${at}.postepowanieUpadlosciowe.informacjaOOgloszeniuUpadlosci.data`;
  expect(summary).toMatchObject({
    rejected: 0,
    event_types: { COMPANY_NAME_CHANGED: 1 },
    notices: [
      { subject: 'day', value: `${opening}: 00.00.0000` },
      { subject: 'day', value: `${suspension}: 16.01.0001` },
      { subject: 'day', value: `${suspension}: 31.11.2026` },
      { subject: 'day', value: 'naglowek.dataRejestracjiWKRS: WIOSNĄ' },
      { subject: 'day', value: 'naglowek.dataWykreslenia: ZARAZ' },
    ],
  });
  const registered = [{ type: 'Data rejestracji w KRS', date: '2019-03-04' }];
  const stood = ['SUSPENDED', '2026-09-01', '2026-08-02', registered];
  expect(await findEntry(krs, columns)).toEqual(['NOWA', ...stood]);
  const asBefore = [`SPÓŁKA ${ended}`, 'ACTIVE', null, null, registered];
  expect(await findEntry(ended, columns)).toEqual(asBefore);
  expect(await findEntry(fresh, 'status, suspension_date')).toEqual(['ACTIVE', null]);
});

const abroad = {
  siedziba: { kraj: 'NIEMCY', miejscowosc: 'LUBEKA' },
  adres: { kraj: 'NIEMCY', ulica: 'HOLSTENWALL', nrDomu: '7', miejscowosc: 'LUBEKA' },
  adresPocztyElektronicznej: 'KONTAKT@MOEWE.EXAMPLE',
};

const branch = (nrDomu: string) => ({
  nazwa: 'MÖWE GMBH ODDZIAŁ W POLSCE',
  siedziba: { kraj: 'POLSKA', wojewodztwo: 'POMORSKIE', miejscowosc: 'SOPOT' },
  adres: { kraj: 'POLSKA', ulica: 'MEWIA', nrDomu, kodPocztowy: '81-701', miejscowosc: 'SOPOT' },
});

function foreignLine(krs: string, section1: object = {}): string {
  const extract = JSON.parse(
    currentLine({
      krs,
      section1: {
        danePodmiotuZagranicznego: {
          formaPrawna: 'ODDZIAŁ ZAGRANICZNEGO PRZEDSIĘBIORCY',
          nazwa: 'MÖWE GMBH',
        },
        siedzibaIAdresPodmiotuZagranicznego: abroad,
        jednostkiTerenoweOddzialy: [branch('3')],
        ...section1,
      },
      section2: {
        osobyReprezentujacePZ: [{ nazwisko: { nazwiskoICzlon: 'M***' }, imiona: { imie: 'U**' } }],
      },
    }),
  ) as { odpis: { dane: { dzial1: { danePodmiotu?: object } } } };
  delete extract.odpis.dane.dzial1.danePodmiotu;
  return JSON.stringify(extract);
}

const numbers = Array.from({ length: 25 }, (_, at) => `00009950${at + 10}`);

test('a foreign company with a branch in Poland is an entry at the address of the branch', async () => {
  const krs = numbers[0]!;
  const lines = numbers.map((number) => foreignLine(number));
  expect(await runLines(lines)).toMatchObject({ new: 25, rejected: 0, notices: [] });
  expect(await findEntry(krs, 'name, legal_form, email, persons')).toEqual([
    'MÖWE GMBH',
    '179',
    'kontakt@moewe.example',
    [{ kind: 'representative', full_name: 'U** M***', role: 'Osoba reprezentująca' }],
  ]);
  const address = 'street, building, city, postal_code, voivodeship, address_country_code';
  expect(await findEntry(krs, address)).toEqual(['MEWIA', '3', 'SOPOT', '81-701', '22', 'PL']);
  expect((await findEntry(krs, 'units'))[0]).toMatchObject([
    { name: 'MÖWE GMBH ODDZIAŁ W POLSCE', address: { building: '3', city: 'SOPOT' } },
    { name: 'MÖWE GMBH', address: { street: 'HOLSTENWALL', city: 'LUBEKA', country_code: 'DE' } },
  ]);
  expect(await runLines(lines)).toMatchObject({ updated: 0, events: 0 });
  // A foreign company's address is the address of its branch, so a move of the branch causes only one event.
  const moved = foreignLine(krs, { jednostkiTerenoweOddzialy: [branch('9')] });
  expect((await runLines([moved])).event_types).toEqual({ COMPANY_ADDRESS_CHANGED: 1 });
});

test('a foreign company is named and placed by whatever its extract tells', async () => {
  const [own, alone] = ['0000995002', '0000995003'];
  await runLines([
    foreignLine(own, {
      danePodmiotuZagranicznego: {
        formaPrawna: 'GMBH',
        nazwaFormaPrawnaPrzedsiebiorcyZagranicznego: 'MÖWE GESELLSCHAFT MBH',
      },
      siedzibaIAdres: branch('5'),
    }),
    foreignLine(alone, { jednostkiTerenoweOddzialy: [] }),
  ]);
  const columns = 'name, legal_form, building, city, jsonb_array_length(units)';
  expect(await findEntry(own, columns)).toEqual(['MÖWE GESELLSCHAFT MBH', '179', '5', 'SOPOT', 2]);
  expect(await findEntry(alone, columns)).toEqual(['MÖWE GMBH', '179', '7', 'LUBEKA', null]);
});
