import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateDays } from '../../fixtures/dump/generated-days.ts';
import { runDump } from '../../fixtures/dump/night.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { loadYesterday } from './yesterday.ts';

let db: TestDatabase;

// After a night, some entries have another fingerprint, and those that are gone have none.
beforeAll(async () => {
  db = await createTestDatabase();
  const days = await generateDays();
  for (const day of [0, 1] as const) await runDump(db, ...days.night(day));
  await days.remove();
});

afterAll(() => db.drop());

describe('loadYesterday', () => {
  test('gives the fingerprint of every entry that is there once, or the id of one without', async () => {
    await db.pool.query(
      `update registry.entry set fingerprint = null
       where entry_id in (select entry_id from registry.entry where gone_date is null limit 2)`,
    );
    const { rows } = await db.pool.query<{ entry_id: string; fingerprint: string | null }>(
      'select entry_id, fingerprint from registry.entry where gone_date is null order by entry_id',
    );
    expect(rows.length).toBeGreaterThan(4900);
    const known = await loadYesterday(db.pool, 'ceidg');
    const found = [...known.missing()].flatMap((batch) => Array.from(batch, String));
    const expected = rows.flatMap(({ fingerprint }) => fingerprint ?? []);
    expect(found.toSorted()).toEqual(expected.toSorted());
    const unread = rows.filter(({ fingerprint }) => fingerprint === null);
    expect(unread).toHaveLength(2);
    expect(known.unread_ids).toEqual(unread.map(({ entry_id }) => entry_id));
  });

  test('gives nothing of a source that has no entries', async () => {
    const known = await loadYesterday(db.pool, 'krs');
    expect([...known.missing()].flatMap((batch) => Array.from(batch))).toEqual([]);
    expect(known.unread_ids).toEqual([]);
  });
});
