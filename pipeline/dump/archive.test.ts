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
const short = deflateRawSync(content).subarray(0, -100);
const noEnd =
  'End of central directory record signature not found. Either not a zip file, or file is truncated.';
const early = 'unexpected end of file';
const wrongCrc = 'wrong CRC-32, the archive is damaged';
const tooSmall = 'inflates to more than 200 times its size, which no report does';
const unknownMethod = 'zip compression method 12 is not known';
const leadsOut = 'invalid relative path: ../report.csv';

describe('readArchive', () => {
  test.each<[file: string, bytes: Buffer, inflated?: string]>([
    ['a.csv', content],
    ['a.zip', deflated],
    ['A.ZIP', deflated],
    ['stored.zip', stored],
    ['folder.zip', makeZip(empty, { name: 'reports/any name.txt', content })],
    ['a.csv.gz', gzipped],
    [
      'two.gz',
      Buffer.concat([content.subarray(0, 9), content.subarray(9)].map((it) => gzipSync(it))),
    ],
    ['empty.csv', Buffer.alloc(0), ''],
    ['short.csv', Buffer.from('P'), 'P'],
    ['empty.zip', makeZip({ content: Buffer.alloc(0) }), ''],
  ])('gives the bytes of %s', async (file, bytes, inflated) => {
    const expected = inflated === undefined ? content : Buffer.from(inflated);
    expect((await read(file, bytes)).equals(expected)).toBe(true);
  });

  const longer = content.length + 1;
  test.each<[what: string, bytes: Buffer, reason: string]>([
    ['a zip without its end', deflated.subarray(0, deflated.length * 0.9), noEnd],
    ['a zip whose data end too early', makeZip({ content, packed: short }), early],
    [
      'a zip with fewer bytes than it says',
      makeZip({ content, inflated_bytes: longer }),
      '3,900,000 bytes instead of 3,900,001, truncated',
    ],
    ['a zip with another CRC-32', makeZip({ content, crc: 0x12345678 }), wrongCrc],
    ['a zip with two digits changed', twoBytesChanged, wrongCrc],
    [
      'a zip with two files',
      makeZip({ content }, { name: 'second.csv', content }),
      'more than one file in the zip',
    ],
    ['a zip without a file', makeZip(), 'an empty zip file'],
    ['a zip with nothing but a folder', makeZip(empty), 'an empty zip file'],
    ['an encrypted zip', makeZip({ content, isEncrypted: true }), 'an encrypted zip'],
    ['a zip of an unknown method', makeZip({ content, method: 12 }), unknownMethod],
    ['a zip whose file leads out of it', makeZip({ name: '../report.csv', content }), leadsOut],
    ['a zip that is a bare file', content, noEnd],
    ['a zip of no byte', Buffer.alloc(0), noEnd],
    ['a zip bomb', makeZip({ content: bomb }), tooSmall],
    ['a gz file that is a zip', deflated, 'incorrect header check'],
    ['a gz file of no byte', Buffer.alloc(0), early],
    ['a gz file without its end', gzipped.subarray(0, -2000), early],
    ['a gz file without its last byte', gzipped.subarray(0, -1), early],
    ['a gz file with another CRC-32', otherCrc, 'incorrect data check'],
    ['a gz bomb', gzipSync(bomb), tooSmall],
  ])('refuses %s', async (what, bytes, reason) => {
    const file = /^an? gz/.test(what) ? 'a.gz' : 'a.zip';
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
    await expect(reading).rejects.toThrow(`bomb.zip: ${tooSmall}`);
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
