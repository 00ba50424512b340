import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runKrs as runKrsDay } from '../../fixtures/dump/krs-day.ts';
import { expectedDays, expectedEvents } from '../../fixtures/krs/expected.ts';
import { createFirstDay, dumpTables, runDump } from '../../fixtures/dump/night.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { NothingToDo } from '../errors.ts';
import { verify } from './verify.ts';

function runKrs(db: TestDatabase, folder: string, date = folder) {
  const path = fileURLToPath(new URL(`../../fixtures/krs/${folder}`, import.meta.url));
  return runDump(db, path, date, { source: 'krs' });
}

/** Runs the night over one extract of an earlier day as if the register said it on another one. */
async function runAgain(db: TestDatabase, file: string, date: string) {
  const path = new URL(`../../fixtures/krs/${file}`, import.meta.url);
  const { odpis } = JSON.parse(await readFile(path, 'utf8')) as { odpis: { naglowekA: object } };
  const stanZDnia = date.split('-').toReversed().join('.');
  Object.assign(odpis.naglowekA, { stanZDnia, numerOstatniegoWpisu: 99 });
  return runKrsDay(db, date, [{ odpis }]);
}

describe('the fixture days of KRS', () => {
  let db: TestDatabase;

  beforeAll(async () => {
    db = await createTestDatabase();
    for (const { date } of expectedDays) await runKrs(db, date);
  });

  afterAll(() => db.drop());

  test('make the events of the literal list and no others', async () => {
    const { rows } = await db.pool.query<object>(
      `select event.event_date, event.event_type, event.old_value, event.new_value, entry.krs
       from registry.event
       join registry.entry using (company_id, entry_id)`,
    );
    expect(sorted(rows)).toEqual(sorted(expectedEvents));
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

  test('are proved whole by verify', async () => {
    expect(await verify(db, 'krs')).toEqual([]);
  });

  test('say why an answer was rejected, and where it stands', async () => {
    const { rows } = await db.pool.query(
      `select file, line::int, reject.reason
       from analyst.reject
       join analyst.run using (run_id)
       where dump_date = '2026-11-05'
       order by file, line`,
    );
    expect(rows).toEqual([
      { file: '0000990092.json', line: 1, reason: 'HTML or XML, no extract of KRS' },
      {
        file: 'asked-again/0000990018-again.json',
        line: 1,
        reason: 'contradicts another row of the same entry in extracts.ndjson',
      },
      {
        file: 'extracts.ndjson',
        line: 9,
        reason: 'repeats another row of the same entry in asked-again/0000990017-again.json',
      },
      {
        file: 'extracts.ndjson',
        line: 10,
        reason: 'contradicts another row of the same entry in asked-again/0000990018-again.json',
      },
      { file: 'extracts.ndjson', line: 11, reason: 'repeats another row of the same entry' },
    ]);
  });

  test('tell what is not known', async () => {
    const { rows } = await db.pool.query(
      `select run.dump_date, notice.subject, notice.value
       from registry.notice
       join registry.run using (run_id)
       order by run.dump_date, notice.subject`,
    );
    expect(rows.map((row) => Object.values(row as object).join(' | '))).toEqual([
      '2026-11-03 | bankruptcy without a date | 0000990014',
      '2026-11-03 | state after the day of the dump | 2026-11-04',
      '2026-11-04 | NIP | 1005000093',
      '2026-11-04 | answer | 404 Not Found',
      '2026-11-05 | bankruptcy without a date | 0000990014',
      '2026-11-05 | entry | WYKREŚLENIE Z REJESTRU PRZEDSIĘBIORCÓW',
      '2026-11-06 | bankruptcy without a date | 0000990014',
    ]);
  });

  test('change nothing when the same dump comes again', async () => {
    const before = await dumpTables(db);
    await expect(runKrs(db, '2026-11-06')).rejects.toThrow(NothingToDo);
    expect(await dumpTables(db)).toEqual(before);
  });

  test('say nothing new when the same extracts come the day after', async () => {
    const summary = await runKrs(db, '2026-11-06', '2026-11-07');
    expect(summary).toMatchObject({ new: 0, updated: 0, deleted: 0, events: 0 });
  });

  test('are whole also when a bankruptcy that has ended is no longer shown', async () => {
    await runAgain(db, '2026-11-03/0000990002.json', '2026-11-08');
    const { rows } = await db.pool.query(
      `select event_type
       from registry.event
       join registry.entry using (company_id, entry_id)
       where event_date = '2026-11-08' and krs = '0000990002'
       order by event_type`,
    );
    expect(rows).toEqual([
      { event_type: 'COMPANY_NAME_CHANGED' },
      { event_type: 'COMPANY_REOPENED' },
    ]);
    expect(await verify(db, 'krs')).toEqual([]);
  });
});

describe('a company of two registries', () => {
  test('is one with two entries', async () => {
    const db = await createFirstDay();
    try {
      await runKrs(db, '2026-11-02');
      const { rows } = await db.pool.query(
        `select company.krs, company.regon9, array_agg(entry.source order by entry.source) as sources
         from registry.company
         join registry.entry using (company_id)
         where company.nip = '1002203009'
         group by company.company_id, company.krs, company.regon9`,
      );
      expect(rows).toEqual([{ krs: '0000990001', regon9: '992200038', sources: ['ceidg', 'krs'] }]);
    } finally {
      await db.drop();
    }
  });
});

function sorted(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(Object.values(row))).toSorted();
}
