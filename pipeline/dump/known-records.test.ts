import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fingerprint, toBigint } from './fingerprint.ts';
import { KnownRecords, Prints } from './known-records.ts';

const half = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer());
const key = fc.record({ high: half, low: half }).filter(({ high, low }) => high !== 0 || low !== 0);

/** As a server sends them. */
function toBytes(keys: readonly Fingerprint[]): Buffer {
  const bytes = Buffer.alloc(keys.length * 8);
  keys.forEach(({ high, low }, at) => {
    bytes.writeInt32BE(high, at * 8);
    bytes.writeInt32BE(low, at * 8 + 4);
  });
  return bytes;
}

/** What knows them, as so many threads would add them, one after another. */
function learn(keys: readonly Fingerprint[], threads = 1): KnownRecords {
  const prints = new Prints();
  prints.addAll(toBytes(keys));
  const known = new KnownRecords(prints.size);
  for (let index = 0; index < threads; index++) known.learn(prints.share(index, threads));
  return known;
}

describe('KnownRecords', () => {
  test('does what a map of the fingerprints does', () => {
    const keys = fc.array(key, { maxLength: 150 });
    const steps = fc.array(fc.record({ key, again: fc.nat() }), { maxLength: 300 });
    fc.assert(
      fc.property(keys, fc.array(fc.nat(), { maxLength: 5 }), steps, (distinct, twice, list) => {
        const added = [...distinct, ...twice.flatMap((at) => distinct[at % distinct.length] ?? [])];
        const known = learn(added);
        const model = new Map<bigint, 'not met' | 'met' | 'shared'>();
        for (const name of added.map(toBigint)) {
          model.set(name, model.has(name) ? 'shared' : 'not met');
        }
        for (const step of list) {
          // Every other time one of those that were added.
          const met = step.again % 2 ? (added[step.again % added.length] ?? step.key) : step.key;
          const state = model.get(toBigint(met));
          expect(known.meet(met)).toBe(state === 'not met');
          if (state === 'not met') model.set(toBigint(met), 'met');
        }
        const unmet = [...model].filter(([, state]) => state !== 'met').map(([name]) => name);
        expect([...known.unmet()]).toHaveLength(unmet.length);
        expect(new Set(known.unmet())).toEqual(new Set(unmet));
      }),
      { numRuns: 500 },
    );
  });

  test.each([2, 3, 4, 7])('%i threads that share the work add what one adds', (threads) => {
    const keys = Array.from({ length: 300_000 }, (_, at) => ({
      high: Math.imul(at + 1, 0x85ebca6b),
      low: Math.imul(at >> 1, 0xc2b2ae35),
    }));
    const single = learn(keys);
    expect([...single.unmet()]).toHaveLength(300_000);
    // Those of one region are added in the same order.
    const { table } = learn(keys, threads);
    expect(Buffer.from(table.prints.buffer).equals(Buffer.from(single.table.prints.buffer))).toBe(
      true,
    );
    expect(Buffer.from(table.states.buffer).equals(Buffer.from(single.table.states.buffer))).toBe(
      true,
    );
  });

  test('has room for as many as are added, whatever the low bits are', () => {
    const keys = Array.from({ length: 400_000 }, (_, at) => ({ high: at + 1, low: 0 }));
    const known = learn(keys);
    const odd = keys.filter(({ high }) => high % 2 === 1);
    expect(odd.every((print) => known.meet(print))).toBe(true);
    expect(odd.some((print) => known.meet(print))).toBe(false);
    const unmet = [...known.unmet()];
    expect(unmet).toHaveLength(200_000);
    expect(unmet.every((found) => (found >> 32n) % 2n === 0n)).toBe(true);
  });

  test('says so when there is no room, and looks no further', () => {
    const prints = new Prints();
    // All in one region.
    prints.addAll(toBytes(Array.from({ length: 2000 }, (_, at) => ({ high: 0, low: at + 1 }))));
    const known = new KnownRecords(prints.size);
    expect(() => known.learn(prints.share(0, 1))).toThrow(
      'more fingerprints than there is room for',
    );
  });
});
