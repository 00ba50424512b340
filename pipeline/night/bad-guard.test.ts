import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  fileName,
  makeReports,
  makeRow,
  makeZip,
  type Reports,
  toBytes,
  withFields,
  writeReports,
} from '../../fixtures/dump/bad-dump.ts';
import { refuse, publish, publishBaseline, runBad } from '../../fixtures/dump/bad-night.ts';
import { dumpTables } from '../../fixtures/dump/night.ts';
import { readRows } from '../../fixtures/expected.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { Refusal } from '../errors.ts';
import { describeFindings } from './guards.ts';
import { verify } from './verify.ts';

const baseline = await publishBaseline();

/** Returns the standard reports of a day after `change` has changed their lines. */
function reports(change: (lines: Reports) => unknown): Reports {
  const made = makeReports();
  change(made);
  return made;
}

/** Returns the standard reports, in which `fields` replace the fields of the first `count` rows of mazowieckie. */
function replace(count: number, fields: Record<string, string>): Reports {
  return reports(({ mazowieckie }) => {
    for (let at = 1; at <= count; at++) mazowieckie![at] = withFields(mazowieckie![at]!, fields);
  });
}

/** Returns a function that writes the reports, one of them as a zip. */
const writeZipped = (made: Reports, key: string) => (folder: string) =>
  writeReports(folder, made, {
    [fileName(key)]: null,
    [fileName(key, 'zip')]: makeZip({ content: toBytes(made[key]!) }),
  });

const writeEmpty = (folder: string) => writeFile(join(folder, fileName('opolskie')), '');

const half = reports((made) => {
  for (const lines of Object.values(made)) lines.splice(1, (lines.length - 1) / 2);
});
const newRows = Array.from({ length: 120 }, (_, at) => makeRow(8000 + at));

describe('a dump is refused', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await baseline.open();
  });

  const dumps: Record<string, Reports> = {
    'with half of its rows': half,
    'where the vanished hide behind an unreadable row': reports((made) =>
      made.mazowieckie!.splice(1, 500, 'Razem'),
    ),
    'with 21 rows less': reports((made) => made.śląskie!.splice(1, 21)),
    'with many more rows': reports((made) => made.śląskie!.push(...newRows)),
    'with a file in which everything stands twice': reports((made) =>
      made.śląskie!.push(...made.śląskie!),
    ),
    'with 21 unreadable rows': replace(21, { StatusDzialalnosci: 'Zniknięty' }),
    'whose dates are written otherwise': replace(21, { DataZawieszeniaDzialalnosci: '03.02.2026' }),
    'where many have lost a value': replace(21, { Email: '' }),
    'where many have changed in one field': replace(41, { Telefon: '700000001' }),
    // The phone and the e-mail of these rows are swapped, so both values are invalid and count as lost.
    'whose columns are shifted': replace(1000, { Telefon: 'a@example.pl', Email: '700000001' }),
    'with two files under the names of each other': reports(
      (made) => ([made.śląskie, made.mazowieckie] = [made.mazowieckie!, made.śląskie!]),
    ),
    'with one file under two names': reports((made) => (made.śląskie = made.mazowieckie!)),
  };
  const sentences = readRows<Record<'what' | 'sentence', string>>(
    new URL('bad-guard.csv', import.meta.url),
  );

  test.each(sentences)('$what', async ({ what, sentence }) => {
    expect(await refuse(db, dumps[what]!)).toBe(sentence.replaceAll('\n', ' '));
  });

  test('and keeps the rows that it rejected', async () => {
    expect(await refuse(db, replace(21, { RokPKD: '99' }))).toMatch(
      /^21 of 2,012 rows were rejected/,
    );
    const { rows } = await db.pool.query(
      `select count(*)::int as count, min(line)::int as first, max(line)::int as last, reason
       from registry.reject
       where run_id = (select max(run_id) from registry.run)
       group by reason`,
    );
    expect(rows).toEqual([
      { count: 21, first: 2, last: 22, reason: "the activity version '99' is not known" },
    ]);
  });

  test('without a trace where nothing was to be published', async () => {
    const before = await dumpTables(db);
    const { rows } = await db.pool.query('select * from registry.run order by run_id');
    const dryRun = runBad(db, replace(21, { Email: '' }), '2026-11-03', { isDryRun: true });
    await expect(dryRun).rejects.toThrow(Refusal);
    expect((await db.pool.query('select * from registry.run order by run_id')).rows).toEqual(rows);
    expect(await dumpTables(db)).toEqual(before);
  });
});

describe('a guard', () => {
  test('says figure and limit of each file, and names the three worst of many', async () => {
    const db = await baseline.open();
    await refuse(db, half);
    const { rows } = await db.pool.query<{ refusals: object[]; path: string }>(
      'select refusals, path from registry.run order by run_id desc limit 1',
    );
    expect(rows[0]!.refusals).toHaveLength(5);
    expect(rows[0]!.refusals).toContainEqual({
      guard: 'vanished_from_file',
      file: fileName('mazowieckie'),
      value: 50,
      limit: 2,
      sentence: `${fileName('mazowieckie')}: 500 of 1,000 entries vanished: 50.00 %, the limit is 2 %`,
    });
    const vanished = Array.from({ length: 17 }, (_, at) => ({
      guard: 'missing_file',
      file: `${at}.zip`,
      value: 20 - at,
      limit: 0,
      sentence: `${at}.zip is missing`,
    }));
    expect(describeFindings(vanished)).toEqual([
      {
        guard: 'missing_file',
        sentence: '0.zip, 1.zip, 2.zip and 14 more; the first is missing',
      },
    ]);
  });
});

