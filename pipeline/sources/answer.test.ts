import { expect, test } from 'vitest';
import { findFault } from './answer.ts';

test.each([
  ['a NUL character', { name: 'A\0B' }, 'a NUL character'],
  ['a NUL character in a key', { 'A\0B': 1 }, 'a NUL character'],
  ['half a character', { list: ['\ud83d'] }, 'half a character of UTF-16'],
  [
    'a whole character beyond the basic plane',
    { name: '\u{1f600}', count: 1, none: null },
    undefined,
  ],
])('%s', (_, answer, fault) => {
  expect(findFault(answer)).toBe(fault);
});
