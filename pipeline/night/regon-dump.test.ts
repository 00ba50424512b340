import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { legalPerson, naturalPerson } from '../../fixtures/registry/bir-entity.ts';
import { startBirStub } from '../../fixtures/registry/bir-stub.ts';
import { createInbox, hasty, planOf } from '../../fixtures/registry/fetching.ts';
import { type DumpFiles, runDump, runFiles } from '../../fixtures/dump/night.ts';
import { xmlOf } from '../../fixtures/dump/regon-stage.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { Bir } from '../sources/regon/bir.ts';
import { fetchRegon } from '../sources/regon/fetch.ts';
import { WrongUsage } from '../errors.ts';
import type { RunSummary } from './summary.ts';
import { verify } from './verify.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});

const branch = '99520002700016';
const company = legalPerson('995200010', '1005200017', 'ŻÓŁĆ & SYN', { form: '019' });
const other = legalPerson('995200027', '1005200023', 'ĆMA S.A.', { form: '116', units: [branch] });
const person = naturalPerson('995200040', '1005200046', 'ŹDŹBŁO', ['Ceidg', 'Rolnicza']);

const ingest = (files: DumpFiles, date: string): Promise<RunSummary> =>
  runFiles(db, date, files, { source: 'regon' });

function mainOf({ regon, reports }: typeof company, fields: Record<string, string> = {}): string {
  return xmlOf([{ ...reports[`BIR12OsPrawna ${regon}`]![0]!, ...fields }]);
}

const readEntries = () =>
  readTexts(`select concat_ws(' ', entry_key, name, status) as text
    from registry.entry order by entry_key`);

async function readTexts(query: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ text: string }>(query);
  return rows.map(({ text }) => text);
}

const readLists = () =>
  readTexts(`select concat(activity_codes, ' ', jsonb_array_length(units)) as text
    from registry.entry`);

test('what the fetcher writes is a dump', async () => {
  const stub = await startBirStub({
    key: 'klucz',
    entities: [company, other, person],
    lists: {
      BIR11NowePodmiotyPrawneOrazDzialalnosciOsFizycznych: ['995200010', '995200040'],
      BIR11AktualizowaneJednostkiLokalne: [branch],
      BIR11SkreslonePodmiotyPrawneOrazDzialalnosciOsFizycznych: ['995200056'],
    },
  });
  const inbox = await createInbox();
  const bir = new Bir({ url: stub.url, key: 'klucz', ...hasty });
  await fetchRegon(bir, planOf(inbox, '2026-11-19'));
  const folder = join(inbox, 'regon', '2026-11-19');
  const summary = await runDump(db, folder, '2026-11-19', { source: 'regon' });
  expect(summary).toMatchObject({ rejected: 0, entries: 4 });
  expect(await readEntries()).toEqual([
    '995200010-6 ŻÓŁĆ & SYN ACTIVE',
    '995200027-6 ĆMA S.A. ACTIVE',
    '995200040-1 "ŹDŹBŁO" <A> & SYN Ceidg ACTIVE',
    '995200040-2 "ŹDŹBŁO" <A> & SYN Rolnicza ACTIVE',
  ]);
  const { rows } = await db.pool.query(
    `select persons, concat_ws(' ', activity_codes, units #>> '{0,identifier}') as shown
     from registry.entry where entry_key like '%-6' order by entry_key`,
  );
  const number = '997152054';
  const partner = { kind: 'partner', full_name: 'GRZYMISŁAW ZMYŚLONY', role: 'Wspólnik', number };
  expect(rows).toEqual([
    { persons: [partner], shown: '6201Z' },
    { persons: null, shown: `6201Z ${branch}` },
  ]);
  expect(await verify(db, 'regon')).toEqual([]);
});

test('one company twice: the same once, a contradiction never', async () => {
  await ingest({ 'a.xml': mainOf(company), 'b.xml': mainOf(other) }, '2026-11-02');
  const summary = await ingest(
    {
      'a/1.xml': mainOf(company, { praw_nazwa: 'NOWA' }),
      'a/2.xml': mainOf(company, { praw_nazwa: 'NOWSZA' }),
      'b/1.xml': mainOf(other, { praw_nazwa: 'INNA' }),
      'b/2.xml': mainOf(other, { praw_nazwa: ' INNA ' }),
    },
    '2026-11-03',
  );
  expect(summary).toMatchObject({ rejected: 3, updated: 1, events: 1 });
  expect(await readEntries()).toEqual(['995200010-6 ŻÓŁĆ & SYN ACTIVE', '995200027-6 INNA ACTIVE']);
  const rejects = `select concat_ws(' ', file, reason) as text from analyst.reject order by file`;
  expect(await readTexts(rejects)).toEqual([
    'a/1.xml contradicts another row of the same entry in a/2.xml',
    'a/2.xml contradicts another row of the same entry in a/1.xml',
    'b/2.xml repeats another row of the same entry in b/1.xml',
  ]);
});

test('a date that is none is noted, a REGON that is none is not taken', async () => {
  const summary = await ingest(
    {
      'a.xml': mainOf(company, { praw_dataZakonczeniaDzialalnosci: '2026-02-30' }),
      'b.xml': mainOf(other, { praw_regon9: '995200011' }),
      'c.xml': mainOf(other, {}),
    },
    '2026-11-02',
  );
  expect(summary).toMatchObject({ rejected: 1, entries: 2 });
  const found = `select reason as text from registry.reject
    union all select format('%s %s', subject, value) from registry.notice order by 1`;
  expect(await readTexts(found)).toEqual([
    'date end_date 2026-02-30',
    "the REGON '995200011' is not valid",
  ]);
});

