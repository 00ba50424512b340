import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  columns,
  fileName,
  header,
  makeReports,
  makeRow,
  reorder,
  type Reports,
  toBytes,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import { type Baseline, publishBaseline, refuse, runBad } from '../../fixtures/dump/bad-night.ts';
import { verify } from '../night/verify.ts';
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
      "line 1: the header lacks 'RokPKD'; with a reason, what it tells stays as it was",
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

describe('a file that lacks a column', () => {
  const reason = 'CEIDG has dropped it';
  const written = makeRow(9000);

  /** The reports of the next day with a new entry, and without some columns in one of them. */
  function nextWithout(...names: string[]) {
    const reports = nextDay();
    reports.opolskie!.push(written);
    reports.opolskie![4] = withFields(reports.opolskie![4]!, { Email: 'neu@u4.example.pl' });
    const left = columns.filter((name) => !names.includes(name));
    const bytes = toBytes(reorder(reports.opolskie!, left));
    return (folder: string) => writeReports(folder, reports, { [opolskie]: bytes });
  }

  async function readEvents({ pool }: TestDatabase, date: string): Promise<string[]> {
    const { rows } = await pool.query<{ event_type: string }>(
      'select event_type from registry.event where event_date = $1 order by event_type',
      [date],
    );
    return rows.map(({ event_type }) => event_type);
  }

  test('leaves what it tells as it was, with a reason, and tells it when the column is back', async () => {
    const db = await baseline.open();
    try {
      const dump = nextWithout('Email', 'Ulica', 'PozostaleKodyPkd', 'StatusDzialalnosci');
      const { notices } = await runBad(db, dump, '2026-11-03', { reason });
      expect(notices).toMatchObject([
        { subject: 'missing column', value: 'Email' },
        { subject: 'missing column', value: 'PozostaleKodyPkd' },
        { subject: 'missing column', value: 'StatusDzialalnosci' },
        { subject: 'missing column', value: 'Ulica' },
      ]);
      expect(await readEvents(db, '2026-11-03')).toEqual(['COMPANY_PHONE_CHANGED']);
      expect(await verify(db, 'ceidg')).toEqual([]);
      await runBad(db, nextWithout(), '2026-11-04');
      expect(await readEvents(db, '2026-11-04')).toEqual(['COMPANY_EMAIL_CHANGED']);
      expect(await verify(db, 'ceidg')).toEqual([]);
    } finally {
      await db.drop();
    }
  });

  test('strikes nobody off who has no number, where the names are missing', async () => {
    const anonymous = (reports: Reports) => {
      reports.opolskie![5] = withFields(reports.opolskie![5]!, { Nip: '', Regon: '' });
      return reports;
    };
    const first = await publishBaseline(anonymous(makeReports()));
    const db = await first.open();
    try {
      const reports = anonymous(nextDay());
      const bytes = toBytes(
        reorder(
          reports.opolskie!,
          columns.filter((name) => name !== 'Nazwisko' && name !== 'DataRozpoczeciaDzialalnosci'),
        ),
      );
      const dump = (folder: string) => writeReports(folder, reports, { [opolskie]: bytes });
      const summary = await runBad(db, dump, '2026-11-03', { reason });
      expect(summary).toMatchObject({ rejected: 1, new: 0, deleted: 0, waiting: 1, events: 1 });
      expect(await verify(db, 'ceidg')).toEqual([]);
    } finally {
      await db.drop();
      await first.drop();
    }
  });
});
