import { describe, expect, test } from 'vitest';
import {
  type BirEntity,
  legalPerson,
  naturalPerson,
} from '../../../fixtures/registry/bir-entity.ts';
import { linesOf, type RegonStage, stageRegon, xmlOf } from '../../../fixtures/dump/regon-stage.ts';
import { createTestDatabase } from '../../../fixtures/database/test-database.ts';

const db = await createTestDatabase();

const company = legalPerson('995200010', '1005200017', 'ŻÓŁĆ S.A.', { form: '116' });
const other = legalPerson('995200027', '1005200023', 'ĆMA S.A.', { form: '116' });
const person = naturalPerson('995200040', '1005200046', 'ŹDŹBŁO', ['Ceidg', 'Rolnicza']);

/** Returns the answer with one report of an entity, as XML. */
function xml({ regon, reports }: BirEntity, report: string): string {
  return xmlOf(reports[`BIR12${report} ${regon}`]!);
}

const stage = (files: Record<string, string>) => stageRegon(db, files);

/** Returns the activity codes of each staged entry, by the key of the entry. */
function codesOf({ entries }: RegonStage): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entries).map(([key, { activity_codes }]) => [key, activity_codes]),
  );
}

test('the answer to a search is named, and is no report', async () => {
  const search = { report: 'DaneSzukajPodmioty', data: [{ regon: '995200010' }] };
  const files = { 'a.xml': xml(company, 'OsPrawna'), 'search.ndjson': JSON.stringify(search) };
  const staged = await stage(files);
  expect(staged.rejects).toEqual([]);
  expect(staged.outcomes).toEqual({
    'answer without a report: DaneSzukajPodmioty in search.ndjson': 1,
  });
});

describe('whose an answer without a REGON is', () => {
  const pkd = xml(company, 'OsPrawnaPkd');
  const main = { 'a.xml': xml(company, 'OsPrawna'), 'b.xml': xml(other, 'OsPrawna') };
  const nobody = 'whose it is tell neither the answer nor the names of its file and folder';

  test.each([
    ['the name of its file', '995200010-pkd.xml'],
    ['one of 14 digits', 'x/Pkd_99520001000000.xml'],
    ['the name of its folder', '995200010/pkd.xml'],
    ['the name of the nearest folder that has one', '995200027/995200010/2026-11-03/pkd.xml'],
    ['the name of its file before that of its folder', '995200027/995200010.xml'],
    ['the one company that its folder is about', 'x/pkd.xml'],
  ])('%s', async (_, file) => {
    const staged = await stage({ 'x/a.xml': main['a.xml'], 'b.xml': main['b.xml'], [file]: pkd });
    expect(codesOf(staged)).toEqual({ '995200010-6': '6201Z', '995200027-6': '' });
    expect(staged.rejects).toEqual([]);
  });

  test('nobody, in a folder about two companies or none, or under a number that is none', async () => {
    const files = ['pkd.xml', 'y/pkd.xml', 'z/995200011.xml', '9952000100/pkd.xml'];
    const staged = await stage({
      ...main,
      ...Object.fromEntries(files.map((file) => [file, pkd])),
    });
    expect(staged.rejects.toSorted()).toEqual(files.map((file) => `${file}: ${nobody}`).toSorted());
    expect(codesOf(staged)).toEqual({ '995200010-6': '', '995200027-6': '' });
  });
});

test.each([
  ['the name of its file', '99520001000015-Pkd.xml', xml(company, 'OsPrawnaPkd')],
  ['the name of its folder', '995200010/99520001000015/pkd.xml', xml(company, 'OsPrawnaPkd')],
  [
    'its label',
    'pkd.ndjson',
    '{"report":"BIR12OsPrawnaPkd","regon":"99520001000015","data":[{"praw_pkdKod":"6201Z"}]}',
  ],
])('an answer that names only a local unit is not about the company: %s', async (_, file, text) => {
  const staged = await stage({ 'a.xml': xml(company, 'OsPrawna'), [file]: text });
  expect(codesOf(staged)).toEqual({ '995200010-6': '' });
  expect(staged.rejects).toEqual([]);
});

