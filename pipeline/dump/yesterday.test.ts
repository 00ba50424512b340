import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateDays } from '../../fixtures/dump/generated-days.ts';
import { runDump } from '../../fixtures/dump/night.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { KnownFingerprints } from './known-fingerprints.ts';
import { loadYesterday, noEntries } from './yesterday.ts';

let db: TestDatabase;

// After a night, some entries have another fingerprint, and those that are gone have none.
beforeAll(async () => {
  db = await createTestDatabase();
  const days = await generateDays();
  for (const day of [0, 1] as const) await runDump(db, ...days.night(day));
  await days.remove();
});

afterAll(() => db.drop());

/** An entry in one text, to be compared. */
function text({ fingerprint, place }: { fingerprint: unknown; place: string }): string {
  return `${String(fingerprint)} ${place}`;
}

describe('loadYesterday', () => {
  test('gives every entry that is there once, with its fingerprint and its place', async () => {
    const { rows } = await db.pool.query<{ place: string; fingerprint: string }>(
      'select ctid as place, fingerprint from registry.entry where gone_date is null',
    );
    expect(rows.length).toBeGreaterThan(4900);
    const known = new KnownFingerprints(await loadYesterday(db.pool, 'ceidg'));
    const found = [...known.missing()].map(text);
    expect(found.toSorted()).toEqual(rows.map(text).toSorted());
  });

  test('gives nothing of a source that has no entries', async () => {
    expect(await loadYesterday(db.pool, 'krs')).toBe(noEntries);
  });
});
