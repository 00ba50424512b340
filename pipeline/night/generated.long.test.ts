import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { QueryResult } from 'pg';
import { describe, expect, test } from 'vitest';
import { dumpTables, runDump } from '../../fixtures/dump/night.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import {
  type DumpOptions,
  type ExpectedDay,
  writeDay,
} from '../../fixtures/generator/ceidg/dump.ts';
import { type ChangeKind, changeKinds } from '../../fixtures/generator/ceidg/change.ts';
import { expectEvents, type SireneOptions } from '../../fixtures/generator/sirene/country.ts';
import { writeStep } from '../../fixtures/generator/sirene/dump.ts';
import { verify } from './verify.ts';

const DAYS = 5;
const ENTRIES = 5000;
const from = '2026-09-01';

describe.each([1, 2, 3])('a generated country, seed %i', (seed) => {
  test('makes the events and counts that its generator meant, read by shortcut or in full', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-country-'));
    const [db, full] = [await createTestDatabase(), await createTestDatabase()];
    for (let day = 0; day < DAYS; day++) {
      const path = join(folder, String(day));
      const options = { seed, entries: ENTRIES, from };
      const { date } = await runDay(db, options, day, path);
      await runDump(full, path, date, { isFullRead: true });
      expect(await dumpTables(full)).toEqual(await dumpTables(db));
    }
    expect(await verify(db, 'ceidg')).toEqual([]);
  }, 120_000);
});

describe('a generated country of many changes', () => {
  const none = Object.fromEntries(changeKinds.map((kind) => [kind, 0]));
  const often = (...kinds: ChangeKind[]): DumpOptions => {
    const shares = { ...none, ...Object.fromEntries(kinds.map((kind) => [kind, 0.2])) };
    return { seed: 20, entries: 3000, from, shares };
  };

  test.each<[string, DumpOptions, number]>([
    ['every tenth entry changes', { seed: 9, entries: 5000, from, changes: 0.1 }, 4],
    [
      'entries without numbers keep their key',
      often('owner', 'name', 'start_date', 'whitespace'),
      2,
    ],
    ['no closing date arrives by itself', often('closing_set', 'closing_moved', 'gone'), 3],
    [
      'the official key leaves codes unexplained',
      often('reclassified_partly', 'reclassified', 'main_replaced'),
      2,
    ],
    [
      'entries share a NIP',
      often('nip_changed', 'regon_changed', 'regon_revoked', 'new_shared'),
      2,
    ],
  ])(
    'makes the events and counts that its generator meant: %s',
    async (_, options, nights) => {
      const folder = await mkdtemp(join(tmpdir(), 'registry-country-'));
      const db = await createTestDatabase();
      for (let day = 0; day <= nights; day++) {
        const path = join(folder, String(day));
        const { date } = await runDay(db, options, day, path, 'All were meant');
        const { rows } = await db.pool.query(
          'select entry_id from registry.entry where end_date = $1 and changed_date < $1',
          [date],
        );
        expect(rows).toEqual([]);
      }
      expect(await verify(db, 'ceidg')).toEqual([]);
    },
    120_000,
  );
});

describe('a night that reads every record', () => {
  test('meets each record a few times, however many entries change', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-country-'));
    const db = await createTestDatabase();
    const options: DumpOptions = { seed: 3, entries: 3000, from, changes: 0.1 };
    await runDay(db, options, 0, join(folder, '0'));
    const { date } = await writeDay(options, 1, join(folder, '1'), 'csv');
    const plans = explainTables(db);
    await runDump(db, join(folder, '1'), date, { isFullRead: true, reason: 'All were meant' });
    // A query that compares each of 300 changed entries with each of 3,000 records reads about a million rows, more
    // than the limit of 20 rows per entry. PostgreSQL would scan a list of ids in a `(not) in` for each record, so the
    // plan must have no SubPlan.
    expect(JSON.stringify(plans.get('after'))).not.toContain('SubPlan ');
    const busy = [...plans].filter(([, plan]) => countMost(plan) > 20 * options.entries);
    expect(busy.map(([table]) => table)).toEqual([]);
  }, 120_000);
});

const now = () => new Date('2027-01-10T05:00:00Z');