describe('reports that belong together', () => {
  test('a person with two activities', async () => {
    const staged = await stage({ 'reports.ndjson': linesOf(person) });
    // A report of activity codes without a silo (the kind of a person's activity) applies to all activities of the
    // person.
    expect(codesOf(staged)).toEqual({ '995200040-1': '0111Z', '995200040-2': '0111Z' });
    expect(staged.rejects).toEqual([]);
    expect(staged.outcomes).toEqual({});
  });

  test('an activity without the report of the person, and a report without an activity', async () => {
    const staged = await stage({
      'a/ceidg.xml': xml(person, 'OsFizycznaDzialalnoscCeidg').replace(
        '</dane>',
        '<fizC_NiePodjetoDzialalnosci>false</fizC_NiePodjetoDzialalnosci></dane>',
      ),
      '995200010/pkd.xml': xml(company, 'OsPrawnaPkd'),
      'b.xml': xml(
        naturalPerson('995200056', '1005200052', 'KŁOS', ['Ceidg']),
        'OsFizycznaDaneOgolne',
      ),
    });
    expect(staged.entries).toEqual({});
    expect(staged.rejects).toEqual([
      '995200010/pkd.xml: the dump holds no main report of 995200010',
      'a/ceidg.xml: without the report OsFizycznaDaneOgolne of the person',
      'b.xml: the dump holds no main report of 995200056',
    ]);
    expect(staged.outcomes).toEqual({ 'activity without its report: 995200056-1': 1 });
  });

  test('two answers that say the same, and two that do not', async () => {
    const pkd = xml(company, 'OsPrawnaPkd');
    const files = { 'a.xml': xml(company, 'OsPrawna'), '995200010-1.xml': pkd };
    const alike = await stage({ ...files, '995200010-2.xml': pkd });
    expect(codesOf(alike)).toEqual({ '995200010-6': '6201Z' });
    const apart = await stage({ ...files, '995200010-2.xml': pkd.replace('6201Z', '6202Z') });
    expect(apart.entries).toEqual({});
    expect(apart.rejects).toEqual(['a.xml: other reports contradict each other: codes']);
  });

  test('codes of BIR 1.1 beside those of 1.2', async () => {
    const staged = await stage({
      'a.xml': xml(company, 'OsPrawna'),
      '995200010-1.xml': xmlOf([{ praw_pkdKod: '6201Z', praw_pkdPrzewazajace: '1' }]),
      '995200010-2.xml': xmlOf([
        { praw_pkdWersja: '2025', praw_pkdKod: '6210B', praw_pkdPrzewazajace: '1' },
      ]),
    });
    expect(codesOf(staged)).toEqual({ '995200010-6': '6210B' });
  });
});

describe('answers that there is nothing', () => {
  test('are outcomes', async () => {
    const answers = [
      ['2', 'OsPrawna', '2 Nie ma. OsPrawna 995200010'],
      ['4', 'BIR11OsPrawna', '4 Nie ma. OsPrawna 995200010'],
      ['5', ' BIR1.1OsPrawnaXyz', '5 Nie ma. 995200010'],
      ['7', '', '7 Nie ma. 995200010'],
      ['11', 'birBIR11OsFizycznaPkd', '11 Nie ma. OsFizycznaPkd'],
      ['21', '', '21 Nie ma. OsPrawnaSpCywilnaWspolnicy'],
    ];
    const files = answers.map(([ErrorCode, Raport], at) => [
      `${at}.xml`,
      xmlOf([
        { ErrorCode: ErrorCode!, ErrorMessagePl: 'Nie ma.', pRegon: '995200010', Raport: Raport! },
      ]),
    ]);
    const staged = await stage(Object.fromEntries(files) as Record<string, string>);
    const outcomes = Object.fromEntries(answers.map(([, , text]) => [`error answer: ${text}`, 1]));
    expect(staged).toEqual({ entries: {}, rejects: [], outcomes, deleted: [] });
  });

  test('fields, numbers and symbols that are not known', async () => {
    const [row] = company.reports['BIR12OsPrawna 995200010']!;
    const staged = await stage({
      'a.xml': xmlOf([
        {
          ...row!,
          praw_nowePole: '1',
          praw_nip: '1005200018',
          praw_statusNip: 'Nadany',
          praw_szczegolnaFormaPrawna_Symbol: '998',
          praw_rodzajRejestruEwidencji_Symbol: '138',
          praw_numerWRejestrzeEwidencji: '12345',
          praw_adSiedzWojewodztwo_Nazwa: 'MAZOWSZE',
          praw_dataPowstania: '2019-02-30',
        },
      ]),
      '995200010-l.xml': xmlOf([{ lokpraw_regon14: '99520001000016', lokpraw_nazwa: 'A' }]),
    });
    expect(staged.entries['995200010-6']).toMatchObject({
      nip: null,
      krs: null,
      legal_form: null,
      voivodeship: null,
      units: null,
      other_dates: null,
    });
    expect(staged.outcomes).toEqual({
      'KRS number: 12345': 1,
      'NIP: 1005200018': 1,
      'NIP status: Nadany': 1,
      'REGON of a unit: 99520001000016': 1,
      'date: formation_date 2019-02-30': 1,
      'field: OsPrawna praw_nowePole': 1,
      'legal form: 998': 1,
      'voivodeship: MAZOWSZE': 1,
    });
  });
});

test('the daily lists: who is struck off, and what has no answer', async () => {
  const staged = await stage({
    'a.xml': xml(company, 'OsPrawna'),
    'new.txt': '995200010\n995200027\n',
    'updated.txt': '99520001000015\n99520002700000\n995200011\n',
    'deleted.txt': '995200010\n995200040\n99520005600019\n',
  });
  // A number that has an answer is ignored in the list of deleted numbers. A deleted local unit does not delete its
  // company.
  expect(staged.deleted).toEqual(['1', '2', '3', '4', '6'].map((silo) => `995200040-${silo}`));
  expect(staged.rejects).toEqual(["updated.txt: the REGON '995200011' is not valid"]);
  expect(staged.outcomes).toEqual({
    'listed without an answer: deleted 99520005600019': 1,
    'listed without an answer: new 995200027': 1,
    'listed without an answer: updated 99520002700000': 1,
  });
});
