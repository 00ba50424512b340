import { describe, expect, test } from 'vitest';
import { generateDays } from '../../fixtures/dump/generated-days.ts';
import { runDump } from '../../fixtures/dump/night.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { runSteps } from '../night/sessions.ts';
import { loadYesterday } from './load-yesterday-fingerprints.ts';

// Two nights run before the tests. The second night changes the fingerprints of changed entries, and deletes the
// fingerprints of entries that are gone.
const db = await createTestDatabase();
const days = await generateDays(5000);
for (const day of [0, 1] as const) await runDump(db, ...days.night(day));

const stage = 'stage_yesterday';

/** Returns the loaded fingerprints, and the ids of entries without a fingerprint, each list in ascending order. */
async function load(source: string, piece_pages?: number) {
  const client = await db.pool.connect();
  await runSteps({ pool: db.pool, client, stage }, ['1_read/tables']);
  client.release();
  const known = await loadYesterday({ pool: db.pool, stage }, source, piece_pages);
  const missing = await db.pool.query<{ entry_id: string }>(
    `select entry_id from ${stage}.missing_entry order by entry_id`,
  );
  return {
    prints: [...known.missing()].flatMap((batch) => Array.from(batch, String)).toSorted(),
    unread_ids: missing.rows.map(({ entry_id }) => entry_id),
  };
}

describe('loadYesterday', () => {
  test.each([
    ['in one piece', undefined],
    ['in pieces of some pages', 7],
    ['in pieces of one page', 1],
  ])('gives %s the fingerprint of every entry that is there, or its id', async (_, pages) => {
    await db.pool.query(
      `update registry.entry set fingerprint = null
       where entry_id in (
         select entry_id from registry.entry where gone_date is null
         order by fingerprint nulls first limit 2
       )`,
    );
    const { rows } = await db.pool.query<{ entry_id: string; fingerprint: string | null }>(
      'select entry_id, fingerprint from registry.entry where gone_date is null order by entry_id',
    );
    expect(rows.length).toBeGreaterThan(4900);
    const { prints, unread_ids } = await load('ceidg', pages);
    expect(prints).toEqual(rows.flatMap(({ fingerprint }) => fingerprint ?? []).toSorted());
    expect(unread_ids).toHaveLength(2);
    const unread = rows.filter(({ fingerprint }) => fingerprint === null);
    expect(unread_ids).toEqual(unread.map(({ entry_id }) => entry_id));
  });

  test.each([-1, 100])('gives all of them where %d are estimated', async (estimate) => {
    const all = await load('ceidg');
    await db.pool.query(
      `update pg_class set reltuples = $1 where oid = 'registry.entry_ceidg'::regclass`,
      [estimate],
    );
    expect(all.prints.length).toBeGreaterThan(4900);
    expect(await load('ceidg', 7)).toEqual(all);
  });

  test('gives nothing of a source that has no entries', async () => {
    expect(await load('krs')).toEqual({ prints: [], unread_ids: [] });
  });
});
