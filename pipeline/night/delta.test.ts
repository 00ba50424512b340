import { beforeEach, describe, expect, test } from 'vitest';
import { dumpTables, runDump } from '../../fixtures/dump/night.ts';
import {
  company,
  nipOf,
  person,
  readEvents,
  regonOf,
  runRegon,
} from '../../fixtures/dump/regon-day.ts';
import {
  fieldOf,
  makeFolder,
  makeRow,
  header,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import { fieldsOf, readRows } from '../../fixtures/expected.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { Refusal } from '../errors.ts';
import { loadSource, type TableSource } from '../sources/source.ts';
import { verify } from './verify.ts';

const [day1, day2, day3] = ['2026-11-02', '2026-11-03', '2026-11-04'] as const;

let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});

async function readStatus(regon: string) {
  const { rows } = await db.pool.query<{ status: string }>(
    'select status from registry.entry where regon9 = $1 order by entry_key',
    [regon],
  );
  return rows.map(({ status }) => status);
}

/**
 * A row of `delta.csv`: one night of a story, which is a series of nights. `companies` has a line for each company with
 * its number and fields. `deleted` has the numbers of deleted companies. `summary`, `events` and `status` (of the first
 * company) are expected unless they are empty.
 */
type Night = Record<
  'story' | 'date' | 'companies' | 'deleted' | 'summary' | 'events' | 'status',
  string
>;
const nights = readRows<Night>(new URL('delta.csv', import.meta.url));
const linesOf = (cell: string) => (cell === '' ? [] : cell.split('\n'));

test.each([...Map.groupBy(nights, ({ story }) => story)])('%s', async (_, story) => {
  for (const night of story) {
    const companies = linesOf(night.companies).map((line) => line.split(': '));
    const reports = companies.flatMap(([number, fields = '']) =>
      company(regonOf(Number(number)), nipOf(Number(number)), fieldsOf(fields)),
    );
    const deleted = linesOf(night.deleted).map((number) => regonOf(Number(number)));
    const counts = Object.entries(fieldsOf(night.summary));
    expect(await runRegon(db, night.date, { reports, deleted })).toMatchObject(
      Object.fromEntries(counts.map(([name, count]) => [name, Number(count)])),
    );
    if (night.events !== '') expect(await readEvents(db, night.date)).toEqual([night.events]);
    if (night.status !== '') {
      const number = regonOf(Number(companies[0]![0]));
      expect(await readStatus(number)).toEqual([night.status]);
    }
  }
  expect(await verify(db, 'regon')).toEqual([]);
});

describe('a delta', () => {
  test('may hold far fewer rows than the one before, but is refused when it strikes off too many', async () => {
    const numbers = Array.from({ length: 40 }, (_, at) => at + 1);
    const reports = numbers.flatMap((number) => company(regonOf(number), nipOf(number)));
    await runRegon(db, day1, { reports });
    expect(await runRegon(db, day2, { reports: reports.slice(0, 3) })).toMatchObject({ read: 1 });
    const deleted = numbers.slice(0, 21).map(regonOf);
    await expect(runRegon(db, day3, { deleted })).rejects.toThrow(
      '21 of 40 entries are said to be struck off: 52.50 %, the limit is 0.5 %',
    );
    expect(await runRegon(db, day3, { deleted: deleted.slice(1) })).toMatchObject({ deleted: 20 });
  });

  test('is refused when a file is none of its kind, and the next attempt finds all as it was', async () => {
    await runRegon(db, day1, { reports: company(regonOf(1), nipOf(1)) });
    const before = await dumpTables(db);
    const lines = Array.from({ length: 100_001 }, () => '<html>');
    await expect(runRegon(db, day2, { reports: lines })).rejects.toThrow(Refusal);
    expect(await dumpTables(db)).toEqual(before);
    expect(await runRegon(db, day2, {})).toMatchObject({ entries: 1 });
  });

  test('keeps answers that cannot be stored as rejects', async () => {
    const [general] = company(regonOf(1), nipOf(1), { nazwa: 'A\0B' });
    const reports = [general!, ...company(regonOf(2), nipOf(2))];
    const summary = await runRegon(db, day1, { reports });
    expect(summary).toMatchObject({ accepted: 1, rejected: 1 });
  });
});

