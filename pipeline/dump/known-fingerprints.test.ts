import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fingerprint, toBigint } from './fingerprint.ts';
import { KnownFingerprints } from './known-fingerprints.ts';
import type { YesterdaysEntries } from './yesterday.ts';

const half = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer());
const key = fc.record({ high: half, low: half }).filter(({ high, low }) => high !== 0 || low !== 0);

/** Entries in the format of the server. The entry at index n lies in page n. */
function toEntries(keys: readonly Fingerprint[]): YesterdaysEntries {
  const fingerprints = Buffer.alloc(keys.length * 8);
  const places = Buffer.alloc(keys.length * 6);
  keys.forEach(({ high, low }, at) => {
    fingerprints.writeInt32BE(high, at * 8);
    fingerprints.writeInt32BE(low, at * 8 + 4);
    places.writeUInt32BE(at, at * 6);
    places.writeUInt16BE(7, at * 6 + 4);
  });
  return { fingerprints, places };
}

describe('KnownFingerprints', () => {
  test('does what a map of the fingerprints does', () => {
    const keys = fc.array(key, { maxLength: 150 });
    const steps = fc.array(fc.record({ key, again: fc.nat() }), { maxLength: 300 });
    fc.assert(
      fc.property(keys, fc.array(fc.nat(), { maxLength: 5 }), steps, (distinct, twice, list) => {
        const added = [...distinct, ...twice.flatMap((at) => distinct[at % distinct.length] ?? [])];
        const known = new KnownFingerprints(toEntries(added));
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
        const missing = added
          .map((print, at) => ({ fingerprint: toBigint(print), place: `(${at},7)` }))
          .filter(({ fingerprint }) => model.get(fingerprint) !== 'met');
        expect([...known.missing()]).toEqual(missing);
      }),
      { numRuns: 500 },
    );
  });

  test('never meets an entry without a fingerprint', () => {
    const known = new KnownFingerprints(toEntries([{ high: 0, low: 0 }]));
    expect(known.meet({ high: 0, low: 1 })).toBe(false);
    expect([...known.missing()]).toEqual([{ fingerprint: 0n, place: '(0,7)' }]);
  });

  test('has room for as many as are added, whatever the low bits are', () => {
    const keys = Array.from({ length: 400_000 }, (_, at) => ({ high: at + 1, low: 0 }));
    const known = new KnownFingerprints(toEntries(keys));
    const odd = keys.filter(({ high }) => high % 2 === 1);
    expect(odd.every((print) => known.meet(print))).toBe(true);
    expect(odd.some((print) => known.meet(print))).toBe(false);
    const missing = [...known.missing()];
    expect(missing).toHaveLength(200_000);
    expect(missing.every(({ fingerprint }) => (fingerprint >> 32n) % 2n === 0n)).toBe(true);
  });
});
