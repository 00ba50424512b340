import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectedDays, expectedEvents } from '../../fixtures/expected.ts';
import { legalPerson } from '../../fixtures/registry/bir-entity.ts';
import { hasty } from '../../fixtures/registry/fetching.ts';
import {
  makeFolder,
  makeReports,
  makeRow,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import { fixtureFolder, runDump, runFixture } from '../../fixtures/dump/night.ts';
import { useImportWorld } from '../../fixtures/registry/import-world.ts';
import { type Knowledge, startRegistries } from '../../fixtures/registry/registries.ts';
import { verify } from '../night/verify.ts';
import { landAnswers } from './ask-registries.ts';
import { createOnDemandSources } from './on-demand-registries.ts';

const world = useImportWorld();

const importFrom = async (knowledge: Knowledge) =>
  world.importFrom(await startRegistries(knowledge));

/** CEIDG's answer about an entry on the day before the first report that contains the entry. */
const studio = {
  nazwa: 'Studio Tatuażu Kruk Oliwia Mączyńska',
  wlasciciel: { imie: 'Oliwia', nazwisko: 'Mączyńska', nip: '1000205004', regon: '990200057' },
  adresDzialalnosci: {
    ulica: 'ul. Nowowiejska',
    budynek: '64',
    lokal: '1',
    miasto: 'Wrocław',
    wojewodztwo: 'DOLNOŚLĄSKIE',
    powiat: 'Wrocław',
    gmina: 'Wrocław',
    kod: '50-300',
  },
  telefon: '400202105',
  email: 'kruk@maczynska.example.pl',
  status: 'AKTYWNY',
  pkdGlowny: { kod: '9699Z', nazwa: 'Pozostała działalność usługowa' },
  pkd: [{ kod: '9699Z', nazwa: 'Pozostała działalność usługowa' }],
  rokPkd: '2025',
  dataRozpoczecia: '2026-11-02',
};

const ready = 'NIP 1000205004 ready Studio Tatuażu Kruk Oliwia Mączyńska';

async function readEntry(nip: string): Promise<unknown> {
  const rows = await world.read(
    'select status, start_date, struck_off_date from registry.entry where nip = $1',
    [nip],
  );
  expect(rows).toHaveLength(1);
  return rows[0];
}

async function eventsOf(date: string): Promise<number> {
  return (await world.read('select from registry.event where event_date = $1', [date])).length;
}

describe('an entry of CEIDG that came on demand', () => {
  const [, second] = expectedDays;
  const expected = expectedEvents.filter(({ event_date }) => event_date === second!.date);

  test('is the one that the next dump holds', async () => {
    await runFixture(world.database, '2026-11-02');
    await world.submitter.add('NIP', '1000205004');
    await importFrom({ ceidg: [studio] });
    expect(await world.submitter.list()).toEqual([ready]);
    expect(await verify(world.database, 'ceidg')).toEqual([]);
    const summary = await runFixture(world.database, '2026-11-03');
    expect(summary).toMatchObject({ new: second!.new - 1, deleted: second!.deleted });
    // A company that was imported on demand causes no event COMPANY_REGISTERED with the next dump.
    const others = expected.filter(({ event_type }) => event_type !== 'COMPANY_REGISTERED');
    expect(await eventsOf('2026-11-03')).toBe(others.length);
    expect(others).toHaveLength(expected.length - 1);
    expect(await verify(world.database, 'ceidg')).toEqual([]);
    // The statistics of the day count the imported entry as new, because only the second of the two dumps contains it.
    const rows = await world.read(
      `select new::int from analyst.daily_stat where date = '2026-11-03'`,
    );
    expect(rows).toEqual([{ new: second!.new }]);
  });

  test('is not gone because an older dump does not hold it', async () => {
    await runFixture(world.database, '2026-11-02');
    await world.submitter.add('NIP', '1000705505');
    const owner = { ...studio.wlasciciel, nip: '1000705505', regon: '997142044' };
    await importFrom({ ceidg: [{ ...studio, wlasciciel: owner, telefon: '1;"2' }] });
    const summary = await runFixture(world.database, '2026-11-03');
    expect(summary).toMatchObject({ deleted: second!.deleted, waiting: 1 });
    expect(await eventsOf('2026-11-03')).toBe(expected.length);
    const rows = await world.read(
      `select status, phone from registry.entry where nip = '1000705505'`,
    );
    expect(rows).toEqual([{ status: 'ACTIVE', phone: '1;"2' }]);
  });

  test('is known as struck off, which no later dump tells again', async () => {
    await runFixture(world.database, '2026-11-02');
    await world.submitter.add('NIP', '1000705505');
    const struckOff = {
      ...studio,
      wlasciciel: { ...studio.wlasciciel, nip: '1000705505', regon: '997142044' },
      status: 'WYKRESLONY',
      dataRozpoczecia: '2012-03-01',
      // The import ignores this date, because no 30 February exists.
      dataWykreslenia: '2019-02-30',
      dataZakonczenia: '2019-07-01',
    };
    await importFrom({ ceidg: [struckOff] });
    expect(await world.submitter.list()).toEqual([ready.replace('1000205004', '1000705505')]);
    expect(await readEntry('1000705505')).toEqual({
      status: 'DELETED',
      start_date: '2012-03-01',
      struck_off_date: '2019-07-01',
    });
    expect(await verify(world.database, 'ceidg')).toEqual([]);
    await runFixture(world.database, '2026-11-03');
    // This dump, of a day after CEIDG's answer, lacks the entry, as the dump of 3 November does.
    const later = { now: () => new Date('2026-11-21T07:00:00Z') };
    const dump = fixtureFolder('2026-11-04');
    expect(await runDump(world.database, dump, '2026-11-21', later)).toMatchObject({ waiting: 0 });
    const rows = await world.read(`select event_type from analyst.event where nip = '1000705505'`);
    expect(rows).toEqual([]);
    expect(await verify(world.database, 'ceidg')).toEqual([]);
  });

  test('is struck off with the death of its owner, and goes on under succession management', async () => {
    const [dead, run] = ['997142044', '995200010'].map((regon) => ({
      ...studio,
      wlasciciel: { ...studio.wlasciciel, regon },
      dataZgonu: '2019-06-28',
    }));
    await world.submitter.add('NIP', '1000205004');
    await importFrom({ ceidg: [{ ...dead, status: 'WYKRESLONY' }, run!] });
    const rows = await world.read(
      'select status, struck_off_date, end_date from registry.entry order by regon9 desc',
    );
    expect(rows).toEqual([
      { status: 'DELETED', struck_off_date: '2019-06-28', end_date: null },
      { status: 'ACTIVE', struck_off_date: null, end_date: null },
    ]);
  });

  test('is active from a day to come, where it has not begun', async () => {
    await runFixture(world.database, '2026-11-02');
    await world.submitter.add('NIP', '1000205004');
    const status = 'OCZEKUJE_NA_ROZPOCZECIE_DZIALANOSCI';
    await importFrom({ ceidg: [{ ...studio, status, dataRozpoczecia: '2026-12-01' }] });
    expect(await world.submitter.list()).toEqual([ready]);
    expect(await readEntry('1000205004')).toEqual({
      status: 'ACTIVE',
      start_date: '2026-12-01',
      struck_off_date: null,
    });
    expect(await verify(world.database, 'ceidg')).toEqual([]);
    // This dump lacks the entry, because a CEIDG report contains an entry only from the start of its activity on.
    const folder = fixtureFolder('2026-11-02');
    // The dump has the bytes of the baseline, so a guard refuses it as stale unless the operator gives a reason.
    const reason = 'nothing has changed';
    const early = { now: () => new Date('2026-11-21T07:00:00Z'), reason };
    const summary = await runDump(world.database, folder, '2026-11-21', early);
    expect(summary).toMatchObject({ deleted: 0, waiting: 1, events: 0 });
    expect(await readEntry('1000205004')).toMatchObject({ status: 'ACTIVE' });
    const late = { now: () => new Date('2026-12-02T07:00:00Z'), reason };
    expect(await runDump(world.database, folder, '2026-12-02', late)).toMatchObject({ deleted: 1 });
    expect(await readEntry('1000205004')).toMatchObject({ status: 'DELETED' });
    expect(await verify(world.database, 'ceidg')).toEqual([]);
  });

  test('keeps the country of its address abroad, which no report tells', async () => {
    await world.submitter.add('NIP', '1000205004');
    const adresDzialalnosci = { kraj: 'DE', kod: '10115', miasto: 'Berlin', wojewodztwo: '-' };
    await importFrom({ ceidg: [{ ...studio, adresDzialalnosci, telefon: 'brak' }] });
    const reports = makeReports();
    const rows = reports['brak województwa']!;
    const { wlasciciel: owner } = studio;
    const numbers = { Nip: owner.nip, Regon: owner.regon, Telefon: '-' };
    const abroad = { KodPocztowy: '10115', Miejscowosc: 'Berlin' };
    rows.push(withFields(makeRow(9001), { ...numbers, ...abroad }));
    rows.push(withFields(makeRow(9002), { ...abroad, KodPocztowy: '10117' }));
    const folder = await makeFolder();
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeReports(folder, reports);
    await runDump(world.database, folder, '2026-11-20');
    const entries = await world.read(
      `select postal_code, address_country_code as country, count(*)::int
      from registry.entry where file_key = '00' group by 1, 2 order by 1`,
    );
    expect(entries).toEqual([
      { postal_code: '10115', country: 'DE', count: 1 },
      // A foreign address has no country, because CEIDG's answer does not state the country.
      { postal_code: '10117', country: '', count: 1 },
      { postal_code: '90-001', country: null, count: 300 },
    ]);
  });

  test('is had before the first dump, which then makes no events', async () => {
    await world.submitter.add('REGON9', '990200057');
    await importFrom({ ceidg: [studio] });
    expect(await world.submitter.list()).toEqual([ready]);
    expect(await verify(world.database, 'ceidg')).toEqual([]);
    const summary = await runFixture(world.database, '2026-11-03');
    expect(summary).toMatchObject({ is_baseline: true, new: 0, deleted: 0, events: 0 });
    const stats = await world.read('select new::int, is_baseline from analyst.daily_stat');
    expect(stats).toEqual([{ new: 0, is_baseline: true }]);
    const rows = await world.read(
      `select count(*)::int as entries, count(distinct entry_key)::int as keys from registry.entry`,
    );
    expect(rows).toEqual([{ entries: summary.entries, keys: summary.entries }]);
    expect(await verify(world.database, 'ceidg')).toEqual([]);
  });
});

describe('answers to what was asked for on demand', () => {
  const company = legalPerson('990200057', '1000705505', 'ZMYŚLONA SPÓŁKA Z O.O.');

  test('change nothing about entries that are known', async () => {
    await world.submitter.add('NIP', '1000705505');
    await importFrom({ regon: [company] });
    const renamed = legalPerson('990200057', '1000705907', 'INNA SPÓŁKA Z O.O.');
    await world.submitter.add('NIP', '1000705907');
    await importFrom({ regon: [renamed] });
    expect(await world.submitter.list()).toEqual([
      'NIP 1000705505 ready ZMYŚLONA SPÓŁKA Z O.O.',
      // NIP 1000705907 stays queued until the next daily list contains the number.
      'NIP 1000705907 queued',
    ]);
    expect(await verify(world.database, 'regon')).toEqual([]);
  });

  test('leave an announced strike-off to the next dump, which tells of it', async () => {
    const night = (day: string, folder: string) => ({
      source: 'regon',
      now: () => new Date(`2026-11-${day}T10:05:00Z`),
      path: fileURLToPath(new URL(`../../fixtures/regon/${folder}`, import.meta.url)),
    });
    const first = night('20', '2026-11-02');
    await runDump(world.database, first.path, '2026-11-20', first);
    const report = 'BIR12OsPrawna 990200057';
    const [general] = company.reports[report]!;
    const ending = [{ ...general, praw_dataSkresleniaZRegon: '2026-11-21' }];
    const other = legalPerson('991800026', '1001805002', 'INNA SPÓŁKA Z O.O.');
    const announced = { ...company, reports: { ...company.reports, [report]: ending } };
    const { settings } = await startRegistries({ regon: [announced, other] });
    const [source] = await createOnDemandSources(settings, hasty);
    await landAnswers(world.options(), source!, await source!.ask('NIP', '1000705505'));
    const second = night('21', '2026-11-03');
    const later = { ...world.options(), now: second.now };
    await landAnswers(later, source!, await source!.ask('NIP', '1001805002'));
    expect(await eventsOf('2026-11-21')).toBe(0);
    expect(await verify(world.database, 'regon')).toEqual([]);
    const summary = await runDump(world.database, second.path, '2026-11-21', second);
    expect(await eventsOf('2026-11-21')).toBe(summary.events);
    const rows = await world.read(
      `select event_type from analyst.event where regon9 = '990200057'`,
    );
    expect(rows).toEqual([{ event_type: 'COMPANY_STRUCK_OFF' }]);
    expect(await verify(world.database, 'regon')).toEqual([]);
  });

  test('join the companies that have their numbers', async () => {
    await runFixture(world.database, '2026-11-02');
    // Of the first watched company, only the REGON is known, and of the second, only the NIP.
    await world.submitter.add('REGON9', '991800026');
    await world.submitter.add('NIP', '1001805002');
    const { settings } = await startRegistries({
      regon: [legalPerson('991800026', '1001805002', 'ZMYŚLONA SPÓŁKA Z O.O.')],
    });
    const [source] = await createOnDemandSources(settings, hasty);
    await landAnswers(world.options(), source!, await source!.ask('NIP', '1001805002'));
    expect(await world.submitter.list()).toHaveLength(1);
    const rows = await world.read(
      `select distinct company_id from registry.entry
      where regon9 = '991800026' or nip = '1001805002'`,
    );
    expect(rows).toHaveLength(1);
  });

  test('that cannot be written hold up no others', async () => {
    await runFixture(world.database, '2026-11-02');
    await world.submitter.add('NIP', '1000705505', '1000205004');
    const owner = { ...studio.wlasciciel, nip: '1000705505', regon: '997142044' };
    const address = { ...studio.adresDzialalnosci, wojewodztwo: 'MARSJAŃSKIE' };
    await importFrom({
      ceidg: [studio, { ...studio, wlasciciel: owner, adresDzialalnosci: address }],
    });
    expect(await world.submitter.list()).toEqual([
      'NIP 1000705505 queued',
      expect.stringMatching(/^NIP 1000205004 ready/),
    ]);
    const rows = await world.read(
      `select identifier_value, attempt_count, last_error from customer.watch where state = 'queued'`,
    );
    const last_error: unknown = expect.stringMatching(/holds no voivodeship$/);
    expect(rows).toEqual([{ identifier_value: '1000705505', attempt_count: 1, last_error }]);
  });

  test('landed twice are there once', async () => {
    const { settings } = await startRegistries({ regon: [company] });
    const [source] = await createOnDemandSources(settings, hasty);
    const lines = await source!.ask('NIP', '1000705505');
    await landAnswers(world.options(), source!, lines);
    await landAnswers(world.options(), source!, lines);
    const rows = await world.read(
      `select part.provenance
       from registry.entry
       cross join lateral registry.show_parts(entry) as part`,
    );
    const day = '2026-11-20';
    const nowhere = { file: null, sha256: null, line: null };
    expect(rows).toEqual([{ provenance: { ...nowhere, dump_date: day, said_since: day } }]);
    expect(await verify(world.database, 'regon')).toEqual([]);
  });
});
