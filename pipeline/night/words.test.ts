import { describe, expect, test } from 'vitest';
import { Words } from './words.ts';

describe('words', () => {
  test('have the same number wherever they are read, and their text', () => {
    const words = new Words();
    const bytes = Buffer.from("ACTIVE\t'4321Z' '4754Z' '4321Z'\tACTIVE\t");
    expect(words.read(bytes, 0, 9)).toBe(0);
    expect(words.end).toBe(6);
    expect(words.read(bytes, 8, 39)).toBe(1);
    expect(words.read(bytes, 16, 39)).toBe(2);
    expect(words.read(bytes, 24, 39)).toBe(1);
    expect(words.end).toBe(29);
    expect(words.read(bytes, 31, 9)).toBe(0);
    expect(['ACTIVE', '4321Z', '4754Z'].map((_, word) => words.textOf(word))).toEqual([
      'ACTIVE',
      '4321Z',
      '4754Z',
    ]);
  });

  test('are told apart however many there are', () => {
    const words = new Words();
    // Also those that are nothing, or the beginning of others.
    const texts = ['', ...Array.from({ length: 20_000 }, (_, at) => at.toString(3)), 'Łódź'];
    const read = (text: string) => words.read(Buffer.from(`${text}\t`), 0, 9);
    const numbers = texts.map(read);
    expect(new Set(numbers).size).toBe(texts.length);
    expect(texts.map(read)).toEqual(numbers);
    expect(numbers.map((word) => words.textOf(word))).toEqual(texts);
  });
});
