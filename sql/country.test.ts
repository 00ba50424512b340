import { expect, test } from 'vitest';
import { dayIn, defaultCountry, findCountry } from './country.ts';

test.each([
  ['2026-11-20T22:59:59Z', '2026-11-20'],
  ['2026-11-20T23:00:00Z', '2026-11-21'],
  // Summer time.
  ['2026-07-20T22:00:00Z', '2026-07-21'],
])('%s is %s in Poland and in France', (moment, day) => {
  expect(dayIn(new Date(moment))).toBe(day);
  expect(dayIn(new Date(moment), 'FR')).toBe(day);
});

test('a country has the language of its labels, and one without a folder is refused', () => {
  expect(findCountry('FR').language).toBe('fr');
  expect(defaultCountry).toMatchObject({ country_code: 'PL', time_zone: 'Europe/Warsaw' });
  expect(() => findCountry('XX')).toThrow('sql/country has no folder of the country XX');
});
