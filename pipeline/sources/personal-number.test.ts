import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdsElevenDigits, maskedJson, maskPersonalNumbers } from './personal-number.ts';
import { shorten } from './rejects.ts';

const mask = '***********';

test.each([
  ['born in 2002', 'JAN 02270803624 NOWAK', `JAN ${mask} NOWAK`],
  ['born in 1899', '99920112340', mask],
  ['beside letters', 'jan02270803624@example.pl', `jan${mask}@example.pl`],
  ['with another check digit', '02270803625', '02270803625'],
  ['with another check digit, by its name', 'Pesel: 02270803625', `Pesel: ${mask}`],
  ['born on 31 February', '02223103621', '02223103621'],
  ['with a digit more', '022708036240', '022708036240'],
  ['a telephone number after a plus', '+37061234567', '+37061234567'],
  ['a REGON of 14 digits and a NIP', '99400501600000 1005005014', '99400501600000 1005005014'],
])('a number %s', (_, text, expected) => {
  expect(maskPersonalNumbers(text)).toBe(expected);
});

test.each([
  ['48123456789', '48123456789'],
  // The telephone number 48122345676 is also a valid PESEL, of a person born on 23 December 1948.
  ['48122345676', '48122345676'],
  ['PESEL 48122345676', ''],
  ['02270803624', ''],
  ['601 234 567, 02270803624', `601 234 567, ${mask}`],
])('a telephone field with %s', (text, expected) => {
  expect(maskPersonalNumbers(text, 'telefon')).toBe(expected);
});

test('texts of an answer are masked as those of their columns, and numbers stay', () => {
  const answer = { rows: [{ name: '02270803624', phone: '48122345676', count: 2270803624 }] };
  expect(JSON.parse(maskedJson(answer))).toEqual({ rows: [{ ...answer.rows[0], name: mask }] });
});

test('a text that is cut holds no part of a number', () => {
  expect(shorten('Ż02270803624 ABC', 8)).toBe('Ż');
  expect(shorten(Buffer.from('Ż02270803624 ABC'), 8)).toBe('Ż');
  expect(shorten('AB 12', 5)).toBe('AB 12');
});

test('eleven digits are found where a regular expression finds them', () => {
  const text = fc.string({ unit: fc.constantFrom(...Array.from('0123456789;')), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.nat(5), (value, start) => {
      const found = holdsElevenDigits(Buffer.from(value), start);
      expect(found).toBe(/(?<!\d)\d{11}(?!\d)/.test(value.slice(start)));
    }),
  );
});
