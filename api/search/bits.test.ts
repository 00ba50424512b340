import { array, assert, integer, nat, property } from 'fast-check';
import { expect, test } from 'vitest';
import * as bits from './bits.ts';

const most = 3_000_000;
const numbers = array(nat(most - 1), { maxLength: 200 });
const runs = { numRuns: 40 };

function sort(values: Iterable<number>): number[] {
  return [...new Set(values)].toSorted((one, other) => one - other);
}

function setOf(values: number[]) {
  const set = bits.noBits(most);
  for (const number of values) bits.addBit(set, number);
  return set;
}

test('A set counts and lists its numbers, any part of them', () => {
  assert(
    property(numbers, nat(200), integer({ min: 1, max: 50 }), (values, skipped, size) => {
      const [set, sorted] = [setOf(values), sort(values)];
      expect(bits.countBits(set)).toBe(sorted.length);
      expect(bits.listBits(set)).toEqual(sorted);
      expect(bits.listBits(set, skipped, size)).toEqual(sorted.slice(skipped, skipped + size));
    }),
    runs,
  );
});

test('A set loses what another one does not have, and gets what another one has', () => {
  assert(
    property(numbers, numbers, numbers, (one, other, shared) => {
      const [both, all] = [setOf([...one, ...shared]), setOf([...one, ...shared])];
      const second = setOf([...other, ...shared]);
      bits.keepCommon(both, second);
      const common = one.filter((number) => other.includes(number));
      expect(bits.listBits(both)).toEqual(sort([...shared, ...common]));
      bits.addAll(all, second);
      expect(bits.listBits(all)).toEqual(sort([...one, ...other, ...shared]));
    }),
    runs,
  );
});

test('A set loses the numbers that are removed while each is looked at', () => {
  assert(
    property(numbers, (values) => {
      const set = setOf(values);
      bits.eachBit(set, (number) => number % 3 === 0 && bits.removeBit(set, number));
      const left = (number: number) => number % 3 !== 0;
      expect(bits.listBits(set)).toEqual(sort(values).filter(left));
      expect(values.filter((number) => bits.hasBit(set, number))).toEqual(values.filter(left));
    }),
    runs,
  );
});

test('A stream gives back its numbers, whatever their size', () => {
  assert(
    property(array(nat(2 ** 31 - 1), { maxLength: 200 }), (values) => {
      const stream = new bits.NumberStream();
      for (const number of values) stream.push(number);
      const read: number[] = [];
      bits.eachNumber(stream.bytes, (number) => read.push(number));
      expect(read).toEqual(values);
    }),
    runs,
  );
});
