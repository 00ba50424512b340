import { expect, test } from 'vitest';
import { currentLine, fullLine } from '../../../fixtures/dump/krs-extract.ts';
import { useKrsNights } from '../../../fixtures/dump/krs-nights.ts';
import { verify } from '../../night/verify.ts';

const nights = useKrsNights();
const { runLines, findEntry } = nights;

const declared = (data: string) => ({ informacjaOOgloszeniuUpadlosci: { data } });

const person = (first: string) => ({
  imiona: { imie: first },
  nazwisko: { nazwiskoICzlon: 'K***' },
});

const court = { organWydajacy: 'SĄD REJONOWY, 5 SIERPNIA 2026 R.', sygnatura: 'XX GU 1/26' };
const bankrupt = { postepowanieUpadlosciowe: [{ informacjaOOgloszeniuUpadlosci: court }] };

function newest(numerOstatniegoWpisu: number, stanZDnia = '01.10.2026') {
  return { numerOstatniegoWpisu, stanZDnia, dataOstatniegoWpisu: stanZDnia };
}

test('a bankruptcy without a date has that of its own entry, or none', async () => {
  const krs = '0000991013';
  const columns = 'bankruptcy_state, bankruptcy_start_date';
  await runLines([currentLine({ krs, header: newest(4) })]);
  const undated = { krs, header: newest(6, '02.10.2026'), section6: bankrupt };
  expect(await runLines([currentLine(undated)])).toMatchObject({
    event_types: { COMPANY_BANKRUPTCY_STARTED: 1 },
  });
  expect(await findEntry(krs, columns)).toEqual(['OPEN', null]);
  expect(await verify(nights.db, 'krs')).toEqual([]);
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
  // The day stays when a current extract, which does not tell it, comes again.
  await runLines([currentLine({ krs, header: newest(8, '04.10.2026'), section6: bankrupt })]);
  expect(await findEntry(krs, columns)).toEqual(['OPEN', '2026-09-01']);
  const ended = currentLine({ krs, header: newest(9, '05.10.2026') });
  expect(await runLines([ended])).toMatchObject({ event_types: { COMPANY_BANKRUPTCY_ENDED: 1 } });
  expect(await verify(nights.db, 'krs')).toEqual([]);
});

test('a bankruptcy without a date in a current extract has none, even where one entry brought it', async () => {
  const krs = '0000991014';
  await runLines([currentLine({ krs, header: newest(4) })]);
  await runLines([currentLine({ krs, header: newest(5, '07.10.2026'), section6: bankrupt })]);
  expect(await findEntry(krs, 'bankruptcy_state, bankruptcy_start_date')).toEqual(['OPEN', null]);
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
  const { rows } = await nights.db.pool.query<{ event_type: string }>(
    'select event_type from analyst.event where krs = $1 order by event_id',
    [krs],
  );
  expect(rows.map(({ event_type }) => event_type)).toEqual([
    'COMPANY_BANKRUPTCY_STARTED',
    'COMPANY_BANKRUPTCY_ENDED',
  ]);
  expect(await verify(nights.db, 'krs')).toEqual([]);
});

const long = 'RestrukturyzacyjneNaprawczePrzymusowaRestrukturyzacjaUporzadkowanaLikwidacja';
const genitive =
  'RestrukturyzacyjnegoNaprawczegoPrzymusowejRestrukturyzacjiUporzadkowanejLikwidacji';

function restructuring(rodzajPostepowania: string, more: object = {}) {
  const opened = {
    rodzajPostepowania,
    sygnaturaSprawy: 'XX GR 1/26',
    dataNadaniaKlauzuliWykonalnosci: '02.07.2026',
  };
  return {
    [`postepowanie${long}`]: [{ [`otwarciePostepowania${genitive}`]: opened, ...more }],
  };
}

test('a restructuring is told with its dates and its supervisor, a liquidation is none', async () => {
  const krs = '0000991016';
  await runLines([currentLine({ krs }), currentLine({ krs: '0000991017' })]);
  const supervisor = { nadzorcaZarzadcaReprezentujacyAdministratorPelnomocnik: [person('A**')] };
  const opened = restructuring('POSTĘPOWANIE NAPRAWCZE', supervisor);
  const summary = await runLines([
    currentLine({ krs, section6: opened }),
    currentLine({ krs: '0000991017', section6: restructuring('UPORZĄDKOWANA LIKWIDACJA') }),
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
  const ended = currentLine({ krs, section6: restructuring('POSTĘPOWANIE NAPRAWCZE', end) });
  expect(await runLines([ended])).toMatchObject({
    event_types: { COMPANY_RESTRUCTURING_ENDED: 1 },
  });
  expect(await findEntry(krs, columns)).toEqual(['ENDED', '2026-07-02', '2026-10-01']);
  expect(await verify(nights.db, 'krs')).toEqual([]);
});
