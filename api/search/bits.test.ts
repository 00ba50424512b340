import { array, assert, integer, nat, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addBit,
  countBits,
  eachBit,
  eachNumber,
  hasBit,
  keepCommon,
  listBits,
  noBits,
  NumberStream,
  removeBit,
} from './bits.ts';

const most = 3_000_000;
const numbers = array(nat(most - 1), { maxLength: 200 });

function sort(values: Iterable<number>): number[] {
  return [...new Set(values)].toSorted((one, other) => one - other);
}

function bitsOf(values: number[]) {
  const bits = noBits(most);
  for (const number of values) addBit(bits, number);
  return bits;
}

describe('a set of numbers', () => {
  test('counts and lists its numbers, any part of them', () => {
    assert(
      property(numbers, nat(200), integer({ min: 1, max: 50 }), (values, skipped, size) => {
        const [bits, sorted] = [bitsOf(values), sort(values)];
        expect(countBits(bits)).toBe(sorted.length);
        expect(listBits(bits)).toEqual(sorted);
        expect(listBits(bits, skipped, size)).toEqual(sorted.slice(skipped, skipped + size));
      }),
      { numRuns: 30 },
    );
  });

  test('has in common with others the numbers of all', () => {
    assert(
      property(numbers, numbers, numbers, (one, other, shared) => {
        const sets = [bitsOf([...one, ...shared]), bitsOf([...other, ...shared])] as const;
        const both = sort([...shared, ...one.filter((number) => other.includes(number))]);
        keepCommon(...sets);
        expect(listBits(sets[0])).toEqual(both);
      }),
      { numRuns: 30 },
    );
  });

  test('loses the numbers that are taken out while each is looked at', () => {
    assert(
      property(numbers, (values) => {
        const bits = bitsOf(values);
        eachBit(bits, (number) => number % 3 === 0 && removeBit(bits, number));
        expect(listBits(bits)).toEqual(sort(values).filter((number) => number % 3 !== 0));
        expect(values.filter((number) => hasBit(bits, number))).toEqual(
          values.filter((number) => number % 3 !== 0),
        );
      }),
      { numRuns: 30 },
    );
  });
});

describe('a list of ascending numbers', () => {
  test('gives back its numbers, whatever the gaps', () => {
    assert(
      property(numbers, (values) => {
        const stream = new NumberStream();
        const sorted = sort(values);
        for (const [at, number] of sorted.entries()) stream.push(number - (sorted[at - 1] ?? -1));
        const read: number[] = [];
        eachNumber(stream.bytes, (gap) => read.push((read.at(-1) ?? -1) + gap));
        expect(read).toEqual(sorted);
      }),
      { numRuns: 50 },
    );
  });
});
