import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  anew,
  columns,
  fileName,
  makeReports,
  reorder,
  toBytes,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import {
  nothing,
  publish,
  publishBaseline,
  refuse,
  runBad,
  silence,
  type Told,
} from '../../fixtures/dump/bad-night.ts';
import { phoneEvent } from '../../fixtures/dump/bad-rows.ts';

const baseline = await publishBaseline();

/**
 * The ways in which a file may be written (`what`), each tested in the report `key`, in which one phone has changed.
 */
const spellings: [what: string, key: string, write: (lines: string[]) => Buffer][] = [
  ['without a byte order mark', 'dolnośląskie', (lines) => toBytes(lines).subarray(3)],
  ['with two of them', 'lubelskie', (lines) => Buffer.concat([toBytes([]), toBytes(lines)])],
  ['with LF', 'lubuskie', (lines) => toBytes(lines, '\n')],
  ['with mixed line ends', 'łódzkie', mixed],
  [
    'without a line end after the last row',
    'małopolskie',
    (lines) => toBytes(lines).subarray(0, -2),
  ],
  ['with blank lines', 'opolskie', (lines) => toBytes(lines.flatMap((line) => [line, '']))],
  [
    'with its columns in another order',
    'podkarpackie',
    (lines) => toBytes(reorder(lines, [...columns.slice(5), ...columns.slice(0, 5)])),
  ],
  [
    'with two columns swapped',
    'podlaskie',
    (lines) => toBytes(reorder(lines, ['Lp.', 'Regon', 'Nip', ...columns.slice(3)])),
  ],
  [
    'with blanks in its postal codes',
    'śląskie',
    (lines) => toBytes(lines.map((line) => line.replace(/;(\d\d)-(\d{3});/, ';$1 - $2;'))),
  ],
  ['without row numbers', 'pomorskie', (lines) => toBytes(reorder(lines, columns.slice(1)))],
  ['with every field in quotes', 'warmińsko-mazurskie', (lines) => toBytes(lines.map(quoteAll))],
  [
    'with a column that is not known',
    'wielkopolskie',
    (lines) => toBytes(lines.map((line, at) => `${line};${at === 0 ? 'Fax' : '"a; b"'}`)),
  ],
  [
    'with a column in the middle that is not known',
    'zachodniopomorskie',
    (lines) =>
      toBytes(lines.map((line, at) => line.replace(';', at === 0 ? ';Rodzaj;' : ';osoba;'))),
  ],
];

describe('a file tells the same', () => {
  const good = makeReports();
  const reports = makeReports();
  const instead: Record<string, Buffer> = {};
  for (const [, key, write] of spellings) {
    reports[key]![3] = withFields(reports[key]![3]!, { Telefon: '700000001' });
    instead[fileName(key)] = write(reports[key]!);
  }
  const dump = (folder: string) => writeReports(folder, reports, instead);
  let second: Told;
  let third: Told;
  beforeAll(async () => {
    // The files of the third day are written in the usual way again.
    [second, third] = (await publish(baseline, dump, reports)) as [Told, Told];
  });

  test.each(spellings)('%s', (_, key) => {
    expect(second.events).toContain(phoneEvent(good[key]![3]!));
  });

  test('and nothing besides, also when it is written as before', () => {
    expect(second.rejects).toEqual([]);
    expect(second.events).toHaveLength(spellings.length);
    expect(second.counts).toEqual({ ...nothing, updated: spellings.length });
    expect(third).toEqual(silence);
  });

  test('and the columns that are not known are reported', async () => {
    const db = await baseline.open();
    expect((await runBad(db, dump, '2026-11-03')).notices).toEqual([
      { subject: 'column', value: 'Fax', rows: 8 },
      { subject: 'column', value: 'Rodzaj', rows: 8 },
    ]);
  });
});

test('a name of a column longer than an index takes is reported by its beginning', async () => {
  const reports = makeReports();
  const name = randomBytes(4000).toString('hex');
  reports.opolskie = reports.opolskie!.map((line, at) => `${line};${at === 0 ? name : ''}`);
  const db = await baseline.open();
  const dump = (folder: string) => writeReports(folder, reports);
  expect((await runBad(db, dump, '2026-11-03')).notices).toEqual([
    { subject: 'column', value: name.slice(0, 200), rows: 8 },
  ]);
});

describe('a file in Windows-1250', () => {
  const good = makeReports();
  const reports = makeReports();
  reports.podlaskie![3] = withFields(reports.podlaskie![3]!, { Telefon: '700000001' });
  const writeWith = (key: string) => (folder: string) =>
    writeReports(folder, reports, { [fileName(key)]: toWindows1250(good[key]!) });

  test('is rejected row by row where they are few, and nobody is struck off', async () => {
    const [second, third] = await publish(baseline, writeWith('opolskie'), anew(reports));
    expect(second).toEqual({
      rejects: [2, 3, 4, 5, 6, 7, 8, 9].map(
        (line) => `${fileName('opolskie')}, line ${line}: not UTF-8`,
      ),
      events: [phoneEvent(good.podlaskie![3]!)],
      counts: { new: 0, updated: 1, deleted: 0, waiting: 8 },
    });
    expect(third).toEqual(silence);
  });

  test('is refused where they are many', async () => {
    const db = await baseline.open();
    expect(await refuse(db, writeWith('śląskie'))).toBe(
      `600 of 2,012 rows were rejected: 29.82 %, the limit is 0.5 %; the first is ` +
        `${fileName('śląskie')}, line 2: not UTF-8`,
    );
  });
});

/** Returns lines in the encoding Windows-1250. The function converts no letters outside ASCII except ł, Ł, ó and ź. */
function toWindows1250(lines: readonly string[]): Buffer {
  const letters: Record<string, number> = { ł: 0xb3, Ł: 0xa3, ó: 0xf3, ź: 0x9f };
  const text = lines.map((line) => `${line}\r\n`).join('');
  return Buffer.from(Array.from(text, (letter) => letters[letter] ?? letter.charCodeAt(0)));
}

function mixed(lines: readonly string[]): Buffer {
  return Buffer.from(`\uFEFF${lines.map((line, at) => line + (at % 2 ? '\n' : '\r\n')).join('')}`);
}

function quoteAll(line: string): string {
  return line
    .split(';')
    .map((field) => `"${field}"`)
    .join(';');
}
