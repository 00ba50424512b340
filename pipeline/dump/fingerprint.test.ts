import * as fc from 'fast-check';
import { xxhash64 } from 'hyparquet/src/xxhash.js';
import { describe, expect, test } from 'vitest';
import { KnownFingerprints } from './known-fingerprints.ts';

const known = new KnownFingerprints();

function printOf(bytes: Uint8Array, seed = 0n, at = 0): bigint {
  known.memory.area.set(bytes, at);
  return known.fingerprint(at, at + bytes.length, { seed, skipsNumber: false });
}

describe('fingerprint', () => {
  test('is the XXH64 of any bytes with any seed, wherever they lie', () => {
    const seeds = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), seeds, fc.nat(20), (bytes, seed, offset) => {
        known.memory.area.fill(7, 0, 140);
        const print = printOf(bytes, BigInt.asIntN(64, seed), offset);
        expect(BigInt.asUintN(64, print)).toBe(xxhash64(bytes, seed));
      }),
    );
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
