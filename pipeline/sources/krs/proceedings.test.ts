import { afterEach, expect, test } from 'vitest';
import { currentLine, declared, fullLine, newest } from '../../../fixtures/dump/krs-extract.ts';
import { useKrsNights } from '../../../fixtures/dump/krs-nights.ts';
import { verify } from '../../night/verify.ts';

const nights = useKrsNights();
const { runLines, findEntry } = nights;

const faults: string[] = [];

afterEach(async () => {
  faults.push(...(await verify(nights.db, 'krs')));
});

async function readEvents(krs: string) {
  const { rows } = await nights.db.pool.query<string[]>({
    text: 'select event_type, old_value, new_value from analyst.event where krs = $1 order by event_id',
    values: [krs],
    rowMode: 'array',
  });
  return rows;
}

const court = { organWydajacy: 'SĄD REJONOWY, 5 SIERPNIA 2026 R.', sygnatura: 'XX GU 1/26' };
const bankrupt = { postepowanieUpadlosciowe: [{ informacjaOOgloszeniuUpadlosci: court }] };

test('a bankruptcy without a date has that of its own entry, or none', async () => {
  const krs = '0000991013';
  const columns = 'bankruptcy_state, bankruptcy_start_date';
  await runLines([currentLine({ krs, header: newest(4) })]);
  const undated = { krs, header: newest(6, '02.10.2026'), section6: bankrupt };
  expect(await runLines([currentLine(undated)])).toMatchObject({
    event_types: { COMPANY_BANKRUPTCY_STARTED: 1 },
  });
  expect(await findEntry(krs, columns)).toEqual(['OPEN', null]);
  const wpis = [
    { numerWpisu: 1, dataWpisu: '04.03.2019' },
    { numerWpisu: 5, dataWpisu: '01.09.2026' },
    { numerWpisu: 7, dataWpisu: '03.10.2026' },
  ];
  const full = JSON.parse(fullLine(krs, `SPÓŁKA ${krs}`, '', '04.03.2019')) as {
    odpis: { naglowekP: object; dane: object };
  };
  Object.assign(full.odpis.naglowekP, { wpis });
  const dzial6 = {
    postepowanieUpadlosciowe: [
      { informacjaOOgloszeniuUpadlosci: [{ ...court, nrWpisuWprow: '5' }] },
    ],
  };
  Object.assign(full.odpis.dane, { dzial6 });
  expect(await runLines([JSON.stringify(full)])).toMatchObject({ events: 0 });
  expect(await findEntry(krs, columns)).toEqual(['OPEN', '2026-09-01']);
  // The entry keeps the day of the bankruptcy after the next current extract, since current extracts do not state this
  // day.
  await runLines([currentLine({ krs, header: newest(8, '04.10.2026'), section6: bankrupt })]);
  expect(await findEntry(krs, columns)).toEqual(['OPEN', '2026-09-01']);
  const ended = currentLine({ krs, header: newest(9, '05.10.2026') });
  expect(await runLines([ended])).toMatchObject({ event_types: { COMPANY_BANKRUPTCY_ENDED: 1 } });
});

test('a bankruptcy without a date has that of the only entry since the known one', async () => {
  const krs = '0000991014';
  const columns = 'bankruptcy_state, bankruptcy_start_date, bankruptcy_end_date';
  await runLines([currentLine({ krs, header: newest(4) })]);
  await runLines([currentLine({ krs, header: newest(5, '07.10.2026'), section6: bankrupt })]);
  expect(await findEntry(krs, columns)).toEqual(['OPEN', '2026-10-07', null]);
  // Version 6 of the extract leaves the bankruptcy unchanged; version 7 ends it.
  await runLines([currentLine({ krs, header: newest(6, '08.10.2026'), section6: bankrupt })]);
  expect(await findEntry(krs, columns)).toEqual(['OPEN', '2026-10-07', null]);
  const opisZakonczeniaProcesuUpadlosci = { opisSposobuZakonczeniaPostepowania: 'UMORZENIE' };
  const ended = { informacjaOOgloszeniuUpadlosci: court, opisZakonczeniaProcesuUpadlosci };
  const section6 = { postepowanieUpadlosciowe: [ended] };
  await runLines([currentLine({ krs, header: newest(7, '09.10.2026'), section6 })]);
  expect(await findEntry(krs, columns)).toEqual(['ENDED', '2026-10-07', '2026-10-09']);
});

