import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeRow } from '../../fixtures/dump/bad-dump.ts';
import { fingerprint, fingerprintOf, toBigint } from './fingerprint.ts';

const noSeed = { high: 0, low: 0 };

function printOf(bytes: Uint8Array, seed = noSeed): bigint {
  const out = { high: 0, low: 0 };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  fingerprint(view, 0, bytes.length, seed, out);
  return toBigint(out);
}

/** How many of the sorted values are there more than once. */
function countRepeats(values: BigInt64Array | Uint32Array): number {
  values.sort();
  let repeats = 0;
  for (let at = 1; at < values.length; at++) if (values[at] === values[at - 1]) repeats++;
  return repeats;
}

describe('fingerprint', () => {
  // Seven bytes at the end are fewer than a step takes.
  test.each([
    ['in the middle', 40],
    ['at the end', 200],
  ])('tells a million records apart that differ in a few digits %s', (_, at) => {
    const count = 1_000_000;
    const row = Buffer.from(makeRow(1).padEnd(207, '0')).subarray(0, 207);
    const view = new DataView(row.buffer, row.byteOffset, row.length);
    const out = { high: 0, low: 0 };
    const prints = new BigInt64Array(count);
    const highs = new Uint32Array(count);
    const lows = new Uint32Array(count);
    for (let serial = 0; serial < count; serial++) {
      row.write(String(serial).padStart(7, '0'), at, 'latin1');
      fingerprint(view, 0, row.length, noSeed, out);
      prints[serial] = toBigint(out);
      highs[serial] = out.high;
      lows[serial] = out.low;
    }
    expect(countRepeats(prints)).toBe(0);
    // A good half of 32 bits repeats about n² / 2³³ = 116 times.
    expect(countRepeats(highs)).toBeLessThan(200);
    expect(countRepeats(lows)).toBeLessThan(200);
  });

  test('is another one for every byte that changes', () => {
    const row = Buffer.from(makeRow(1).slice(0, 203));
    const prints = [printOf(row)];
    for (let at = 0; at < row.length; at++) {
      const before = row[at]!;
      for (let bit = 1; bit < 256; bit++) {
        row[at] = before ^ bit;
        prints.push(printOf(row));
      }
      row[at] = before;
    }
    expect(countRepeats(BigInt64Array.from(prints))).toBe(0);
  });

  test('is another one for two fields that swap, and for zeros at the end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (a, b) => {
        const longer = new Uint8Array(a.length + 1);
        longer.set(a);
        expect(printOf(longer)).not.toBe(printOf(a));
        if (Buffer.compare(a, b) === 0) return;
        const joined = [
          Buffer.concat([a, Buffer.from(';'), b]),
          Buffer.concat([b, Buffer.from(';'), a]),
        ];
        if (joined[0]!.equals(joined[1]!)) return;
        expect(printOf(joined[0]!)).not.toBe(printOf(joined[1]!));
      }),
    );
  });

  test('depends on the bytes, not on where they lie', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(20), (bytes, offset) => {
        const wider = new Uint8Array(bytes.length + 40).fill(7);
        wider.set(bytes, offset);
        const out = { high: 0, low: 0 };
        fingerprint(new DataView(wider.buffer), offset, offset + bytes.length, noSeed, out);
        expect(toBigint(out)).toBe(printOf(bytes));
      }),
    );
  });

  test('depends on both halves of the seed', () => {
    const row = Buffer.from(makeRow(1));
    const seeds = [noSeed, { high: 1, low: 0 }, { high: 0, low: 1 }, fingerprintOf('a')];
    expect(new Set(seeds.map((seed) => printOf(row, seed))).size).toBe(seeds.length);
    expect(fingerprintOf('a')).not.toEqual(fingerprintOf('b'));
  });

  test('is a signed integer of 64 bits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const high = Number(BigInt.asIntN(32, value >> 32n));
        const low = Number(BigInt.asIntN(32, value));
        expect(toBigint({ high, low })).toBe(value);
      }),
    );
  });
});
