import { appendFileSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  fileName,
  header,
  makeReports,
  makeRow,
  type Reports,
  toBytes,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import { type Baseline, refuse, publishBaseline, runBad } from '../../fixtures/dump/bad-night.ts';
import { dumpTables, runDump } from '../../fixtures/dump/night.ts';
import type { TestDatabase } from '../../fixtures/database/test-database.ts';
import { NothingToDo, Refusal, WrongUsage } from '../errors.ts';
import { NightReporter } from '../night/reporter.ts';

const mazowieckie = fileName('mazowieckie');
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

function writeWith(instead: Record<string, Buffer | null>) {
  return (folder: string) => writeReports(folder, nextDay(), instead);
}

/** Runs a night over what is no dump; gives what it says. */
async function misuse(
  database: TestDatabase,
  dump: (folder: string) => Promise<void>,
): Promise<string> {
  const runs = () => database.pool.query('select from registry.run');
  const before = (await runs()).rowCount;
  const error: unknown = await runBad(database, dump, '2026-11-03').catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WrongUsage);
  expect((await runs()).rowCount).toBe(before);
  return (error as Error).message;
}

describe('a folder is no dump, and makes no run', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await baseline.open();
  });
  afterAll(() => db.drop());

  test('that is empty', async () => {
    expect(await misuse(db, () => Promise.resolve())).toMatch(/^\/.*: an empty folder$/);
  });

  test('that is not there', async () => {
    expect(await misuse(db, (folder) => rm(folder, { recursive: true }))).toMatch(
      /^\/.*: no such file$/,
    );
  });

  test('without any report', async () =>
    expect(
      await misuse(db, (folder) => writeFile(join(folder, 'read me.txt'), 'Ala ma kota')),
    ).toMatch(/^\/.*: no file of a ceidg dump in it$/));

  test('with nothing but the other kind of report', async () =>
    expect(
      await misuse(db, (folder) =>
        writeFile(join(folder, 'Złożone wnioski - województwo śląskie.csv'), toBytes([header])),
      ),
    ).toMatch(/^\/.*: no file of a ceidg dump in it$/));
});

describe('a folder is refused', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await baseline.open();
  });
  afterAll(() => db.drop());

  test('that lacks one of the 17 reports, even a small one', async () => {
    expect(await refuse(db, writeWith({ [opolskie]: null }))).toBe(
      `${opolskie} is missing: it held 8 entries last time`,
    );
  });

  test('with two files for one voivodeship', async () =>
    expect(
      await refuse(db, writeWith({ [fileName('opolskie', 'zip')]: Buffer.from('PK') })),
    ).toMatch(/^(.*opolskie)\.(csv|zip) and \1\.(csv|zip): two files for one part of the dump$/));

  test('with one report under two spellings of its name', async () =>
    expect(
      await refuse(db, writeWith({ [fileName('śląskie').normalize('NFD')]: toBytes([header]) })),
    ).toBe(
      `${fileName('śląskie')} and ${fileName('śląskie')}: two files for one part of the dump`,
    ));

  test('with a report of no voivodeship that there is', async () =>
    expect(
      await refuse(
        db,
        writeWith({ 'Zarejestrowane działalności - województwo lwowskie.csv': toBytes([header]) }),
      ),
    ).toBe(
      'Zarejestrowane działalności - województwo lwowskie.csv: the name of the file holds no voivodeship',
    ));

  test('where a report is a folder', async () =>
    expect(
      await refuse(db, async (folder) => {
        await writeReports(folder, nextDay(), { [opolskie]: null });
        await mkdir(join(folder, opolskie));
      }),
    ).toBe(`${opolskie}: not a regular file`));

  test('where a report is a link, wherever it leads', async () =>
    expect(
      await refuse(db, async (folder) => {
        await writeReports(folder, nextDay(), { [opolskie]: null });
        await symlink(join(folder, mazowieckie), join(folder, opolskie));
      }),
    ).toBe(`${opolskie}: not a regular file`));

  test('with an empty file', async () => {
    expect(await refuse(db, writeWith({ [opolskie]: Buffer.alloc(0) }))).toBe(
      `${opolskie}: an empty file, without a header`,
    );
  });

  test('with a file that holds a header and no more', async () => {
    expect(await refuse(db, writeWith({ [fileName('śląskie')]: toBytes([header]) }))).toMatch(
      /śląskie\.csv: 600 of 600 entries vanished: 100\.00 %, the limit is 2 %/,
    );
  });

  test('where a report is the page of an error', async () =>
    expect(
      await refuse(
        db,
        writeWith({ [opolskie]: Buffer.from('<!doctype html>\n<title>503</title>\n') }),
      ),
    ).toMatch(new RegExp(`^${opolskie}, line 1: the header lacks 'Nip', 'Regon', `)));

  test('to which somebody writes while it is read', async () => {
    let folder = '';
    const progress = () => appendFileSync(join(folder, mazowieckie), makeRow(9000));
    expect(
      await refuse(db, (made) => writeReports((folder = made), nextDay()), {
        reporter: Object.assign(new NightReporter(), { progress }),
      }),
    ).toBe(`${mazowieckie}: it changed while it was read`);
  });

  test('from which somebody takes a file while it is read', async () => {
    let folder = '';
    const progress = () => rmSync(join(folder, opolskie), { force: true });
    expect(
      await refuse(db, (made) => writeReports((folder = made), nextDay()), {
        reporter: Object.assign(new NightReporter(), { progress }),
      }),
    ).toMatch(new RegExp(`^${opolskie}: (ENOENT|it changed while it was read)`));
  });

  test('but not for what the machine cannot read: that is a fault', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-unreadable-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    // Its first page is never mapped: reading it gives EIO. A link that is named itself is followed.
    await symlink('/proc/self/mem', join(folder, opolskie));
    const run = runDump(db, join(folder, opolskie), '2026-11-03');
    const error: unknown = await run.catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(Refusal);
    expect((error as Error).message).toBe(`${opolskie}: EIO: i/o error, read`);
  });

  test('and the right dump of that day is published all the same', async () => {
    const summary = await runBad(db, nextDay(), '2026-11-03');
    expect(summary).toMatchObject({ state: 'published', events: 1, updated: 1, rejected: 0 });
  });
});

