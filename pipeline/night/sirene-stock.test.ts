import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { readEvents, runStock } from '../../fixtures/dump/sirene-night.ts';
import { makeDuplicates, makeEstablishment, makeUnit } from '../../fixtures/dump/sirene-stock.ts';
import { verify } from './verify.ts';

const number = (at: number) => String(990_600_000 + at);
const [older, leaving, kept, newer] = [1, 2, 3, 4].map(number) as [string, string, string, string];

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

/** Two months of units that are merged: one into an older company, one into a newer one. */
describe('a duplicate', () => {
  const run = (date: string, sirens: string[]) =>
    runStock(
      db,
      date,
      sirens.map((siren) => makeUnit(siren)),
      sirens.map((siren) => makeEstablishment(siren)),
      { reason: 'few units' },
      date === '2026-08-31' ? {} : makeDuplicates([older, leaving], [newer, kept]),
    );

  test.each(['2026-09-30', '2026-10-31'])(
    'is one company with the unit that stays, and the tables agree on %s',
    async (date) => {
      if (date === '2026-09-30') await run('2026-08-31', [older, leaving, kept, newer]);
      await run(date, [older, newer]);
      const { rows } = await db.pool.query(
        `select string_agg(entry_key, ' ' order by entry_key) as sirens
         from registry.entry group by company_id order by sirens`,
      );
      expect(rows).toEqual([{ sirens: `${older} ${leaving}` }, { sirens: `${kept} ${newer}` }]);
      expect(await verify(db, 'sirene')).toEqual([]);
    },
  );

  test('tells once that its number changed', async () => {
    expect(await readEvents(db, '2026-09-30')).toEqual([
      `${older} COMPANY_REGISTRY_NUMBER_CHANGED: ${leaving} → ${older}`,
      `${newer} COMPANY_REGISTRY_NUMBER_CHANGED: ${kept} → ${newer}`,
    ]);
    expect(await readEvents(db, '2026-10-31')).toEqual([]);
  });
});
