import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dumpTables, runDump } from '../../fixtures/dump/night.ts';
import { expectedRegonDays, expectedRegonEvents } from '../../fixtures/regon/expected.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { NothingToDo } from '../errors.ts';
import type { RunSummary } from './summary.ts';
import { verify } from './verify.ts';

function runDay(db: TestDatabase, date: string): Promise<RunSummary> {
  const folder = fileURLToPath(new URL(`../../fixtures/regon/${date}`, import.meta.url));
  return runDump(db, folder, date, { source: 'regon' });
}

describe('the fixture days of REGON', () => {
  let db: TestDatabase;
  const events: object[] = [];

  beforeAll(async () => {
    db = await createTestDatabase();
    for (const { date } of expectedRegonDays) {
      await runDay(db, date);
      // At once: the list has the identity that an entry showed after that night.
      const { rows } = await db.pool.query<object>(
        `select event.event_date, event.event_type, event.old_value, event.new_value,
           entry.entry_key, entry.name
         from registry.event
         join registry.entry using (company_id, entry_id)
         where event.event_date = $1`,
        [date],
      );
      events.push(...rows);
    }
  });

  afterAll(() => db.drop());

  test('make the events of the literal list and no others', async () => {
    expect(sorted(events)).toEqual(
      sorted(
        expectedRegonEvents.map(({ name, entry_key, ...event }) => ({ ...event, entry_key, name })),
      ),
    );
    const { rows } = await db.pool.query<{ count: number }>(
      'select count(*)::int from registry.event',
    );
    expect(rows).toEqual([{ count: expectedRegonEvents.length }]);
  });

  test('count what happened', async () => {
    const { rows } = await db.pool.query(
      `select dump_date as date, new_count::int as new, updated_count::int as updated,
         deleted_count::int as deleted, entry_count::int as total,
         rejected_count::int as rejected, state
       from registry.run
       order by dump_date`,
    );
    expect(rows).toEqual(expectedRegonDays);
  });

  test('say why an answer was rejected', async () => {
    const { rows } = await db.pool.query(
      `select dump_date, file, line::int, reject.reason
       from analyst.reject
       join analyst.run using (run_id)
       order by dump_date`,
    );
    expect(rows).toEqual([
      { dump_date: '2026-11-05', file: 'przerwa.xml', line: 1, reason: 'HTML, no answer of BIR' },
      {
        dump_date: '2026-11-06',
        file: 'siodlo-pkd.xml',
        line: 1,
        reason: 'whose it is tell neither the answer nor the names of its file and folder',
      },
    ]);
  });

  test('note what the daily lists name without an answer, and values that are not known', async () => {
    const { rows } = await db.pool.query<{ notice: string }>(
      `select format('%s %s %L: %s', dump_date, subject, value, row_count) as notice
       from registry.notice
       join registry.run using (run_id)
       where dump_date > '2026-11-02'
       order by dump_date, subject, value`,
    );
    expect(rows.map(({ notice }) => notice)).toEqual([
      "2026-11-03 error answer '11 Dla podmiotów skreślonych przed 2014-11-08 działalności PKD nie są udostępniane. OsFizycznaPkd': 1",
      "2026-11-03 error answer '4 Nie znaleziono wpisu dla podanych kryteriów wyszukiwania. OsPrawna 995100998': 1",
      "2026-11-04 NIP '1005101140': 1",
      "2026-11-05 NIP status 'Nadany': 1",
      "2026-11-05 NIP status 'Uchylony': 1",
      "2026-11-05 listed without an answer 'updated 995100060': 1",
    ]);
  });

  test('make one company of all that shares a number', async () => {
    const { rows } = await db.pool.query(
      `select array_agg(entry_key order by entry_key) as entries
       from registry.entry
       group by company_id
       having count(*) > 1
       order by 1`,
    );
    expect(rows).toEqual([
      { entries: ['990800024-1', '990800024-2', '990800024-3'] },
      { entries: ['995100314-1', '995100314-2'] },
      { entries: ['995100320-1', '995100320-2'] },
      // One NIP with two REGON numbers; one of them was replaced.
      { entries: ['995100410-6', '995100426-6'] },
    ]);
  });

  test('are proved whole by verify', async () => {
    expect(await verify(db, 'regon')).toEqual([]);
  });

  test('change nothing when the same dump comes again', async () => {
    const before = await dumpTables(db);
    await expect(runDay(db, '2026-11-06')).rejects.toThrow(NothingToDo);
    expect(await dumpTables(db)).toEqual(before);
  });
});

function sorted(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(Object.values(row))).toSorted();
}
