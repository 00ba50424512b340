import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeZip } from '../../fixtures/dump/bad-dump.ts';
import { type InflateBounds, inflateBounds, readArchive } from './archive.ts';
import { Refusal } from '../errors.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-archive-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(file: string, bytes: Buffer, bounds?: InflateBounds): Promise<Buffer> {
  const path = join(folder, file);
  await writeFile(path, bytes);
  const chunks: Buffer[] = [];
  for await (const chunk of readArchive(path, bounds)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const content = Buffer.from('Zażółć gęślą jaźń\r\n'.repeat(100_000));

describe('readArchive', () => {
  test.each([
    ['a.csv', content],
    ['a.zip', makeZip({ content })],
    ['stored.zip', makeZip({ content, method: 0 })],
    ['a.csv.gz', gzipSync(content)],
    ['A.ZIP', makeZip({ content })],
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

  test('bounds the inflated bytes, however well they are packed', async () => {
    const bounds = { ...inflateBounds, bytes: 100_000 };
    const sentence = 'inflates to more than 100,000 bytes, the limit';
    await expect(read('b.zip', makeZip({ content }), bounds)).rejects.toThrow(sentence);
    await expect(read('b.zip', makeZip({ content, method: 0 }), bounds)).rejects.toThrow(sentence);
    await expect(read('b.gz', gzipSync(content), bounds)).rejects.toThrow(sentence);
  });
});
