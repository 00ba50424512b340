import { appendFileSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  fileName,
  header,
  makeNextDay,
  makeReports,
  makeRow,
  makeZip,
  toBytes,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import { refuse, publishBaseline, runBad } from '../../fixtures/dump/bad-night.ts';
import { dumpTables, runDump } from '../../fixtures/dump/night.ts';
import type { TestDatabase } from '../../fixtures/database/test-database.ts';
import { NothingToDo, Refusal } from '../errors.ts';
import type { NightOptions } from '../night/context.ts';
import { Reporter } from '../night/reporter.ts';

const mazowieckie = fileName('mazowieckie');
const opolskie = fileName('opolskie');

const baseline = await publishBaseline();

function writeWith(instead: Record<string, Buffer | null>) {
  return (folder: string) => writeReports(folder, makeNextDay(), instead);
}

describe('a folder is refused', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await baseline.open();
  });

  const opolskieZip = fileName('opolskie', 'zip');
  const śląskie = fileName('śląskie');
  const lwowskie = 'Zarejestrowane działalności - województwo lwowskie.csv';
  const nothing = toBytes([header]);
  const html = Buffer.from('<!doctype html>\n<title>503</title>\n');
  const damaged = makeZip({ content: nothing, crc: 0x12345678 });
  test.each<[string, Record<string, Buffer | null>, string | RegExp]>([
    [
      'that lacks one of the 17 reports, even a small one',
      { [opolskie]: null },
      `${opolskie} is missing: it held 8 entries last time`,
    ],
    [
      'with two files for one voivodeship',
      { [opolskieZip]: Buffer.from('PK') },
      /^(.*opolskie)\.(csv|zip) and \1\.(csv|zip): two files for one part of the dump$/,
    ],
    [
      'with one report under two spellings of its name',
      { [śląskie.normalize('NFD')]: nothing },
      `${śląskie} and ${śląskie}: two files for one part of the dump`,
    ],
    [
      'with a report of no voivodeship that there is',
      { [lwowskie]: nothing },
      `${lwowskie}: the name of the file holds no voivodeship`,
    ],
    [
      'with an empty file',
      { [opolskie]: Buffer.alloc(0) },
      `${opolskie}: an empty file, without a header`,
    ],
    [
      'with a file that holds a header and no more',
      { [śląskie]: nothing },
      /śląskie\.csv: 600 of 600 entries vanished: 100\.00 %, the limit is 2 %/,
    ],
    [
      'where a report is the page of an error',
      { [opolskie]: html },
      new RegExp(`^${opolskie}, line 1: the header lacks 'Nip', 'Regon', `),
    ],
  ])('%s', async (_, instead, sentence) => {
    const message = await refuse(db, writeWith(instead));
    if (typeof sentence === 'string') expect(message).toBe(sentence);
    else expect(message).toMatch(sentence);
  });

  test.each<[string, (path: string) => Promise<unknown>]>([
    ['folder', (path) => mkdir(path)],
    ['link, wherever it leads', (path) => symlink(fileName('mazowieckie'), path)],
  ])('where a report is a %s', async (_, make) => {
    const dump = async (folder: string) => {
      await writeWith({ [opolskie]: null })(folder);
      await make(join(folder, opolskie));
    };
    expect(await refuse(db, dump)).toBe(`${opolskie}: not a regular file`);
  });

  test.each<[string, (folder: string) => void, RegExp]>([
    [
      'to which somebody writes',
      (folder) => appendFileSync(join(folder, mazowieckie), makeRow(9000)),
      new RegExp(`^${mazowieckie}: it changed while it was read$`),
    ],
    [
      'from which somebody takes a file',
      (folder) => rmSync(join(folder, opolskie), { force: true }),
      new RegExp(`^${opolskie}: (ENOENT|it changed while it was read)`),
    ],
  ])('%s while it is read', async (_, change, sentence) => {
    let folder = '';
    const reporter = Object.assign(new Reporter(), { progress: () => change(folder) });
    const dump = (made: string) => writeReports((folder = made), makeNextDay());
    expect(await refuse(db, dump, { reporter })).toMatch(sentence);
  });

  test('with a damaged archive, whatever reason is given', async () => {
    const dump = writeWith({ [opolskie]: null, [opolskieZip]: damaged });
    const sentence = `${opolskieZip}: wrong CRC-32, the archive is damaged`;
    expect(await refuse(db, dump, { reason: 'we want it all the same' })).toBe(sentence);
  });

  test('but not for what the machine cannot read: that is a fault', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-unreadable-'));
    // Reading `/proc/self/mem` fails with EIO. The night follows a symbolic link that is itself the path of the dump.
    await symlink('/proc/self/mem', join(folder, opolskie));
    const run = runDump(db, join(folder, opolskie), '2026-11-03');
    const error: unknown = await run.catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(Refusal);
    expect((error as Error).message).toBe(`${opolskie}: EIO: i/o error, read`);
  });

  test('and the right dump of that day is published all the same', async () => {
    const summary = await runBad(db, makeNextDay(), '2026-11-03');
    expect(summary).toMatchObject({ state: 'published', events: 1, updated: 1, rejected: 0 });
  });
});