test('values of any length that are not known', async () => {
  const long = 'x'.repeat(10_000);
  const fields = { praw_nip: long, praw_dataPowstania: long, [`praw_${long}`]: long };
  const summary = await ingest({ 'a.xml': mainOf(company, fields) }, '2026-11-02');
  expect(summary).toMatchObject({ rejected: 0, entries: 1 });
  const lengths = `select concat(subject, ' ', length(value)) as text
    from registry.notice order by subject`;
  expect(await readTexts(lengths)).toEqual(['NIP 200', 'date 200', 'field 200']);
});

test('what a report does not say stays, what it says goes', async () => {
  const units = [{ lokpraw_regon14: branch, lokpraw_nazwa: 'ODDZIAŁ' }];
  await ingest(
    {
      'a.xml': mainOf(other),
      'pkd.xml': xmlOf([{ praw_pkdWersja: '2025', praw_pkdKod: '4711Z' }]),
      'list.xml': xmlOf(units),
    },
    '2026-11-02',
  );
  expect(await readLists()).toEqual(['4711Z 1']);
  const silent = await ingest({ 'a.xml': mainOf(other) }, '2026-11-03');
  expect(silent).toMatchObject({ updated: 0, events: 0 });
  expect(await readLists()).toEqual(['4711Z 1']);
  const summary = await ingest(
    { 'a.xml': mainOf(other, { praw_liczbaJednLokalnych: '0' }) },
    '2026-11-04',
  );
  expect(summary).toMatchObject({ updated: 1, events: 1 });
  expect(await readLists()).toEqual(['4711Z ']);
});

test('numbers struck off by the list alone', async () => {
  await ingest({ 'a.xml': mainOf(company), 'b.xml': mainOf(other) }, '2026-11-02');
  const summary = await ingest(
    { 'deleted.txt': `${company.regon}00000\n${branch}\n995200056\n` },
    '2026-11-03',
  );
  expect(summary).toMatchObject({ deleted: 1, events: 1, rejected: 0 });
  expect(await readEntries()).toEqual([
    '995200010-6 ŻÓŁĆ & SYN DELETED',
    '995200027-6 ĆMA S.A. ACTIVE',
  ]);
});

test('a folder with nothing of REGON in it', async () => {
  await expect(ingest({ 'a.json': '{}' }, '2026-11-02')).rejects.toThrow(WrongUsage);
});

describe('an answer that is silent', async () => {
  const told = await createTestDatabase();
  const inKrs = { praw_rodzajRejestruEwidencji_Symbol: '138' };
  const registered = { ...inKrs, praw_numerWRejestrzeEwidencji: '0000135115' };
  const tell = (date: string, fields: Record<string, string>, files: DumpFiles = {}) =>
    runFiles(told, date, { 'a.xml': mainOf(other, fields), ...files }, { source: 'regon' });
  const errorOf = (code: string, report: string) =>
    xmlOf([{ ErrorCode: code, pRegon: other.regon, Raport: `BIR12${report}` }]);

  beforeAll(() =>
    tell('2026-11-02', registered, {
      'pkd.xml': xmlOf([
        { praw_pkdWersja: '2025', praw_pkdKod: '4711Z', praw_pkdPrzewazajace: '1' },
      ]),
      'list.xml': xmlOf([{ lokpraw_regon14: branch, lokpraw_nazwa: 'ODDZIAŁ' }]),
    }),
  );

  // The tests share one database, and each test continues from the state that the test before it left.
  test.each([
    ['2026-11-03', '4', 'OsPrawnaPkd'],
    ['2026-11-04', '11', 'OsPrawnaPkd'],
    ['2026-11-05', '4', 'OsPrawnaListaJednLokalnych'],
  ])('%s: error %s in place of %s takes nothing away', async (date, code, report) => {
    const fields = { ...registered, praw_liczbaJednLokalnych: '1' };
    const summary = await tell(date, fields, { 'e.xml': errorOf(code, report) });
    expect(summary).toMatchObject({ rejected: 0, updated: 0, events: 0 });
    expect(summary.notices).toMatchObject([{ subject: 'error answer', rows: 1 }]);
  });

  test('numbers that are not valid and a legal form that is not known change nothing', async () => {
    const summary = await tell('2026-11-06', {
      ...inKrs,
      praw_nip: '1005200024',
      praw_numerWRejestrzeEwidencji: '135115',
      praw_szczegolnaFormaPrawna_Symbol: '998',
    });
    expect(summary).toMatchObject({ rejected: 0, updated: 0, events: 0 });
    expect(summary.notices.map(({ subject }) => subject).toSorted()).toEqual([
      'KRS number',
      'NIP',
      'legal form',
    ]);
  });

  test('no units are none', async () => {
    const summary = await tell(
      '2026-11-07',
      { ...registered, praw_liczbaJednLokalnych: '' },
      { 'e.xml': errorOf('4', 'OsPrawnaListaJednLokalnych') },
    );
    expect(summary.event_types).toEqual({ COMPANY_UNIT_CLOSED: 1 });
  });
});
