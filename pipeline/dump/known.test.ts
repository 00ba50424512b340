import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateDays } from '../../fixtures/generated-days.ts';
import { runDump } from '../../fixtures/night.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/test-database.ts';
import { KnownRecords } from './known-records.ts';
import { loadPrints } from './known.ts';

let db: TestDatabase;

// After a night, some entries have another fingerprint, and those that are gone have none.
beforeAll(async () => {
  db = await createTestDatabase();
  const days = await generateDays();
  for (const day of [0, 1] as const) await runDump(db, ...days.night(day));
  await days.remove();
});

afterAll(() => db.drop());

async function readFingerprints(): Promise<Set<bigint>> {
  const { rows } = await db.pool.query<{ fingerprint: string }>(
    'select fingerprint from registry.entry_key where fingerprint is not null',
  );
  return new Set(rows.map(({ fingerprint }) => BigInt(fingerprint)));
}

describe('what is known', () => {
  test.each([1, 7, 2000])('is every fingerprint once, read %i pages at a time', async (pages) => {
    const fingerprints = await readFingerprints();
    expect(fingerprints.size).toBeGreaterThan(4900);
    const prints = await loadPrints(db.pool, 'ceidg', pages);
    expect(prints.size).toBe(fingerprints.size);
    const known = new KnownRecords(prints.size);
    known.learn(prints.share(0, 1));
    expect(new Set(known.unmet())).toEqual(fingerprints);
  });

  test('is nothing of a source that has no entries', async () => {
    expect((await loadPrints(db.pool, 'krs')).size).toBe(0);
  });
});
