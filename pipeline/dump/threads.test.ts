import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type DumpFile, readDump } from './files.ts';
import type { Fingerprint } from './fingerprint.ts';
import { KnownRecords, Prints } from './known-records.ts';
import { type FileCount, readFile, type RecordBatch } from './read-file.ts';
import { ReadingThreads } from './threads.ts';
import { Refusal } from '../errors.ts';
import { loadSource, type TableSource } from '../sources/source.ts';

let source: TableSource;
/** Two days in a row, with so many bytes said of each file that several threads are started. */
let days: DumpFile[][];

beforeAll(async () => {
  source = (await loadSource('ceidg')) as TableSource;
  days = await Promise.all(
    ['2026-11-03', '2026-11-04'].map(async (day) => {
      const folder = fileURLToPath(new URL(`../../fixtures/ceidg/${day}`, import.meta.url));
      const { files } = await readDump(source, folder);
      return files.map((file) => ({ ...file, byte_count: 100_000_000 }));
    }),
  );
});

/** What was found in a file, in one piece. */
async function gather(batches: AsyncGenerator<RecordBatch, FileCount>) {
  const found = { lines: '', rejects: [] as unknown[], read_count: 0 };
  for (;;) {
    const { done, value } = await batches.next();
    if (done) return { ...found, count: value };
    found.lines += value.lines ? Buffer.from(value.lines).toString() : '';
    found.rejects.push(...value.rejects);
    found.read_count += value.read_count;
  }
}

/** The fingerprints of the records of a day. */
async function printsOf(files: readonly DumpFile[]): Promise<Prints> {
  const prints = new Prints();
  const learning = Object.assign(new KnownRecords(0), {
    meet: ({ high, low }: Fingerprint) => {
      const bytes = Buffer.alloc(8);
      bytes.writeInt32BE(high, 0);
      bytes.writeInt32BE(low, 4);
      prints.addAll(bytes);
      return true;
    },
  });
  for (const file of files) await gather(readFile(source, file, learning));
  return prints;
}

describe('ReadingThreads', () => {
  test('find what is found without them, all files at the same time', async () => {
    const [before, after] = days as [DumpFile[], DumpFile[]];
    const prints = await printsOf(before);
    const known = new KnownRecords(prints.size);
    known.learn(prints.share(0, 1));
    const expected = [];
    for (const file of after) expected.push(await gather(readFile(source, file, known)));
    const threads = new ReadingThreads(source, after);
    onTestFinished(() => threads.close());
    const knownByThreads = await threads.learn(prints);
    const found = await Promise.all(after.map((file) => gather(threads.read(file))));
    expect(found).toEqual(expected);
    expect(found.some(({ lines }) => lines.length > 0)).toBe(true);
    expect(new Set(knownByThreads.unmet())).toEqual(new Set(known.unmet()));
    expect(new Set(known.unmet()).size).toBeGreaterThan(0);
  });

  test('refuse a file as it is refused without them, and read the others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-threads-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'Zarejestrowane działalności - województwo opolskie.csv');
    await writeFile(path, 'Lp;NIP\n1;2\n');
    const { files } = await readDump(source, folder);
    const bad = { ...files[0]!, file_no: 100 };
    const error: unknown = await gather(readFile(source, bad, new KnownRecords(0))).catch(
      (refusal: unknown) => refusal,
    );
    expect(error).toBeInstanceOf(Refusal);
    const [good] = days[0] as [DumpFile];
    const threads = new ReadingThreads(source, [good, bad]);
    onTestFinished(() => threads.close());
    const [refused, read] = await Promise.allSettled([
      gather(threads.read(bad)),
      gather(threads.read(good)),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: error });
    expect((refused as PromiseRejectedResult).reason).toBeInstanceOf(Refusal);
    expect(read).toMatchObject({ status: 'fulfilled', value: { count: { file_no: 0 } } });
  });

  test('take the SHA-256 of files, and say which cannot be read', async () => {
    const files = days.flat().map((file, file_no) => ({ ...file, file_no }));
    const gone = { ...files[0]!, file_no: files.length, path: '/nowhere.csv' };
    const threads = new ReadingThreads(source, files);
    onTestFinished(() => threads.close());
    const hashes = await Promise.all(files.map((file) => threads.hash(file)));
    const expected = files.map(({ path }) =>
      createHash('sha256').update(readFileSync(path)).digest('hex'),
    );
    expect(hashes).toEqual(expected);
    expect(files.map(({ sha256 }) => sha256)).toEqual(expected);
    await expect(threads.hash(gone)).rejects.toThrow('ENOENT');
  });

  test('leave nobody waiting when they are ended', async () => {
    const [good] = days[0] as [DumpFile];
    const threads = new ReadingThreads(source, [good]);
    const waiting = gather(threads.read(good));
    const [result] = await Promise.allSettled([waiting, threads.close()]);
    expect(result).toMatchObject({ reason: { message: 'the threads were ended' } });
    await expect(gather(threads.read(good))).rejects.toThrow('the threads were ended');
  });
});
