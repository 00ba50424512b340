import { array, assert, integer, nat, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addBit, countBits, intersect, listBits, makeBits, NumberList } from './search-bits.ts';
import { TextColumn } from './search-text.ts';

const most = 3_000_000;
const numbers = array(nat(most - 1), { maxLength: 200 });

function sort(values: Iterable<number>): number[] {
  return [...new Set(values)].toSorted((one, other) => one - other);
}

function bitsOf(values: number[]) {
  const bits = makeBits(most);
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
        expect(listBits(intersect([...sets]))).toEqual(both);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a list of ascending numbers', () => {
  test('gives back its numbers, each once, whatever the gaps', () => {
    assert(
      property(numbers, (values) => {
        const list = new NumberList();
        for (const number of values.toSorted((one, other) => one - other)) list.add(number);
        const bits = makeBits(most);
        list.addTo(bits);
        expect(listBits(bits)).toEqual(sort(values));
      }),
      { numRuns: 50 },
    );
  });
});

describe('a column of texts', () => {
  test('finds each text, however many there are', () => {
    const column = new TextColumn();
    const count = 70_000;
    for (let number = 0; number < count; number += 1) column.set(number, `text ${number}`);
    column.set(7, null);
    column.set(300, 'text 8');
    const find = (text: string) => listBits(column.find(count, text));
    expect(['text 8', 'text 255', 'text 300', 'text 69999', 'text 7', 'other'].map(find)).toEqual([
      [8, 300],
      [255],
      [],
      [69_999],
      [],
      [],
    ]);
    const few = column.find(count, (text) => text.endsWith('6999'));
    expect(listBits(few)).toEqual([6_999, 16_999, 26_999, 36_999, 46_999, 56_999, 66_999]);
  });
});
