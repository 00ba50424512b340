import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { runDump } from '../../fixtures/dump/night.ts';
import { expectEvents, type SireneOptions } from '../../fixtures/generator/sirene/country.ts';
import { writeStep } from '../../fixtures/generator/sirene/dump.ts';
import { verify } from './verify.ts';

const now = () => new Date('2027-01-10T05:00:00Z');

/** A stock, the lists of a day, the stock of the next month, and the one that recodes all. */
const dumps = [
  { date: '2026-10-31', changes: 0, format: 'zip' },
  { date: '2026-11-02', changes: 0.2, format: 'delta' },
  { date: '2026-11-30', changes: 0.2, format: 'parquet' },
  { date: '2027-01-05', changes: 0.05, format: 'csv' },
] as const;

describe.each([1, 2, 3])('a generated France, seed %i', (seed) => {
  test('makes the events that its generator meant, from stocks and from lists', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-sirene-'));
    const db = await createTestDatabase();
    const options: SireneOptions = { seed, units: 600, steps: dumps };
    for (const [step, { date, format }] of dumps.entries()) {
      const path = join(folder, date);
      await writeStep(options, step, path, format);
      // So small a country changes more than guards let pass.
      await runDump(db, path, date, { source: 'sirene', reason: 'All was meant', now });
      const { rows } = await db.pool.query<object>(
        `select entry.entry_key as siren, event.event_type, event.old_value, event.new_value
         from registry.event
         join registry.entry using (company_id, entry_id)
         where event.event_date = $1`,
        [date],
      );
      const expected = [...expectEvents(options, step)];
      const [events, meant] = [rows, expected].map((list) =>
        list.map((event) => JSON.stringify(event)).toSorted(),
      );
      expect({ date, events }).toEqual({ date, events: meant });
    }
    expect(await verify(db, 'sirene')).toEqual([]);
  }, 120_000);
});
