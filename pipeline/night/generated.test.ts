import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dumpTables, runDump } from '../../fixtures/night.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/test-database.ts';
import { type ExpectedDay, writeDay } from '../../scripts/generate-dump.ts';
import { verify } from './verify.ts';

const DAYS = 5;
const ENTRIES = 5000;

describe.each([1, 2, 3])('a generated country, seed %i', (seed) => {
  let folder: string;
  let db: TestDatabase;
  let full: TestDatabase;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'registry-country-'));
    db = await createTestDatabase();
    full = await createTestDatabase();
  });

  afterAll(async () => {
    await db.drop();
    await full.drop();
    await rm(folder, { recursive: true });
  });

  test('makes the events and counts that its generator meant, read by shortcut or in full', async () => {
    for (let day = 0; day < DAYS; day++) {
      const path = join(folder, String(day));
      const options = { seed, entries: ENTRIES, from: '2026-09-01' };
      const expected = await writeDay(options, day, path, day % 2 ? 'zip' : 'csv');
      const summary = await runDump(db, path, expected.date);
      expect(await readEvents(db, expected.date)).toEqual(wanted(expected));
      expect(summary).toMatchObject({
        rejected: 0,
        new: expected.new,
        updated: expected.updated,
        deleted: expected.deleted,
        entries: expected.total,
        events: expected.events.length,
      });
      await runDump(full, path, expected.date, { isFullRead: true });
      expect(await dumpTables(full)).toEqual(await dumpTables(db));
    }
    expect(await verify(db, 'ceidg')).toEqual([]);
  }, 120_000);
});

function wanted({ events }: ExpectedDay): string[] {
  return events
    .map((event) =>
      JSON.stringify([
        event.event_type,
        event.old_value,
        event.new_value,
        event.nip,
        event.regon9,
        event.name,
      ]),
    )
    .toSorted();
}

async function readEvents(db: TestDatabase, date: string): Promise<string[]> {
  const { rows } = await db.pool.query<object>(
    `select event.event_type, event.old_value, event.new_value, entry.nip, entry.regon9, entry.name
     from registry.event
     join registry.entry using (company_id, entry_id)
     where event.event_date = $1`,
    [date],
  );
  return rows.map((row) => JSON.stringify(Object.values(row))).toSorted();
}
