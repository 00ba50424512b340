import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countKinds, writeDay, type DumpOptions, type ExpectedDay } from '../generate-dump.ts';
import { compareDays, indexRows, type Dates, type Struck } from './comparison.ts';
import { changeKinds, type ChangeKind } from './share.ts';
import { readReports, type Row } from './snapshot.ts';

const from = '2026-09-01';
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'generated-night-'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

async function makeDay(
  options: DumpOptions,
  day: number,
): Promise<[ExpectedDay, Map<string, Row>]> {
  const folder = join(root, `${options.seed}-${day}`);
  const expected = await writeDay(options, day, folder, 'csv');
  return [expected, indexRows(await readReports(folder))];
}

function sorted(events: object[]): string[] {
  return events.map((event) => JSON.stringify(event)).toSorted();
}

/** How many entries became closed by nothing but the passing of the night. */
function countReached(before: Map<string, Row>, after: Map<string, Row>, dates: Dates): number {
  const isReached = ([key, { DataZakonczeniaDzialalnosci: end }]: [string, Row]): boolean =>
    end! > dates.yesterday &&
    end! <= dates.today &&
    before.get(key)?.DataZakonczeniaDzialalnosci === end;
  return [...after].filter(isReached).length;
}

/** How many of the entries that shared a NIP the evening before have other numbers or none. */
function countParted(before: Map<string, Row>, after: Map<string, Row>): number {
  const owners = Map.groupBy([...before], ([, row]) => row.Nip);
  const sharers = [...before].filter(([, { Nip }]) => Nip !== '' && owners.get(Nip)!.length > 1);
  return sharers.filter(([key, { Nip }]) => after.get(key)?.Nip !== Nip).length;
}

/** Makes the first dump and the nights after it, and compares each with what the dumps say. */
async function followNights(options: DumpOptions, nights: number): Promise<void> {
  const struck: Struck = new Map();
  let [{ date }, rows] = await makeDay(options, 0);
  for (let day = 1; day <= nights; day += 1) {
    const [expected, today] = await makeDay(options, day);
    const dates: Dates = { yesterday: date, today: expected.date };
    const { events, ...counts } = compareDays(rows, today, dates, struck);
    expect(sorted(expected.events)).toEqual(sorted(events));
    expect(expected).toMatchObject({ ...counts, total: today.size });
    expect(countReached(rows, today, dates)).toBe(0);
    expect(today.size).toBe(rows.size + expected.new - expected.deleted);
    // Two alike would be one event of one company.
    const told = expected.events.map((event) =>
      [event.nip ?? event.regon9 ?? event.name, ...Object.values(event).slice(0, 3)].join('|'),
    );
    expect(new Set(told).size).toBe(told.length);
    [date, rows] = [expected.date, today];
  }
}

describe.each([1, 2, 3])('five nights of seed %i', (seed) => {
  const options: DumpOptions = { seed, entries: 5000, from };

  test('tell exactly what the dumps differ in', async () => {
    expect.hasAssertions();
    await followNights(options, 5);
  });

  test('have every kind of change every day', () => {
    for (let day = 1; day <= 5; day += 1) {
      const counts = countKinds(options, day)!;
      const missing = changeKinds.filter((kind) => counts[kind] === 0);
      // Nobody can come back before somebody has gone.
      expect(missing).toEqual(day === 1 ? ['back'] : []);
    }
  });
});

test('nights on which every tenth entry changes tell exactly what the dumps differ in', async () => {
  expect.hasAssertions();
  await followNights({ seed: 9, entries: 10_000, from, changes: 0.1 }, 4);
});

describe('the difficult kinds, very often', () => {
  const none = Object.fromEntries(changeKinds.map((kind) => [kind, 0]));
  const often = (...kinds: ChangeKind[]): DumpOptions => {
    const shares = { ...none, ...Object.fromEntries(kinds.map((kind) => [kind, 0.2])) };
    return { seed: 20, entries: 6000, from, shares };
  };

  test('never change the key of an entry without numbers', async () => {
    expect.hasAssertions();
    await followNights(often('owner', 'name', 'start_date', 'whitespace'), 2);
  });

  test('never let a closing date arrive by itself', async () => {
    expect.hasAssertions();
    await followNights(often('closing_set', 'closing_moved', 'gone'), 3);
  });

  test('tell what the official key leaves unexplained', async () => {
    expect.hasAssertions();
    await followNights(often('reclassified_partly', 'reclassified', 'main_replaced'), 2);
  });

  test('leave the numbers of those who share a NIP alone', async () => {
    const options = often('nip_changed', 'regon_changed', 'regon_revoked', 'new_shared');
    await followNights(options, 2);
    const days = [(await makeDay(options, 1))[1], (await makeDay(options, 2))[1]];
    expect(countParted(days[0]!, days[1]!)).toBe(0);
  });
});