describe('a dump is refused for its date', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await baseline.open();
    await runBad(db, nextDay(), '2026-11-04');
  });
  afterAll(() => db.drop());

  test('that is in the future', async () => {
    expect(await refuse(db, makeReports(), { dump_date: '2026-11-21' })).toBe(
      'The dump date 2026-11-21 is in the future; today is 2026-11-20',
    );
  });

  test('that is older than the newest published one', async () => {
    expect(await refuse(db, nextDay(), { dump_date: '2026-11-03' })).toBe(
      'The dump of 2026-11-03 is older than the newest published one, of 2026-11-04',
    );
  });

  test('that is published with other bytes', async () =>
    expect(
      await refuse(db, makeReports(), {
        dump_date: '2026-11-04',
      }),
    ).toBe('Another ceidg dump of 2026-11-04 is published already'));

  test('that is published with other bytes, also where a newer one is', async () =>
    expect(
      await refuse(db, nextDay(), {
        dump_date: '2026-11-02',
      }),
    ).toBe('Another ceidg dump of 2026-11-02 is published already'));

  test('but there is nothing to do where it is published with these bytes', async () => {
    const before = await dumpTables(db);
    const { rows: runs } = await db.pool.query('select run_id from registry.run');
    await expect(runBad(db, makeReports(), '2026-11-02')).rejects.toThrow(NothingToDo);
    await expect(runBad(db, nextDay(), '2026-11-04')).rejects.toThrow(NothingToDo);
    expect(await dumpTables(db)).toEqual(before);
    expect((await db.pool.query('select run_id from registry.run')).rows).toEqual(runs);
  });

  test('and no reason accepts it', async () =>
    expect(
      await refuse(db, makeReports(), {
        dump_date: '2026-11-21',
        reason: 'we are ahead of our time',
      }),
    ).toMatch(/in the future/));
});

describe('a dump is published', () => {
  test('with decomposed names of its files, and beside files of no concern', async () => {
    const db = await baseline.open();
    try {
      const summary = await runBad(db, writeDecomposed, '2026-11-03');
      expect(summary).toMatchObject({ events: 1, updated: 1, rejected: 0 });
      expect(summary.notices).toEqual([
        { subject: 'file', value: 'Thumbs.db', rows: 0 },
        { subject: 'file', value: 'Złożone wnioski - województwo śląskie.csv', rows: 0 },
        { subject: 'file', value: 'old', rows: 0 },
      ]);
    } finally {
      await db.drop();
    }
  });
});

async function writeDecomposed(folder: string): Promise<void> {
  const decomposed: Record<string, Buffer | null> = {};
  for (const [key, lines] of Object.entries(nextDay())) {
    decomposed[fileName(key)] = null;
    decomposed[fileName(key).normalize('NFD')] = toBytes(lines);
  }
  decomposed['Złożone wnioski - województwo śląskie.csv'.normalize('NFD')] = toBytes(['?']);
  decomposed['Thumbs.db'] = Buffer.from('?');
  await writeReports(folder, {}, decomposed);
  await mkdir(join(folder, 'old'));
}
