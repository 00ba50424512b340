import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { makeZip } from '../../fixtures/dump/bad-dump.ts';
import { type InflateBounds, inflateBounds, readArchive } from './archive.ts';
import { Refusal } from '../errors.ts';

const folder = await mkdtemp(join(tmpdir(), 'registry-archive-'));

async function read(file: string, bytes: Buffer, bounds?: InflateBounds): Promise<Buffer> {
  const path = join(folder, file);
  await writeFile(path, bytes);
  const chunks: Buffer[] = [];
  for await (const chunk of readArchive(path, bounds)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

async function refuse(file: string, bytes: Buffer, bounds?: InflateBounds): Promise<string> {
  const error: unknown = await read(file, bytes, bounds).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Refusal);
  return (error as Refusal).message;
}

const content = Buffer.from('Zażółć gęślą jaźń 0123456789\r\n'.repeat(100_000));
const stored = makeZip({ content, method: 0 });
const deflated = makeZip({ content });
const gzipped = gzipSync(content);
const bomb = Buffer.alloc(70 * 1024 ** 2, '\r\n');
const twoBytesChanged = Buffer.from(stored);
twoBytesChanged.write('76', stored.indexOf('0123456789'));
const empty = { name: 'reports/', content: Buffer.alloc(0), method: 0 };
const otherCrc = Buffer.concat([gzipped.subarray(0, -8), Buffer.alloc(4, 1), gzipped.subarray(-4)]);
const noEnd =
  'End of central directory record signature not found. Either not a zip file, or file is truncated.';
const tooSmall = 'inflates to more than 200 times its size, which no report does';

describe('readArchive', () => {
  test.each([
    ['a.csv', content],
    ['a.zip', deflated],
    ['A.ZIP', deflated],
    ['stored.zip', stored],
    ['folder.zip', makeZip(empty, { name: 'reports/any name.txt', content })],
    ['a.csv.gz', gzipped],
    [
      'two.gz',
      Buffer.concat([gzipSync(content.subarray(0, 5000)), gzipSync(content.subarray(5000))]),
    ],
  ])('gives the bytes of %s', async (file, bytes) => {
    expect((await read(file, bytes)).equals(content)).toBe(true);
  });

  test.each([
    ['empty.csv', Buffer.alloc(0)],
    ['short.csv', Buffer.from('P')],
    ['empty.zip', makeZip({ content: Buffer.alloc(0) })],
  ])('gives the few bytes of %s', async (file, bytes) => {
    expect((await read(file, bytes)).length).toBeLessThan(2);
  });

  test.each<[what: string, file: string, bytes: Buffer, reason: string]>([
    ['a zip without its end', 'a.zip', deflated.subarray(0, deflated.length * 0.9), noEnd],
    [
      'a zip whose data end too early',
      'a.zip',
      makeZip({ content, packed: deflateRawSync(content).subarray(0, -100) }),
      'unexpected end of file',
    ],
    [
      'a zip with fewer bytes than it says',
      'a.zip',
      makeZip({ content, inflated_bytes: content.length + 1 }),
      '3,900,000 bytes instead of 3,900,001, truncated',
    ],
    [
      'a zip with another CRC-32',
      'a.zip',
      makeZip({ content, crc: 0x12345678 }),
      'wrong CRC-32, the archive is damaged',
    ],
    [
      'a zip with two digits changed',
      'a.zip',
      twoBytesChanged,
      'wrong CRC-32, the archive is damaged',
    ],
    [
      'a zip with two files',
      'a.zip',
      makeZip({ content }, { name: 'second.csv', content }),
      'more than one file in the zip',
    ],
    ['a zip without a file', 'a.zip', makeZip(), 'an empty zip file'],
    ['a zip with nothing but a folder', 'a.zip', makeZip(empty), 'an empty zip file'],
    ['an encrypted zip', 'a.zip', makeZip({ content, isEncrypted: true }), 'an encrypted zip'],
    [
      'a zip of an unknown method',
      'a.zip',
      makeZip({ content, method: 12 }),
      'zip compression method 12 is not known',
    ],
    [
      'a zip whose file leads out of it',
      'a.zip',
      makeZip({ name: '../report.csv', content }),
      'invalid relative path: ../report.csv',
    ],
    ['a zip that is a bare file', 'a.zip', content, noEnd],
    ['a zip of no byte', 'a.zip', Buffer.alloc(0), noEnd],
    ['a gzip file that is a zip', 'a.gz', deflated, 'incorrect header check'],
    ['a gzip file of no byte', 'a.gz', Buffer.alloc(0), 'unexpected end of file'],
    ['a gzip file without its end', 'a.gz', gzipped.subarray(0, -2000), 'unexpected end of file'],
    [
      'a gzip file without its last byte',
      'a.gz',
      gzipped.subarray(0, -1),
      'unexpected end of file',
    ],
    ['a gzip file with another CRC-32', 'a.gz', otherCrc, 'incorrect data check'],
    ['a zip bomb', 'a.zip', makeZip({ content: bomb }), tooSmall],
    ['a gzip bomb', 'a.gz', gzipSync(bomb), tooSmall],
  ])('refuses %s', async (_, file, bytes, reason) => {
    expect(await refuse(file, bytes)).toBe(`${file}: ${reason}`);
  });

  test('refuses a file that is not there, by its name', async () => {
    const reading = readArchive(join(folder, 'none.zip')).next();
    await expect(reading).rejects.toThrow(/^none\.zip: ENOENT/);
    await expect(reading).rejects.toThrow(Refusal);
  });

  test('ends a bomb as soon as it is one, whatever it says of its size', async () => {
    const bounds = { ...inflateBounds, ratio_from_bytes: 1_000_000 };
    const zeros = Buffer.alloc(5_000_000);
    const path = join(folder, 'bomb.zip');
    await writeFile(path, makeZip({ content: zeros, inflated_bytes: 1000 }));
    let size = 0;
    const reading = (async () => {
      for await (const chunk of readArchive(path, bounds)) size += chunk.length;
    })();
    await expect(reading).rejects.toThrow(
      'bomb.zip: inflates to more than 200 times its size, which no report does',
    );
    expect(size).toBeLessThan(1_300_000);
  });

  test.each([
    ['b.zip', deflated],
    ['b.zip', stored],
    ['b.gz', gzipped],
  ])('bounds the inflated bytes of %s, however well they are packed', async (file, bytes) => {
    const sentence = `${file}: inflates to more than 100,000 bytes, the limit`;
    expect(await refuse(file, bytes, { ...inflateBounds, bytes: 100_000 })).toBe(sentence);
  });
});
