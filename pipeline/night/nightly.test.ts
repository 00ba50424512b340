import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectedDays, expectedEvents } from '../../fixtures/ceidg/expected.ts';
import { createFirstDay, dumpTables, runFixture } from '../../fixtures/dump/night.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { NothingToDo } from '../errors.ts';
import { verify } from './verify.ts';

describe('the fixture days of CEIDG', () => {
  let db: TestDatabase;
  const events: object[] = [];

  beforeAll(async () => {
    db = await createTestDatabase();
    for (const { date } of expectedDays) {
      await runFixture(db, date);
      // At once: the list has the identity that an entry showed after that night.
      const { rows } = await db.pool.query<object>(
        `select event.event_date, event.event_type, event.old_value, event.new_value,
           entry.nip, entry.regon9, entry.name
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
    expect(sorted(events)).toEqual(sorted(expectedEvents));
    const { rows } = await db.pool.query<{ count: number }>(
      'select count(*)::int from registry.event',
    );
    expect(rows).toEqual([{ count: expectedEvents.length }]);
  });

  test('number the events in the order of publication, without gaps', async () => {
    const { rows } = await db.pool.query<{ event_id: string; event_date: string }>(
      'select event_id, event_date from registry.event order by event_id',
    );
    expect(rows.map(({ event_id }) => Number(event_id))).toEqual(rows.map((_, at) => at + 1));
    const dates = rows.map(({ event_date }) => event_date);
    expect(dates).toEqual(dates.toSorted());
  });

  test('count what happened', async () => {
    const { rows } = await db.pool.query(
      `select dump_date as date, new_count::int as new, updated_count::int as updated,
         deleted_count::int as deleted, entry_count::int as total,
         rejected_count::int as rejected, state
       from registry.run
       order by dump_date`,
    );
    expect(rows).toEqual(expectedDays);
  });

  test('leave statistics that equal the counts', async () => {
    const { rows } = await db.pool.query(
      `select date, new::int, updated::int, deleted::int, total::int
       from analyst.daily_stat
       where source = 'ceidg'
       order by date`,
    );
    expect(rows).toEqual(
      expectedDays.map((day) => ({
        date: day.date,
        new: day.new,
        updated: day.updated,
        deleted: day.deleted,
        total: day.new + day.updated + day.deleted,
      })),
    );
  });

  test('are proved whole by verify', async () => {
    expect(await verify(db, 'ceidg')).toEqual([]);
  });

  test('say why a row was rejected, and where it stands', async () => {
    const { rows } = await db.pool.query(
      `select file, line::int, reject.reason
       from analyst.reject
       join analyst.run using (run_id)
       where dump_date = '2026-11-05'`,
    );
    expect(rows).toEqual([
      {
        file: 'Zarejestrowane działalności - województwo podlaskie.csv',
        line: 2,
        reason: '21 fields instead of 24',
      },
    ]);
  });

  test('change nothing when the same dump comes again', async () => {
    const before = await dumpTables(db);
    await expect(runFixture(db, '2026-11-06')).rejects.toThrow(NothingToDo);
    expect(await dumpTables(db)).toEqual(before);
  });
});

describe('a full read', () => {
  test('publishes the same as the shortcut, byte for byte', async () => {
    const shortcut = await createTestDatabase();
    const full = await createTestDatabase();
    try {
      for (const { date } of expectedDays) {
        await runFixture(shortcut, date);
        await runFixture(full, date, { isFullRead: true });
        expect(await dumpTables(full)).toEqual(await dumpTables(shortcut));
      }
    } finally {
      await shortcut.drop();
      await full.drop();
    }
  });
});

describe('a dry run', () => {
  test('tells what would happen and leaves no trace', async () => {
    const db = await createFirstDay();
    try {
      const before = await dumpTables(db);
      const summary = await runFixture(db, '2026-11-03', { isDryRun: true });
      expect(summary).toMatchObject({ is_dry_run: true, events: 19, new: 2, deleted: 1 });
      expect(await dumpTables(db)).toEqual(before);
      const { rows } = await db.pool.query('select dump_date from registry.run');
      expect(rows).toEqual([{ dump_date: '2026-11-02' }]);
    } finally {
      await db.drop();
    }
  });
});

function sorted(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(Object.values(row))).toSorted();
}
