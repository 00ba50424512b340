import { hash } from 'node:crypto';
import { describe } from 'vitest';
import { columns, fieldOf, header, withFields } from '../../fixtures/dump/bad-dump.ts';
import { readRows } from '../../fixtures/expected.ts';
import { publishBaseline } from '../../fixtures/dump/bad-night.ts';
import { rowCase, testDamage } from '../../fixtures/dump/bad-rows.ts';

/** A text that, even when PostgreSQL compresses it, is too long for an index. */
const longText = Array.from({ length: 80 }, (_, at) => hash('sha256', String(at))).join('');

/** The test cases: the name of a field, an invalid value for it, and the reason of the rejection. */
const fields = readRows<Record<'name' | 'value' | 'reason', string>>(
  new URL('bad-row.csv', import.meta.url),
);
fields.push({ name: 'Regon', value: longText, reason: `the REGON '${longText}' is not valid` });
const values = [
  ...fields.map(({ name, value, reason }) =>
    rowCase(
      `${name} '${value.slice(0, 50)}'`,
      (line) => [withFields(line, { [name]: value })],
      reason,
    ),
  ),
  rowCase(
    'all names blank',
    (line) => [withFields(line, { NazwaPodmiotu: '', Nazwisko: ' ', Imie: '' })],
    'all names are blank',
  ),
];

/** Impossible dates: the row is accepted, the entry keeps its date, a notice is saved, and no event follows. */
const dates = [
  ['DataRozpoczeciaDzialalnosci', '2026-02-30'],
  ['DataZakonczeniaDzialalnosci', '2026-13-01'],
  ['DataZawieszeniaDzialalnosci', '03.02.2026'],
  ['DataWznowieniaDzialalnosci', '0000-00-00'],
].map(([name, value]) =>
  rowCase(`${name} '${value}'`, (line) => [withFields(line, { [name!]: value! })], null),
);

const shapes = [
  rowCase('a row that is cut off', (line) => [line.slice(0, -8)], '21 fields instead of 24'),
  rowCase(
    'a row that lacks its last field',
    (line) => [line.slice(0, -1)],
    '23 fields instead of 24',
  ),
  rowCase(
    'a semicolon in a name, without quotes',
    (line) => [line.replace('Usługi', 'Usługi; handel')],
    '25 fields instead of 24',
  ),
  rowCase(
    'a semicolon in a name, without quotes, in a row with quotes',
    (line) => [line.replace('Usługi', 'Usługi; handel').replace('Łukasz', '"Łukasz"')],
    '25 fields instead of 24',
  ),
  rowCase(
    'a line break in a name, without quotes',
    (line) => line.replace('Usługi', 'Usługi\n').split('\n'),
    '4 fields instead of 24',
    '21 fields instead of 24',
  ),
  rowCase('a line end that is lost', (line) => [`${line}${line}`], '47 fields instead of 24'),
  rowCase('a NUL byte', (line) => [line.replace('Usługi', 'Usł\0ugi')], 'a NUL byte'),
  rowCase('a name in Windows-1250', (line) => [line.replace('Usługi', 'Us¤ugi')], 'not UTF-8'),
  rowCase(
    'a name in Windows-1250, in a row with quotes',
    (line) => [line.replace('Usługi', 'Us¤ugi').replace('Łukasz', '"Łukasz"')],
    'not UTF-8',
  ),
  rowCase('the header once more', (line) => [line, header], null, "the NIP 'Nip' is not valid"),
  rowCase(
    'a line of nothing but separators',
    (line) => [line, ';'.repeat(columns.length - 1)],
    null,
    'all names are blank',
  ),
  rowCase('a line that sums up', (line) => [line, 'Razem: 1000'], null, '1 fields instead of 24'),
  rowCase('a blank line', (line) => ['', line], null, null),
  rowCase('a byte order mark in the middle', (line) => [`\uFEFF${line}`], null),
  rowCase('a carriage return in a name', (line) => [line.replace('Usługi ', 'Usługi\r')], null),
  rowCase(
    'white space of every kind around values',
    (line) => [line.replaceAll(';', '\u00a0;\t\u2003').replace('Usługi ', 'Usługi \u3000')],
    null,
  ),
  rowCase(
    'numbers with dashes, a REGON of 14 digits',
    (line) => {
      const nip = fieldOf(line, 'Nip').replace(/(...)(...)(..)/, '$1-$2-$3-');
      return [withFields(line, { Nip: nip, Regon: `${fieldOf(line, 'Regon')}00000` })];
    },
    null,
  ),
  rowCase(
    'activities with dots and repeated',
    (line) => [withFields(line, { PozostaleKodyPkd: '62.09.Z$##$6202Z$##$6201Z' })],
    null,
  ),
];

const baseline = await publishBaseline();

describe.each([
  // The third value is the number of entries that stay published because a rejected row could be theirs.
  ['a value', values, 4],
  ['a date', dates, 0],
  ['the shape', shapes, 9],
])('a row is damaged in %s', (_, cases, waiting) => {
  testDamage(baseline, cases, waiting);
});