describe('a dump is refused for its date', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await baseline.open();
    await runBad(db, makeNextDay(), '2026-11-04');
  });

  const future = 'The dump date 2026-11-21 is in the future; today is 2026-11-20';
  const older = 'The dump of 2026-11-03 is older than the newest published one, of 2026-11-04';
  const another = 'Another ceidg dump of 2026-11-02 is published already';
  test.each<[string, Partial<NightOptions>, string]>([
    ['in the future', { dump_date: '2026-11-21', reason: 'x' }, future],
    ['older than the newest published one', { dump_date: '2026-11-03' }, older],
    ['published with other bytes, also where a newer one is', { dump_date: '2026-11-02' }, another],
  ])('that is %s', async (_, options, sentence) => {
    expect(await refuse(db, makeNextDay(), options)).toBe(sentence);
  });

  test('but there is nothing to do where it is published with these bytes', async () => {
    const before = await dumpTables(db);
    const { rows: runs } = await db.pool.query('select run_id from registry.run');
    await expect(runBad(db, makeReports(), '2026-11-02')).rejects.toThrow(NothingToDo);
    await expect(runBad(db, makeNextDay(), '2026-11-04')).rejects.toThrow(NothingToDo);
    expect(await dumpTables(db)).toEqual(before);
    expect((await db.pool.query('select run_id from registry.run')).rows).toEqual(runs);
  });
});

test('a dump is published with decomposed names, in any format, and beside files of no concern', async () => {
  const db = await baseline.open();
  const { notices, ...counts } = await runBad(db, writeDecomposed, '2026-11-03');
  expect(counts).toMatchObject({ events: 1, updated: 1, rejected: 0 });
  expect(notices.map(({ subject, value }) => `${subject} ${value}`)).toEqual([
    'file Thumbs.db',
    'file Złożone wnioski - województwo śląskie.csv',
    'file old',
  ]);
});

async function writeDecomposed(folder: string): Promise<void> {
  const decomposed: Record<string, Buffer | null> = {};
  for (const [key, lines] of Object.entries(makeNextDay())) {
    decomposed[fileName(key)] = null;
    const content = toBytes(lines);
    const zip = fileName(key, 'zip').normalize('NFD');
    if (key === 'opolskie') decomposed[zip] = makeZip({ content });
    else if (key === 'śląskie') decomposed[fileName(key, 'csv.gz')] = gzipSync(content);
    else decomposed[fileName(key).normalize('NFD')] = content;
  }
  decomposed['Złożone wnioski - województwo śląskie.csv'.normalize('NFD')] = toBytes(['?']);
  decomposed['Thumbs.db'] = Buffer.from('?');
  await writeReports(folder, {}, decomposed);
  await mkdir(join(folder, 'old'));
}