/**
 * The dumps of SIRENE: a stock, the delta of a day, the stock of the next month, and a stock in which all activity
 * codes are converted.
 */
const steps = [
  { date: '2026-10-31', changes: 0, format: 'zip' },
  { date: '2026-11-02', changes: 0.2, format: 'delta' },
  { date: '2026-11-30', changes: 0.2, format: 'parquet' },
  { date: '2027-01-05', changes: 0.05, format: 'csv' },
] as const;

describe.each([1, 2, 3])('a generated France, seed %i', (seed) => {
  test('makes the events that its generator meant, from stocks and from lists', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-sirene-'));
    const db = await createTestDatabase();
    const options: SireneOptions = { seed, units: 600, steps };
    for (const [step, { date, format }] of steps.entries()) {
      const path = join(folder, date);
      await writeStep(options, step, path, format);
      // Without a `reason`, guards would refuse the dump, because a large share of the few generated entries changes.
      await runDump(db, path, date, { source: 'sirene', reason: 'All was meant', now });
      const { rows } = await db.pool.query<object>(
        `select entry.entry_key as siren, event.event_type, event.old_value, event.new_value
         from registry.event
         join registry.entry using (company_id, entry_id)
         where event.event_date = $1`,
        [date],
      );
      const meant = sorted([...expectEvents(options, step)]);
      expect({ date, events: sorted(rows) }).toEqual({ date, events: meant });
    }
    expect(await verify(db, 'sirene')).toEqual([]);
  }, 120_000);
});

interface Plan extends Partial<Record<string, number | string | Plan[]>> {
  'Actual Loops': number;
  Plans?: Plan[];
}

const asTable = /^create unlogged table \w+\.(\w+) as$/gm;

/**
 * Returns a map, to which nights from now on add the query plan (with actual row counts) of each table that they
 * create.
 */
function explainTables({ pool }: TestDatabase): Map<string, Plan> {
  const plans = new Map<string, Plan>();
  pool.on('acquire', (client) => {
    const query = client.query.bind(client) as (...asked: unknown[]) => unknown;
    const explain = async (text: string) => {
      const tables = [...text.matchAll(asTable)].map(([, name]) => name!);
      const explained = text.replaceAll(asTable, 'explain (analyze, timing off, format json) $&');
      const results = (await query(explained)) as QueryResult<{
        'QUERY PLAN'?: [{ Plan: Plan }];
      }>[];
      const found = results.flatMap(({ rows }) => rows[0]?.['QUERY PLAN']?.[0].Plan ?? []);
      for (const [at, plan] of found.entries()) plans.set(tables[at]!, plan);
      return results;
    };
    Object.assign(client, {
      query: (text: unknown, ...rest: unknown[]) =>
        typeof text === 'string' && text.search(asTable) >= 0
          ? explain(text)
          : query(text, ...rest),
    });
  });
  return plans;
}

/** Returns the number of rows that one node of a query plan has read, the node that has read the most. */
function countMost(plan: Plan): number {
  const rows = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Join Filter']
    .map((name) => Number(plan[name] ?? 0))
    .reduce((sum, one) => sum + one, 0);
  return Math.max(rows * plan['Actual Loops'], ...(plan.Plans ?? []).map(countMost));
}

/** Writes the dump of a day, runs its night, and compares events and counts with those that the generator expects. */
async function runDay(
  db: TestDatabase,
  options: DumpOptions,
  day: number,
  path: string,
  reason?: string,
): Promise<ExpectedDay> {
  const expected = await writeDay(options, day, path, day % 2 ? 'zip' : 'csv');
  const summary = await runDump(db, path, expected.date, { reason });
  const { rows } = await db.pool.query<object>(
    `select event.event_type, event.old_value, event.new_value, entry.nip, entry.regon9, entry.name
     from registry.event
     join registry.entry using (company_id, entry_id)
     where event.event_date = $1`,
    [expected.date],
  );
  expect(sorted(rows)).toEqual(sorted(expected.events));
  expect(summary).toMatchObject({
    rejected: 0,
    new: expected.new,
    updated: expected.updated,
    deleted: expected.deleted,
    entries: expected.total,
    events: expected.events.length,
  });
  return expected;
}

const sorted = (events: object[]) => events.map((event) => JSON.stringify(event)).toSorted();
