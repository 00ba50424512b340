import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  columns,
  fileName,
  header,
  makeReports,
  reorder,
  type Reports,
  toBytes,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import { type Baseline, publishBaseline, refuse } from '../../fixtures/dump/bad-night.ts';
import type { TestDatabase } from '../../fixtures/database/test-database.ts';

const opolskie = fileName('opolskie');

let baseline: Baseline;
beforeAll(async () => {
  baseline = await publishBaseline();
});
afterAll(() => baseline.drop());

/** The day after the baseline: one phone has changed. */
function nextDay(): Reports {
  const reports = makeReports();
  reports.opolskie![3] = withFields(reports.opolskie![3]!, { Telefon: '700000001' });
  return reports;
}

function writeWith(bytes: Buffer) {
  return (folder: string) => writeReports(folder, nextDay(), { [opolskie]: bytes });
}

function toUtf16(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString(), 'utf16le');
}

describe('a file is refused', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await baseline.open();
  });
  afterAll(() => db.drop());

  const lines = nextDay().opolskie!;
  const rows = lines.slice(1);
  const twice = header.replace('AdresWWW', 'Email');
  const cases: [what: string, bytes: Buffer, reason: string][] = [
    [
      'whose header lacks a column',
      toBytes(
        reorder(
          lines,
          columns.filter((name) => name !== 'RokPKD'),
        ),
      ),
      "line 1: the header lacks 'RokPKD'",
    ],
    [
      'whose header spells a column in another way',
      toBytes([header.replace('Nip;Regon', 'NIP;REGON'), ...rows]),
      "line 1: the header lacks 'Nip', 'Regon'",
    ],
    [
      'whose header has a column twice',
      toBytes([twice, ...rows]),
      "line 1: the column 'Email' is there twice",
    ],
    [
      'whose columns are separated by commas',
      toBytes(lines.map((line) => line.replaceAll(';', ','))),
      'line 1: the columns are separated by commas, not by semicolons',
    ],
    [
      'whose columns are in quotes and separated by tabs',
      toBytes(lines.map((line) => `"${line.replaceAll(';', '"\t"')}"`)),
      'line 1: the columns are separated by tabs, not by semicolons',
    ],
    [
      'of one column',
      toBytes(['Lp', '1']),
      `line 1: the header lacks ${columns
        .slice(1)
        .map((name) => `'${name}'`)
        .join(', ')}`,
    ],
    ['without a header', toBytes(rows), "line 1: the column 'Łódź' is there twice"],
    ['whose header is blank', toBytes(['', ...lines]), 'line 1: the header cannot be read'],
    [
      'whose header has a quote that never closes',
      toBytes([`"${header}`, ...rows]),
      'line 1: the header cannot be read',
    ],
    [
      'whose header is too long',
      toBytes([`${header};${'x'.repeat(33_000)}`, ...rows]),
      'line 1: the header cannot be read, longer than 32,768 bytes',
    ],
    [
      'whose lines end as on an old Macintosh',
      toBytes(lines, '\r'),
      "line 1: the column 'Łódź' is there twice",
    ],
    [
      'whose header has a NUL byte',
      toBytes([`${header};\0`, ...rows]),
      'line 1: the header is not UTF-8 text',
    ],
    ['of nothing but a byte order mark', toBytes([]), 'line 1: the header cannot be read'],
    ['in UTF-16', toUtf16(toBytes(lines)), 'line 1: the header is not UTF-8 text'],
    [
      'in big-endian UTF-16',
      toUtf16(toBytes(lines)).swap16(),
      'line 1: the header is not UTF-8 text',
    ],
    [
      'in UTF-16 without a mark',
      toUtf16(toBytes(lines)).subarray(2),
      'line 1: the header is not UTF-8 text',
    ],
  ];

  test.each(cases)('%s', async (_, bytes, reason) => {
    expect(await refuse(db, writeWith(bytes))).toBe(`${opolskie}, ${reason}`);
  });
});
