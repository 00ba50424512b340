import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  columns,
  fileName,
  header,
  makeFolder,
  makeNextDay,
  makeReports,
  makeRow,
  reorder,
  type Reports,
  toBytes,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import { publishBaseline, refuse, runBad } from '../../fixtures/dump/bad-night.ts';
import { Refusal } from '../errors.ts';
import { verify } from '../night/verify.ts';
import { loadSource, type TableSource } from '../sources/source.ts';
import { readDump } from '../../fixtures/dump/in-stage.ts';
import { FileReader } from './file-reader.ts';
import { KnownFingerprints } from './known-fingerprints.ts';
import type { TestDatabase } from '../../fixtures/database/test-database.ts';

const opolskie = fileName('opolskie');

const baseline = await publishBaseline();

async function readWhole(reader: FileReader): Promise<void> {
  for await (const _ of reader.read());
}

function toUtf16(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString(), 'utf16le');
}

describe('a file is refused', () => {
  let folder: string;
  let table: TableSource;
  beforeAll(async () => {
    folder = await makeFolder();
    table = (await loadSource('ceidg')) as TableSource;
  });

  const lines = makeNextDay().opolskie!;
  const rows = lines.slice(1);
  const lacksAll = `the header lacks ${columns
    .slice(1)
    .map((name) => `'${name}'`)
    .join(', ')}`;
  const unreadable = 'the header cannot be read';
  const noText = 'the header is not UTF-8 text';
  const twice = "the column 'Łódź' is there twice";
  const joined = lines.map((line) => line.replaceAll(';', ','));
  const long = `${header};${'x'.repeat(33_000)}`;

  test.each<[what: string, bytes: Buffer, reason: string]>([
    [
      'whose header spells a column in another way',
      toBytes([header.replace('Nip;Regon', 'NIP;REGON'), ...rows]),
      "the header lacks 'Nip', 'Regon'",
    ],
    [
      'whose header has a column twice',
      toBytes([header.replace('AdresWWW', 'Email'), ...rows]),
      "the column 'Email' is there twice",
    ],
    ['whose columns are separated by commas', toBytes(joined), lacksAll],
    ['of one column', toBytes(['Lp', '1']), lacksAll],
    ['without a header', toBytes(rows), twice],
    ['whose lines end as on an old Macintosh', toBytes(lines, '\r'), twice],
    ['whose header is blank', toBytes(['', ...lines]), unreadable],
    ['whose header has a quote that never closes', toBytes([`"${header}`, ...rows]), unreadable],
    [
      'whose header is too long',
      toBytes([long, ...rows]),
      `${unreadable}, longer than 32,768 bytes`,
    ],
    ['of nothing but a byte order mark', toBytes([]), unreadable],
    ['whose header has a NUL byte', toBytes([`${header};\0`, ...rows]), noText],
    ['in UTF-16', toUtf16(toBytes(lines)), noText],
    ['in big-endian UTF-16', toUtf16(toBytes(lines)).swap16(), noText],
    ['in UTF-16 without a mark', toUtf16(toBytes(lines)).subarray(2), noText],
  ])('%s', async (_, bytes, reason) => {
    await writeFile(join(folder, opolskie), bytes);
    const { files } = await readDump(table, folder);
    const reading = readWhole(new FileReader(table, files[0]!, new KnownFingerprints()));
    await expect(reading).rejects.toThrow(new Refusal(`${opolskie}, line 1: ${reason}`));
  });
});

describe('a file that lacks a column', () => {
  const reason = 'CEIDG has dropped it';
  const written = makeRow(9000);

  /**
   * Returns a function that writes the next day's reports with a new entry, and omits the columns `names` in opolskie.
   */
  function nextWithout(...names: string[]) {
    const reports = makeNextDay();
    reports.opolskie!.push(written);
    reports.opolskie![4] = withFields(reports.opolskie![4]!, { Email: 'neu@u4.example.pl' });
    return without(reports, ...names);
  }

  /** Returns a function that writes the given reports; the report of opolskie lacks the columns `names`. */
  function without(reports: Reports, ...names: string[]) {
    const left = columns.filter((name) => !names.includes(name));
    const bytes = toBytes(reorder(reports.opolskie!, left));
    return (folder: string) => writeReports(folder, reports, { [opolskie]: bytes });
  }

  test('is refused without a reason', async () => {
    const db = await baseline.open();
    expect(await refuse(db, nextWithout('RokPKD'))).toBe(
      `${opolskie}, line 1: the header lacks 'RokPKD'; with a reason, what it tells stays as it was`,
    );
  });

  async function readEvents({ pool }: TestDatabase, date: string): Promise<string[]> {
    const { rows } = await pool.query<{ event_type: string }>(
      'select event_type from registry.event where event_date = $1 order by event_type',
      [date],
    );
    return rows.map(({ event_type }) => event_type);
  }

  test('leaves what it tells as it was, with a reason, and tells it when the column is back', async () => {
    const db = await baseline.open();
    const dump = nextWithout('Email', 'Ulica', 'PozostaleKodyPkd', 'StatusDzialalnosci');
    const { notices } = await runBad(db, dump, '2026-11-03', { reason });
    const missing = ['Email', 'PozostaleKodyPkd', 'StatusDzialalnosci', 'Ulica'];
    expect(notices).toMatchObject(missing.map((value) => ({ subject: 'missing column', value })));
    expect(await readEvents(db, '2026-11-03')).toEqual(['COMPANY_PHONE_CHANGED']);
    expect(await verify(db, 'ceidg')).toEqual([]);
    await runBad(db, nextWithout(), '2026-11-04');
    // The event of the new entry is published only now, because the previous dump lacked the column of the status.
    const told = ['COMPANY_EMAIL_CHANGED', 'COMPANY_REGISTERED'];
    expect(await readEvents(db, '2026-11-04')).toEqual(told);
    expect(await verify(db, 'ceidg')).toEqual([]);
  });

  test('invents no event about a new entry, whose values become known with the column', async () => {
    const db = await baseline.open();
    await runBad(db, nextWithout('Email', 'Ulica'), '2026-11-03', { reason });
    const { rows } = await db.pool.query('select distinct unstated from registry.entry order by 1');
    expect(rows).toEqual([{ unstated: ['address', 'e-mail'] }, { unstated: null }]);
    await runBad(db, nextWithout(), '2026-11-04');
    expect(await readEvents(db, '2026-11-04')).toEqual(['COMPANY_EMAIL_CHANGED']);
  });

  test('strikes nobody off who has no number, where the names are missing', async () => {
    const anonymous = (reports: Reports) => {
      reports.opolskie![5] = withFields(reports.opolskie![5]!, { Nip: '', Regon: '' });
      return reports;
    };
    const first = await publishBaseline(anonymous(makeReports()));
    const db = await first.open();
    const reports = anonymous(makeNextDay());
    const dump = without(reports, 'Nazwisko', 'DataRozpoczeciaDzialalnosci');
    const summary = await runBad(db, dump, '2026-11-03', { reason });
    expect(summary).toMatchObject({ rejected: 1, new: 0, deleted: 0, waiting: 1, events: 1 });
    expect(await verify(db, 'ceidg')).toEqual([]);
  });
});