test('a bankruptcy and its end learnt in one night are numbered in the order of their dates', async () => {
  const krs = '0000991015';
  await runLines([currentLine({ krs })]);
  const opisZakonczeniaProcesuUpadlosci = {
    opisSposobuZakonczeniaPostepowania: 'UMORZENIE',
    data: '02.02.2026',
  };
  const both = { ...declared('02.02.2025'), opisZakonczeniaProcesuUpadlosci };
  await runLines([currentLine({ krs, section6: { postepowanieUpadlosciowe: [both] } })]);
  expect((await readEvents(krs)).map(([event_type]) => event_type)).toEqual([
    'COMPANY_REGISTERED',
    'COMPANY_BANKRUPTCY_STARTED',
    'COMPANY_BANKRUPTCY_ENDED',
  ]);
});

test('an end or a resumption that is an item of its own ends what was open', async () => {
  const krs = '0000991033';
  const columns = 'status, resumption_date, bankruptcy_state, bankruptcy_end_date, other_dates';
  const insolvent = { ...declared('20.07.2023'), opisZakonczeniaProcesuUpadlosci: {} };
  const suspended = { dataZawieszenia: '01.02.2026' };
  const dissolved = { otwarcieLikwidacji: 'UCHWAŁA Z DNIA 03.03.2026 R.' };
  const section6 = {
    postepowanieUpadlosciowe: [insolvent],
    zawieszenieWznowienieDzialalnosci: [suspended],
    likwidacja: [dissolved],
  };
  await runLines([currentLine({ krs, section6 })]);
  const ended = {
    postepowanieUpadlosciowe: [
      insolvent,
      {
        informacjaOOgloszeniuUpadlosci: {},
        opisZakonczeniaProcesuUpadlosci: { dataZakonczeniaPostepowania: '12.08.2026' },
      },
    ],
    zawieszenieWznowienieDzialalnosci: [suspended, { dataWznowienia: '13.08.2026' }],
    likwidacja: [dissolved, { zakonczenieLikwidacji: '14.08.2026' }, { likwidatorzy: [] }],
  };
  expect(await runLines([currentLine({ krs, section6: ended })])).toMatchObject({
    event_types: { COMPANY_BANKRUPTCY_ENDED: 1, COMPANY_RESUMED: 1 },
  });
  const dates = [
    { type: 'Data otwarcia likwidacji', date: '2026-03-03' },
    { type: 'Data rejestracji w KRS', date: '2019-03-04' },
    { type: 'Data zakończenia likwidacji', date: '2026-08-14' },
  ];
  const now = ['ACTIVE', '2026-08-13', 'ENDED', '2026-08-12', dates];
  expect(await findEntry(krs, columns)).toEqual(now);
});

const long = 'RestrukturyzacyjneNaprawczePrzymusowaRestrukturyzacjaUporzadkowanaLikwidacja';
const genitive =
  'RestrukturyzacyjnegoNaprawczegoPrzymusowejRestrukturyzacjiUporzadkowanejLikwidacji';

function restructuring(rodzajPostepowania: string, more: object = {}, day = '02.07.2026') {
  const opening = {
    rodzajPostepowania,
    sygnaturaSprawy: 'XX GR 1/26',
    dataNadaniaKlauzuliWykonalnosci: day,
  };
  return { [`otwarciePostepowania${genitive}`]: opening, ...more };
}

const listed = (...list: object[]) => ({ [`postepowanie${long}`]: list });

