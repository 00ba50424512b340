import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { dumpTables, runDump } from '../../fixtures/dump/night.ts';
import { expectedDays, expectedEvents } from '../../fixtures/sirene/expected.ts';
import { NothingToDo } from '../errors.ts';
import { verify } from './verify.ts';

function runDay(db: TestDatabase, date: string) {
  const path = fileURLToPath(new URL(`../../fixtures/sirene/${date}`, import.meta.url));
  return runDump(db, path, date, { source: 'sirene' });
}

describe('the fixture days of SIRENE', () => {
  let db: TestDatabase;
  const events: object[] = [];
  const faults: string[] = [];

  beforeAll(async () => {
    db = await createTestDatabase();
    for (const { date } of expectedDays) {
      await runDay(db, date);
      // At once: what an owner withholds later is then gone from the history.
      const { rows } = await db.pool.query<object>(
        `select event.event_date, event.event_type, event.old_value, event.new_value,
           entry.entry_key as siren
         from registry.event
         join registry.entry using (company_id, entry_id)
         where event.event_date = $1`,
        [date],
      );
      events.push(...rows);
      faults.push(...(await verify(db, 'sirene')));
    }
  });

  afterAll(() => db.drop());

  test('make the events of the literal list and no others', () => {
    expect(sorted(events)).toEqual(sorted(expectedEvents));
  });

  test('count what happened', async () => {
    const { rows } = await db.pool.query(
      `select dump_date as date, new_count::int as new, updated_count::int as updated,
         deleted_count::int as deleted, entry_count::int as total,
         rejected_count::int as rejected
       from registry.run
       order by dump_date`,
    );
    expect(rows).toEqual(expectedDays);
  });

  test('are proved whole by verify after each night', () => {
    expect(faults).toEqual([]);
  });

  test('have their SIREN in the last column of analyst.company', async () => {
    const { rows, fields } = await db.pool.query<{ name: string; siren: string | null }>(
      `select * from analyst.company where name ~ 'TILLEULS'`,
    );
    expect(fields.at(-1)!.name).toBe('siren');
    expect(rows).toMatchObject([{ country_code: 'FR', siren: '000990010' }]);
  });

  test('change nothing when the same dump comes again', async () => {
    const before = await dumpTables(db);
    await expect(runDay(db, '2026-11-03')).rejects.toThrow(NothingToDo);
    expect(await dumpTables(db)).toEqual(before);
  });
});

function sorted(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(Object.values(row))).toSorted();
}