describe('a dump that the guards refuse', () => {
  test('is published for a reason, which is kept', async () => {
    const db = await baseline.open();
    const less = reports((made) => made.śląskie!.splice(1, 30));
    expect(await refuse(db, less)).toMatch(/^30 of 2,012 entries vanished/);
    const reason = 'CEIDG has announced it';
    const summary = await runBad(db, less, '2026-11-03', { reason });
    expect(summary).toMatchObject({ state: 'published', reason, deleted: 30, events: 30 });
    const { rows } = await db.pool.query(
      `select state, reason, message from registry.run order by run_id`,
    );
    expect(rows.at(-1)).toEqual({ state: 'published', reason, message: null });
    expect(await verify(db, 'ceidg')).toEqual([]);
  });
});

describe('a guard is silent', () => {
  test('where no more than 20 rows are concerned', async () => {
    const dump = reports((made) => {
      const lines = made.śląskie!;
      for (let at = 1; at <= 20; at++) {
        lines[at] = withFields(lines[at]!, { RokPKD: '', StatusDzialalnosci: '?' });
        lines[at + 20] = withFields(lines[at + 20]!, { Email: '' });
      }
      made.mazowieckie!.splice(1, 20);
    });
    const [second] = await publish(baseline, dump);
    expect(second!.rejects).toHaveLength(20);
    expect(second!.events).toHaveLength(40);
    expect(second!.counts).toEqual({ new: 0, updated: 20, deleted: 20, waiting: 0 });
  });

  test('where activities move to the new version of the classification', async () => {
    const recoded = replace(500, { RokPKD: '2025', GlownyKodPkd: '6210B', PozostaleKodyPkd: '' });
    const [second] = await publish(baseline, recoded);
    expect(second!.counts).toEqual({ new: 0, updated: 500, deleted: 0, waiting: 0 });
  });
});

describe('a dump of the wrong day', () => {
  test('is refused where one row of a file is as it was on an earlier day, however it is packed', async () => {
    const db = await baseline.open();
    await runBad(db, replace(1, { Telefon: '700000001' }), '2026-11-03');
    // The report of opolskie has a new row, so that only mazowieckie has the same content as in an earlier dump.
    const today = reports(({ opolskie }) => void opolskie!.push(makeRow(9000)));
    const old = writeZipped(today, 'mazowieckie');
    expect(await refuse(db, old, { dump_date: '2026-11-04' })).toBe(
      `${fileName('mazowieckie', 'zip')} holds, byte for byte, what it held on 2026-11-02; on 2026-11-03 it held something else`,
    );
    // The night publishes this dump, in which mazowieckie repeats one row of an earlier day, but not the whole file.
    const back = reports(({ mazowieckie }) => void mazowieckie!.push(makeRow(9000)));
    expect(await runBad(db, back, '2026-11-04')).toMatchObject({ new: 1, updated: 1 });
  });

  test('is refused as stale where all files hold what the last ones held, although packed anew', async () => {
    const db = await baseline.open();
    const stale =
      /^all \d+ files hold, byte for byte, what they held on 2026-11-02: the dump is stale$/;
    expect(await refuse(db, makeReports())).toMatch(stale);
    expect(await refuse(db, writeZipped(makeReports(), 'opolskie'))).toMatch(stale);
    const reason = 'a holiday';
    const accepted = await runBad(db, makeReports(), '2026-11-03', { reason });
    expect(accepted).toMatchObject({ new: 0, updated: 0, deleted: 0, reason });
    // A dump in which only one file differs from the dump before is published: on a quiet day, this is normal.
    const other = reports(({ śląskie }) => void śląskie!.push(makeRow(9000)));
    expect(await runBad(db, other, '2026-11-04')).toMatchObject({ new: 1 });
  });

  test('is published where a file without a row is empty again', async () => {
    const empty = reports(({ opolskie }) => opolskie!.splice(1));
    const first = await publishBaseline(empty);
    const third = reports((made) => {
      made.opolskie!.splice(1);
      made.śląskie!.push(makeRow(9000));
    });
    const [second, last] = await publish(first, makeReports(), third);
    expect([second!.counts.new, last!.counts.deleted]).toEqual([8, 8]);
  });
});

describe('the first dump of a source', () => {
  test('may be refused as well, and leaves its row', async () => {
    const db = await createTestDatabase();
    expect(await refuse(db, writeEmpty)).toMatch(/: an empty file, without a header$/);
  });

  test('without a row makes the guards speak of the next one', async () => {
    const empty = await publishBaseline(
      reports((made) => {
        for (const lines of Object.values(made)) lines.splice(1);
      }),
    );
    const db = await empty.open();
    expect(await refuse(db, makeReports())).toMatch(/^2,012 rows where there were 0 last time/);
  });

  test('leaves out what cannot be read, and nothing is told when it can', async () => {
    const damaged = reports((made) => {
      made.opolskie![3] = made.opolskie![3]!.slice(0, -1);
      made.opolskie![5] = withFields(made.opolskie![5]!, { Nip: '1' });
    });
    const first = await publishBaseline(damaged);
    const [second] = await publish(first, makeReports());
    const counts = { new: 2, updated: 0, deleted: 0, waiting: 0 };
    expect(second).toEqual({ rejects: [], events: [], counts });
  });
});
