import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  header,
  makeFolder,
  makeReports,
  makeRow,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import { runDump } from '../../fixtures/dump/night.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import type { RunSummary } from './summary.ts';
import { verify } from './verify.ts';

let db: TestDatabase;
let folder: string;

beforeEach(async () => {
  [db, folder] = await Promise.all([createTestDatabase(), makeFolder()]);
});

/** Runs a night over a CEIDG dump that has only the given rows. */
async function tell(date: string, rows: readonly string[]): Promise<RunSummary> {
  const reports = Object.fromEntries(Object.keys(makeReports()).map((key) => [key, [header]]));
  reports.opolskie!.push(...rows);
  await writeReports(join(folder, date), reports);
  return runDump(db, join(folder, date), date);
}

const blank = {
  NazwaPodmiotu: '',
  Telefon: '',
  Email: '',
  AdresWWW: '',
  NrLokalu: '',
  DataZawieszeniaDzialalnosci: '',
};
const hyphens = { ...blank, NazwaPodmiotu: '-', Telefon: '---', Email: '‑', AdresWWW: '–' };
const escaped = { ...blank, NazwaPodmiotu: '"&amp;#8209;"', NrLokalu: '—', Telefon: '"&#45;"' };
const words = { ...blank, Telefon: 'brak', Email: 'nie posiada', AdresWWW: 'BRAK' };
const noNumbers = { Nip: '', Regon: '' };

test('hyphens and words for nothing come and go without an event, and the name shown is the owner’s', async () => {
  for (const [at, fields] of [blank, hyphens, words, escaped].entries()) {
    const date = `2026-11-0${at + 2}`;
    const summary = await tell(date, [
      withFields(makeRow(1), { ...fields, Imie: 'Łucja', Nazwisko: 'Skowron' }),
      withFields(makeRow(2), { ...fields, ...noNumbers, Imie: 'Iga', Nazwisko: 'Czapla' }),
      withFields(makeRow(3), {
        NazwaPodmiotu: 'Młyn-Bud',
        NrLokalu: '-1',
        AdresWWW: 'mlyn.example',
      }),
    ]);
    expect(summary).toMatchObject({ new: 0, updated: 0, deleted: 0, rejected: 0, events: 0 });
    const { rows } = await db.pool.query(
      `select company.name, entry.phone, entry.email, entry.website, entry.apartment
      from registry.company join registry.entry using (company_id) order by 1`,
    );
    const nothing = { phone: null, email: null, website: null, apartment: null };
    expect(rows).toEqual([
      { name: 'Iga Czapla', ...nothing },
      {
        name: 'Młyn-Bud',
        phone: '600000003',
        email: 'biuro@u3.example.pl',
        website: 'mlyn.example',
        apartment: '-1',
      },
      { name: 'Łucja Skowron', ...nothing },
    ]);
  }
  expect(await verify(db, 'ceidg')).toEqual([]);
});

test('an entry without numbers stays one where its firm is only spelled otherwise', async () => {
  const tellFirm = (date: string, firm: string) =>
    tell(date, [withFields(makeRow(1), { ...noNumbers, NazwaPodmiotu: firm })]);
  await tellFirm('2026-11-02', 'Kłos s.c.');
  const summary = await tellFirm('2026-11-03', 'KŁOS SPÓŁKA CYWILNA');
  expect(summary).toMatchObject({ new: 0, updated: 1, deleted: 0, events: 0 });
});