test('a restructuring is told with its dates and its supervisor, a liquidation is none', async () => {
  const krs = '0000991016';
  await runLines([currentLine({ krs }), currentLine({ krs: '0000991017' })]);
  const person = { imiona: { imie: 'A**' }, nazwisko: { nazwiskoICzlon: 'K***' } };
  const supervisor = { nadzorcaZarzadcaReprezentujacyAdministratorPelnomocnik: [person] };
  const opened = listed(restructuring('POSTĘPOWANIE NAPRAWCZE', supervisor));
  const summary = await runLines([
    currentLine({ krs, section6: opened }),
    currentLine({ krs: '0000991017', section6: listed(restructuring('UPORZĄDKOWANA LIKWIDACJA')) }),
  ]);
  expect(summary).toMatchObject({
    event_types: { COMPANY_RESTRUCTURING_STARTED: 1 },
    notices: [{ subject: 'proceedings', value: 'UPORZĄDKOWANA LIKWIDACJA' }],
  });
  const columns = 'restructuring_state, restructuring_start_date, restructuring_end_date';
  expect(await findEntry(krs, `${columns}, persons`)).toEqual([
    'OPEN',
    '2026-07-02',
    null,
    [{ kind: 'appointed', full_name: 'A** K***', role: 'Nadzorca lub zarządca' }],
  ]);
  const end = { [`zakonczeniePostepowania${genitive}`]: { data: '01.10.2026', opis: 'UKŁAD' } };
  const section6 = listed(restructuring('POSTĘPOWANIE NAPRAWCZE', end));
  expect(await runLines([currentLine({ krs, section6 })])).toMatchObject({
    event_types: { COMPANY_RESTRUCTURING_ENDED: 1 },
  });
  expect(await findEntry(krs, columns)).toEqual(['ENDED', '2026-07-02', '2026-10-01']);
});

/** Returns the event that is expected for the new company `krs`. */
const registeredOf = (krs: string) => ['COMPANY_REGISTERED', null, `SPÓŁKA ${krs}`];

const opened = (day: string, end: object = {}) => restructuring('POSTĘPOWANIE SANACYJNE', end, day);

test('a restructuring that ends while another opens is told with it, in the order of the dates', async () => {
  const krs = '0000991030';
  const say = (...list: object[]) => runLines([currentLine({ krs, section6: listed(...list) })]);
  const ended = (data: string) => ({ [`zakonczeniePostepowania${genitive}`]: { data } });
  await say(opened('02.03.2026'));
  const both = [opened('02.03.2026', ended('04.08.2026')), opened('01.07.2026')];
  await say(...both);
  expect(await say(...both)).toMatchObject({ updated: 0, events: 0 });
  // A third restructuring opens and ends while the second restructuring is open.
  await say(...both, opened('05.08.2026'));
  await say(...both, opened('05.08.2026', ended('06.08.2026')));
  expect(await readEvents(krs)).toEqual([
    registeredOf(krs),
    ['COMPANY_RESTRUCTURING_STARTED', null, '2026-07-01'],
    ['COMPANY_RESTRUCTURING_ENDED', '2026-03-02', '2026-08-04'],
    ['COMPANY_RESTRUCTURING_STARTED', null, '2026-08-05'],
    ['COMPANY_RESTRUCTURING_ENDED', '2026-08-05', '2026-08-06'],
  ]);
});

test('a suspension of a later day waits for it, also without a new extract', async () => {
  const [krs, other, withdrawn] = ['0000991031', '0000991032', '0000991033'];
  const { rows } = await nights.db.pool.query<{ day: string }>(
    'select max(dump_date) + 3 as day from registry.run',
  );
  const { day } = rows[0]!;
  const written = day.split('-').toReversed().join('.');
  const section6 = { zawieszenieWznowienieDzialalnosci: [{ dataZawieszenia: written }] };
  await runLines([krs, withdrawn, other].map((number) => currentLine({ krs: number, section6 })));
  expect(await findEntry(krs, 'status, suspension_date')).toEqual(['ACTIVE', day]);
  expect(await runLines([currentLine({ krs: withdrawn })])).toMatchObject({ events: 0 });
  // On the day on which both companies are suspended, the dump has the first company's unchanged extract, and no
  // extract of the second.
  expect(await runLines([currentLine({ krs, section6 })])).toMatchObject({
    updated: 0,
    event_types: { COMPANY_SUSPENDED: 2 },
  });
  for (const number of [krs, other]) {
    expect(await readEvents(number)).toEqual([
      registeredOf(number),
      ['COMPANY_SUSPENDED', null, day],
    ]);
  }
  expect(await findEntry(other, 'status')).toEqual(['SUSPENDED']);
  expect(await findEntry(withdrawn, 'status')).toEqual(['ACTIVE']);
  const resumed = [{ dataZawieszenia: written, dataWznowienia: written }];
  const line = currentLine({ krs, section6: { zawieszenieWznowienieDzialalnosci: resumed } });
  expect(await runLines([line])).toMatchObject({ event_types: { COMPANY_RESUMED: 1 } });
});

test('each night leaves a whole database', () => {
  expect(faults).toEqual([]);
});
