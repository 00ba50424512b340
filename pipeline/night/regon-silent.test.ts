import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { legalPerson } from '../../fixtures/registry/bir-entity.ts';
import { runDump } from '../../fixtures/dump/night.ts';
import { xmlOf } from '../../fixtures/dump/regon-stage.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import type { RunSummary } from './summary.ts';

const branch = '99520002700016';
const company = legalPerson('995200027', '1005200023', 'ĆMA S.A.', {
  form: '116',
  units: [branch],
});

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
  const registered = { ...inKrs, praw_numerWRejestrzeEwidencji: '0000135115' };
  await ingest('2026-11-02', registered, {
    'pkd.xml': xmlOf([{ praw_pkdWersja: '2025', praw_pkdKod: '4711Z', praw_pkdPrzewazajace: '1' }]),
    'list.xml': xmlOf([{ lokpraw_regon14: branch, lokpraw_nazwa: 'ODDZIAŁ' }]),
  });
});
afterAll(() => db.drop());

const inKrs = { praw_rodzajRejestruEwidencji_Symbol: '138' };

async function ingest(
  date: string,
  fields: Record<string, string>,
  files: Record<string, string> = {},
): Promise<RunSummary> {
  const [main] = company.reports[`BIR12OsPrawna ${company.regon}`]!;
  const folder = await mkdtemp(join(tmpdir(), 'regon-silent-'));
  try {
    for (const [file, xml] of Object.entries({
      'a.xml': xmlOf([{ ...main!, ...fields }]),
      ...files,
    }))
      await writeFile(join(folder, file), xml);
    return await runDump(db, folder, date, { source: 'regon' });
  } finally {
    await rm(folder, { recursive: true });
  }
}

function errorOf(code: string, report: string): string {
  return xmlOf([{ ErrorCode: code, pRegon: company.regon, Raport: `BIR12${report}` }]);
}

// One database, one story: each test goes on where the one before it ended.
test.each([
  ['2026-11-03', '4', 'OsPrawnaPkd'],
  ['2026-11-04', '11', 'OsPrawnaPkd'],
  ['2026-11-05', '4', 'OsPrawnaListaJednLokalnych'],
])('%s: error %s in place of %s takes nothing away', async (date, code, report) => {
  const fields = {
    ...inKrs,
    praw_numerWRejestrzeEwidencji: '0000135115',
    praw_liczbaJednLokalnych: '1',
  };
  const summary = await ingest(date, fields, { 'e.xml': errorOf(code, report) });
  expect(summary).toMatchObject({ rejected: 0, updated: 0, events: 0 });
  expect(summary.notices).toMatchObject([{ subject: 'error answer', rows: 1 }]);
});

test('numbers that are not valid and a legal form that is not known change nothing', async () => {
  const summary = await ingest('2026-11-06', {
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
  const fields = { ...inKrs, praw_numerWRejestrzeEwidencji: '0000135115' };
  const summary = await ingest(
    '2026-11-07',
    { ...fields, praw_liczbaJednLokalnych: '' },
    { 'e.xml': errorOf('4', 'OsPrawnaListaJednLokalnych') },
  );
  expect(summary.event_types).toEqual({ COMPANY_UNIT_CLOSED: 1 });
});
