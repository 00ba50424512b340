import { hash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  columns,
  fieldOf,
  header,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import { publish, publishBaseline, type Told } from '../../fixtures/dump/bad-night.ts';
import { expectCases, placeCases, type RowCase } from '../../fixtures/dump/bad-rows.ts';

/** A row with one field replaced, which is rejected for that reason. */
function field(name: string, value: string, reason: string): RowCase {
  return {
    what: `${name} '${value.slice(0, 50)}'`,
    damage: (line) => [withFields(line, { [name]: value })],
    reasons: [reason],
  };
}

/** Longer than an index takes, and not to be packed. */
const longText = Array.from({ length: 80 }, (_, at) => hash('sha256', String(at))).join('');

const values: RowCase[] = [
  field('Nip', '1234567890', "the NIP '1234567890' is not valid"),
  field('Nip', 'brak', "the NIP 'brak' is not valid"),
  field('Nip', '123456785', "the NIP '123456785' is not valid"),
  field('Regon', '123456789', "the REGON '123456789' is not valid"),
  field('Regon', '1234567851', "the REGON '1234567851' is not valid"),
  field('Regon', '12345678500O12', "the REGON '123456785O' is not valid"),
  field('Regon', longText, `the REGON '${longText}' is not valid`),
  field('StatusDzialalnosci', 'Wykreślony', "the status 'Wykreślony' is not known"),
  field('StatusDzialalnosci', 'AKTYWNY', "the status 'AKTYWNY' is not known"),
  field('StatusDzialalnosci', '', "the status '' is not known"),
  field('RokPKD', '20O7', "the activity version '20O7' is not known"),
  field('RokPKD', '2052', "the activity version '2052' is not known"),
  field(
    'PozostaleKodyPkd',
    '6202Z$#$6209Z',
    "one of the activities '6201Z,6202Z$#$6209Z' is not a code",
  ),
  field('GlownyKodPkd', '6201', "one of the activities '6201,6202Z,6209Z' is not a code"),
  {
    what: 'all names blank',
    damage: (line) => [withFields(line, { NazwaPodmiotu: '', Nazwisko: ' ', Imie: '' })],
    reasons: ['all names are blank'],
  },
];

/** A date that cannot be is noted, and the known one stays: nothing is rejected and nothing told. */
const dates: RowCase[] = [
  ['DataRozpoczeciaDzialalnosci', '2026-02-30'],
  ['DataZakonczeniaDzialalnosci', '2026-13-01'],
  ['DataZawieszeniaDzialalnosci', '03.02.2026'],
  ['DataWznowieniaDzialalnosci', '0000-00-00'],
].map(([name, value]) => ({
  what: `${name} '${value}'`,
  damage: (line) => [withFields(line, { [name!]: value! })],
  reasons: [null],
}));

const shapes: RowCase[] = [
  {
    what: 'a row that is cut off',
    damage: (line) => [line.slice(0, -8)],
    reasons: ['21 fields instead of 24'],
  },
  {
    what: 'a row that lacks its last field',
    damage: (line) => [line.slice(0, -1)],
    reasons: ['23 fields instead of 24'],
  },
  {
    what: 'a semicolon in a name, without quotes',
    damage: (line) => [line.replace('Usługi', 'Usługi; handel')],
    reasons: ['25 fields instead of 24'],
  },
  {
    what: 'a semicolon in a name, without quotes, in a row with quotes',
    damage: (line) => [line.replace('Usługi', 'Usługi; handel').replace('Łukasz', '"Łukasz"')],
    reasons: ['25 fields instead of 24'],
  },
  {
    what: 'a line break in a name, without quotes',
    damage: (line) => line.replace('Usługi', 'Usługi\n').split('\n'),
    reasons: ['4 fields instead of 24', '21 fields instead of 24'],
  },
  {
    what: 'a line end that is lost',
    damage: (line) => [`${line}${line}`],
    reasons: ['47 fields instead of 24'],
  },
  {
    what: 'a NUL byte',
    damage: (line) => [line.replace('Usługi', 'Usł\0ugi')],
    reasons: ['a NUL byte'],
  },
  {
    what: 'a name in Windows-1250',
    damage: (line) => [line.replace('Usługi', 'Us¤ugi')],
    reasons: ['not UTF-8'],
  },
  {
    what: 'a name in Windows-1250, in a row with quotes',
    damage: (line) => [line.replace('Usługi', 'Us¤ugi').replace('Łukasz', '"Łukasz"')],
    reasons: ['not UTF-8'],
  },
  {
    what: 'the header once more',
    damage: (line) => [line, header],
    reasons: [null, "the NIP 'Nip' is not valid"],
  },
  {
    what: 'a line of nothing but separators',
    damage: (line) => [line, ';'.repeat(columns.length - 1)],
    reasons: [null, 'all names are blank'],
  },
  {
    what: 'a line that sums up',
    damage: (line) => [line, 'Razem: 1000'],
    reasons: [null, '1 fields instead of 24'],
  },
  { what: 'a blank line', damage: (line) => ['', line], reasons: [null, null] },
  {
    what: 'a byte order mark in the middle',
    damage: (line) => [`\uFEFF${line}`],
    reasons: [null],
  },
  {
    what: 'a carriage return in a name',
    damage: (line) => [line.replace('Usługi ', 'Usługi\r')],
    reasons: [null],
  },
  {
    what: 'white space of every kind around values',
    damage: (line) => [line.replaceAll(';', '\u00a0;\t\u2003').replace('Usługi ', 'Usługi \u3000')],
    reasons: [null],
  },
  {
    what: 'numbers with dashes, a REGON of 14 digits',
    damage: (line) => {
      const nip = fieldOf(line, 'Nip').replace(/(...)(...)(..)/, '$1-$2-$3-');
      return [withFields(line, { Nip: nip, Regon: `${fieldOf(line, 'Regon')}00000` })];
    },
    reasons: [null],
  },
  {
    what: 'activities with dots and repeated',
    damage: (line) => [withFields(line, { PozostaleKodyPkd: '62.09.Z$##$6202Z$##$6201Z' })],
    reasons: [null],
  },
];

const baseline = await publishBaseline();

describe.each([
  // Where the key of the row can be read, no entry waits.
  ['a value', values, 4],
  ['a date', dates, 0],
  ['the shape', shapes, 9],
])('a row is damaged in %s', (_, cases, waiting) => {
  const expected = expectCases(cases);
  let second: Told;
  let third: Told;
  beforeAll(async () => {
    const { damaged, repaired } = placeCases(cases);
    [second, third] = (await publish(
      baseline,
      (folder) => writeReports(folder, repaired, damaged),
      repaired,
    )) as [Told, Told];
  });

  test.each(cases.map(({ what }, at) => [what, expected[at]!] as const))('%s', (__, told) => {
    const lines = told.rejects.map((reject) => reject.replace(/: .*/, ':'));
    expect(second.rejects.filter((text) => lines.some((line) => text.startsWith(line)))).toEqual(
      told.rejects,
    );
    expect(second.events).toEqual(expect.arrayContaining(told.events));
  });

  test('and nothing else is rejected or told', () => {
    expect(second.rejects.toSorted()).toEqual(
      expected.flatMap(({ rejects }) => rejects).toSorted(),
    );
    expect(second.events.toSorted()).toEqual(expected.flatMap(({ events }) => events).toSorted());
    expect(second.counts).toEqual({ new: 0, updated: 2 * cases.length, deleted: 0, waiting });
  });

  test('and nothing is told of it when it is repaired', () => {
    const counts = { new: 0, updated: 0, deleted: 0, waiting: 0 };
    expect(third).toEqual({ rejects: [], events: [], counts });
  });
});
