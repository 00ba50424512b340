import { deflateRawSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  fileName,
  header,
  makeReports,
  makeZip,
  type Reports,
  toBytes,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import { type Baseline, refuse, publishBaseline, runBad } from '../../fixtures/dump/bad-night.ts';
import { dumpTables } from '../../fixtures/dump/night.ts';
import type { TestDatabase } from '../../fixtures/database/test-database.ts';
import { figure } from '../figure.ts';

const csv = fileName('śląskie');
const zip = fileName('śląskie', 'zip');
const gz = fileName('śląskie', 'csv.gz');
const content = toBytes(nextDay().śląskie!);

let baseline: Baseline;
beforeAll(async () => {
  baseline = await publishBaseline();
});
afterAll(() => baseline.drop());

/** The day after the baseline: a phone at the end of the file in question, and one elsewhere. */
function nextDay(): Reports {
  const reports = makeReports();
  for (const [key, at] of [
    ['śląskie', 600],
    ['opolskie', 3],
  ] as const) {
    reports[key]![at] = withFields(reports[key]![at]!, { Telefon: '700000001' });
  }
  return reports;
}

/** The next day with other bytes, under a name of any format, in place of one report. */
function writeWith(file: string, bytes: Buffer) {
  return (folder: string) => writeReports(folder, nextDay(), { [csv]: null, [file]: bytes });
}

const stored = makeZip({ content, method: 0 });
const deflated = makeZip({ content });
const gzipped = gzipSync(content);
const bomb = Buffer.concat([toBytes([header]), Buffer.alloc(70 * 1024 ** 2, '\r\n')]);
const twoBytesChanged = Buffer.from(stored);
twoBytesChanged.write('01', stored.indexOf('600001500'));

const cases: [what: string, file: string, bytes: Buffer, reason: string][] = [
  [
    'a zip without its end',
    zip,
    deflated.subarray(0, deflated.length * 0.9),
    'End of central directory record signature not found. Either not a zip file, or file is truncated.',
  ],
  [
    'a zip whose data end too early',
    zip,
    makeZip({ content, packed: deflateRawSync(content).subarray(0, -100) }),
    'unexpected end of file',
  ],
  [
    'a zip with fewer bytes than it says',
    zip,
    makeZip({ content, inflated_bytes: content.length + 1 }),
    `${figure(content.length)} bytes instead of ${figure(content.length + 1)}, truncated`,
  ],
  [
    'a zip with another CRC-32',
    zip,
    makeZip({ content, crc: 0x12345678 }),
    'wrong CRC-32, the archive is damaged',
  ],
  ['a zip with two digits changed', zip, twoBytesChanged, 'wrong CRC-32, the archive is damaged'],
  [
    'a zip with two files',
    zip,
    makeZip({ content }, { name: 'second.csv', content }),
    'more than one file in the zip',
  ],
  ['a zip without a file', zip, makeZip(), 'an empty zip file'],
  [
    'a zip with nothing but a folder',
    zip,
    makeZip({ name: 'reports/', content: Buffer.alloc(0), method: 0 }),
    'an empty zip file',
  ],
  ['an encrypted zip', zip, makeZip({ content, isEncrypted: true }), 'an encrypted zip'],
  [
    'a zip of an unknown method',
    zip,
    makeZip({ content, method: 12 }),
    'zip compression method 12 is not known',
  ],
  [
    'a zip whose file leads out of it',
    zip,
    makeZip({ name: '../report.csv', content }),
    'invalid relative path: ../report.csv',
  ],
  ['a zip that is a bare file', zip, content, 'not a zip file'],
  ['a zip that is a gzip file', zip, gzipped, 'not a zip file'],
  ['a zip of no byte', zip, Buffer.alloc(0), 'not a zip file'],
  ['a gzip file that is a zip', gz, deflated, 'not a gzip file'],
  ['a gzip file of no byte', gz, Buffer.alloc(0), 'not a gzip file'],
  ['a gzip file without its end', gz, gzipped.subarray(0, -2000), 'unexpected end of file'],
  ['a gzip file without its last byte', gz, gzipped.subarray(0, -1), 'unexpected end of file'],
  [
    'a gzip file with another CRC-32',
    gz,
    Buffer.concat([gzipped.subarray(0, -8), Buffer.alloc(4, 1), gzipped.subarray(-4)]),
    'incorrect data check',
  ],
  ['a bare file that is a zip', csv, deflated, 'an archive under the name of a plain file'],
  ['a bare file that is a gzip file', csv, gzipped, 'an archive under the name of a plain file'],
  [
    'a zip bomb',
    zip,
    makeZip({ content: bomb }),
    'inflates to more than 200 times its size, which no report does',
  ],
  [
    'a gzip bomb',
    gz,
    gzipSync(bomb),
    'inflates to more than 200 times its size, which no report does',
  ],
];

describe('a dump is refused that holds', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await baseline.open();
  });
  afterAll(() => db.drop());

  test.each(cases)('%s', async (_, file, bytes, reason) => {
    expect(await refuse(db, writeWith(file, bytes))).toBe(`${file}: ${reason}`);
  });

  test('a damaged archive, although a reason to accept it is given', async () =>
    expect(
      await refuse(db, writeWith(zip, twoBytesChanged), { reason: 'we want it all the same' }),
    ).toBe(`${zip}: wrong CRC-32, the archive is damaged`));
});

describe('a report says the same', () => {
  let expected: Record<string, string[]>;
  beforeAll(async () => {
    expected = await publishAs(csv, content);
  });

  test.each([
    ['deflated in a zip', zip, deflated],
    ['stored in a zip', zip, stored],
    [
      'in a zip with a folder',
      zip,
      makeZip(
        { name: 'reports/', content: Buffer.alloc(0), method: 0 },
        { name: 'reports/any name.txt', content },
      ),
    ],
    ['in a gzip file', gz, gzipped],
    ['in a gzip file of two members', gz, inTwoMembers(content)],
    ['in a zip of an upper-case name', zip.replace('.zip', '.ZIP'), deflated],
  ])('%s', async (_, file, bytes) => {
    expect(await publishAs(file, bytes)).toEqual(expected);
  });
});

async function publishAs(file: string, bytes: Buffer): Promise<Record<string, string[]>> {
  const db = await baseline.open();
  try {
    const summary = await runBad(db, writeWith(file, bytes), '2026-11-03');
    expect(summary).toMatchObject({ events: 2, updated: 2, rejected: 0 });
    return await dumpTables(db);
  } finally {
    await db.drop();
  }
}

function inTwoMembers(bytes: Buffer): Buffer {
  return Buffer.concat([gzipSync(bytes.subarray(0, 5000)), gzipSync(bytes.subarray(5000))]);
}
