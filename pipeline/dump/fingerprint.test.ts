import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeRow } from '../../fixtures/dump/bad-dump.ts';
import { KnownFingerprints } from './known-fingerprints.ts';

const known = new KnownFingerprints();

function printOf(bytes: Uint8Array, seed = 0n, at = 0): bigint {
  known.memory.area.set(bytes, at);
  return known.fingerprint(at, at + bytes.length, { seed, skipsNumber: false });
}

/** How many of the values are there more than once. */
function countRepeats(values: BigInt64Array | Uint32Array): number {
  values.sort();
  let repeats = 0;
  for (let at = 1; at < values.length; at++) if (values[at] === values[at - 1]) repeats++;
  return repeats;
}

describe('fingerprint', () => {
  // https://github.com/Cyan4973/xxHash, and with the seed 2654435761 of its own checks.
  test.each([
    ['', 0n, 0xef46db3751d8e999n],
    ['a', 0n, 0xd24ec4f1a98c6e5bn],
    ['abc', 0n, 0x44bc2cf5ad770999n],
    ['', 2654435761n, 0xac75fda2929b17efn],
    ['Nobody inspects the spammish repetition', 0n, 0xfbcea83c8a378bf1n],
  ])('is the XXH64 of %o with the seed %d', (text, seed, expected) => {
    expect(BigInt.asUintN(64, printOf(Buffer.from(text), seed))).toBe(expected);
  });

  // Seven bytes at the end are fewer than a step takes.
  test.each([
    ['in the middle', 40],
    ['at the end', 200],
  ])('tells a million records apart that differ in a few digits %s', (_, at) => {
    const count = 1_000_000;
    const row = Buffer.from(makeRow(1).padEnd(207, '0')).subarray(0, 207);
    const prints = new BigInt64Array(count);
    const halves = new Uint32Array(prints.buffer);
    for (let serial = 0; serial < count; serial++) {
      row.write(String(serial).padStart(7, '0'), at, 'latin1');
      prints[serial] = printOf(row);
    }
    // A good half of 32 bits repeats about n² / 2³³ = 116 times.
    for (const half of [0, 1]) {
      expect(countRepeats(halves.filter((_half, place) => place % 2 === half))).toBeLessThan(200);
    }
    expect(countRepeats(prints)).toBe(0);
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
        known.memory.area.fill(7, 0, 100);
        expect(printOf(bytes, 0n, offset)).toBe(printOf(bytes));
      }),
    );
  });

  test('depends on both halves of the seed', () => {
    const row = Buffer.from(makeRow(1));
    const seeds = [0n, 1n << 32n, 1n, known.memory.fingerprintOf('a')];
    expect(new Set(seeds.map((seed) => printOf(row, seed))).size).toBe(seeds.length);
    expect(known.memory.fingerprintOf('a')).not.toBe(known.memory.fingerprintOf('b'));
  });

  test('leaves out a row number, and nothing that only looks like one', () => {
    const content = Buffer.from('12;AB;34');
    known.memory.area.set(content);
    const print = (start: number) =>
      known.fingerprint(start, content.length, { seed: 0n, skipsNumber: true });
    expect(print(0)).toBe(printOf(Buffer.from('AB;34')));
    known.memory.area.set(content);
    expect(print(3)).toBe(printOf(Buffer.from('AB;34')));
    known.memory.area.set(content);
    expect(print(6)).toBe(printOf(Buffer.from('34')));
  });
});