describe('the list of deletions', () => {
  test('strikes off what it names, once, whatever else of the company is known', async () => {
    const people = person(regonOf(5), nipOf(5), { Ceidg: {}, Rolnicza: {} });
    await runRegon(db, day1, {
      reports: [...people, ...company(regonOf(6), nipOf(6)), ...company(regonOf(7), nipOf(7))],
    });
    const deleted = [regonOf(5), regonOf(6), regonOf(999)];
    expect(await runRegon(db, day2, { deleted })).toMatchObject({ deleted: 3, entries: 1 });
    expect(await readEvents(db, day2)).toEqual([
      // The first event is about the person (with two activities), and the second event is about the company.
      `COMPANY_STRUCK_OFF: ACTIVE → ${day2}`,
      `COMPANY_STRUCK_OFF: ACTIVE → ${day2}`,
    ]);
    expect(await readStatus(regonOf(5))).toEqual(['DELETED', 'DELETED']);
    expect(await runRegon(db, day3, { deleted })).toMatchObject({ deleted: 0, events: 0 });
    expect(await verify(db, 'regon')).toEqual([]);
  });

  // A deletion takes effect at once, because no later delta repeats the deletion.
  test('is believed where the answers about the company cannot be read or are no use', async () => {
    const numbers = [regonOf(6), regonOf(7), regonOf(8)] as const;
    await runRegon(db, day1, {
      reports: [
        ...company(numbers[0], nipOf(6)),
        ...person(numbers[1], nipOf(7), { Ceidg: {} }),
        ...company(numbers[2], nipOf(8)),
      ],
    });
    const contradictions = ['A', 'B'].flatMap((nazwa) => company(numbers[0], nipOf(6), { nazwa }));
    const [, withoutPerson] = person(numbers[1], nipOf(7), { Ceidg: {} });
    const broken = `{"report":"BIR12OsPrawna","regon":"${numbers[2]}","data":[`;
    const day = { reports: [...contradictions, withoutPerson!, broken], deleted: [...numbers] };
    expect(await runRegon(db, day2, day)).toMatchObject({ deleted: 3, waiting: 0, rejected: 4 });
    expect(await readEvents(db, day2)).toEqual(
      numbers.map(() => `COMPANY_STRUCK_OFF: ACTIVE → ${day2}`),
    );
    for (const number of numbers) expect(await readStatus(number)).toEqual(['DELETED']);
    expect(await verify(db, 'regon')).toEqual([]);
  });
});

describe('a delta of tables', () => {
  test('says nothing of what it does not hold, read by shortcut or in full', async () => {
    const ceidg = (await loadSource('ceidg')) as TableSource;
    const description = { ...ceidg, name: 'sirene', dump_kind: 'delta' } as const;
    const publishLines = async (
      target: TestDatabase,
      lines: string[],
      date: string,
      isFullRead = false,
    ) => {
      const folder = await makeFolder();
      await writeReports(folder, { opolskie: [header, ...lines] });
      return runDump(target, folder, date, { source: 'sirene', description, isFullRead });
    };
    const full = await createTestDatabase();
    const rows = Array.from({ length: 60 }, (_, at) => makeRow(at + 1));
    const days: [string[], string][] = [
      [rows, day1],
      // The delta has a changed record, a new record and an unchanged record; it lacks 58 of the 60 entries.
      [[withFields(rows[0]!, { Telefon: '700000001' }), makeRow(61), rows[1]!], day2],
      [[withFields(rows[0]!, { Telefon: '700000002' })], day3],
    ];
    const told = [
      { new: 0, updated: 0, deleted: 0, entries: 60, events: 0 },
      { new: 1, updated: 1, deleted: 0, entries: 61, events: 2 },
      { new: 0, updated: 1, deleted: 0, entries: 61, events: 1 },
    ];
    for (const [at, [lines, date]] of days.entries()) {
      expect(await publishLines(db, lines, date)).toMatchObject(told[at]!);
      await publishLines(full, lines, date, true);
      expect(await dumpTables(db)).toEqual(await dumpTables(full));
    }
    expect(await verify(db, 'sirene')).toEqual([]);

    const regon = fieldOf(rows[2]!, 'Regon');
    await db.pool.query(
      `update registry.entry set gone_date = '${day3}', status = 'DELETED' where regon9 = '${regon}'`,
    );
    expect(await verify(db, 'sirene')).not.toEqual([]);
  });
});
