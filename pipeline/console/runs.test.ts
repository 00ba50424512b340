import { cp, mkdtemp, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { leaveMail } from '../../fixtures/process/mail.ts';
import { createFirstDay, fixtureFolder, runDump, runFixture } from '../../fixtures/dump/night.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { Refusal } from '../errors.ts';
import { lockSource } from '../night/lock.ts';
import type { NightOptions } from '../night/context.ts';
import { startRun } from '../night/run-rows.ts';
import { findTrouble } from './check.ts';
import { describeRunDetail, describeRunRows, readRun, readRuns } from './runs.ts';
import { describeStatus, readStatus } from './status.ts';

const db = await createFirstDay();
const incomplete = await mkdtemp(join(tmpdir(), 'registry dump '));
await cp(fixtureFolder('2026-11-04'), incomplete, { recursive: true });
await unlink(join(incomplete, 'Zarejestrowane działalności - województwo opolskie.zip'));
await runFixture(db, '2026-11-03');
// The incomplete dump is refused in one run of the first night, and in two runs of the second night.
for (const now of ['2026-11-04T06:00:00Z', '2026-11-05T06:00:00Z', '2026-11-05T07:00:00Z']) {
  const refused = runDump(db, incomplete, '2026-11-04', { now: () => new Date(now) });
  await refused.catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
  });
}

describe('runs', () => {
  test('are listed with the newest first, of all registries or of one', async () => {
    const all = await readRuns(db, { limit: 20 });
    expect(all.map(({ run_id }) => run_id)).toEqual([5, 4, 3, 2, 1]);
    expect(await readRuns(db, { limit: 2 })).toEqual(all.slice(0, 2));
    expect(await readRuns(db, { source: 'ceidg', limit: 20 })).toEqual(all);
    expect(await readRuns(db, { source: 'krs', limit: 20 })).toEqual([]);
  });

  test('have a line each, with a long message shortened', async () => {
    const [run] = await readRuns(db, { limit: 1 });
    const message = 'all is different; '.repeat(20);
    const [line] = describeRunRows([{ ...run!, message }]);
    expect(line).toMatch(/^ {6}5 {2}ceidg {4}2026-11-04 {2}refused {3}all is different; .*…$/);
    expect(line!.length).toBeLessThanOrEqual(130);
  });
});

describe('a run', () => {
  test('that was published is shown with its counts and the seconds of its steps', async () => {
    const detail = await readRun(db, 2);
    expect(detail).toMatchObject({
      run_id: 2,
      state: 'published',
      new: 2,
      events: 20,
      path: fixtureFolder('2026-11-03'),
      refusals: [],
    });
    const steps = Object.keys(detail.step_seconds!);
    expect(steps).toEqual(expect.arrayContaining(['compare', 'check', 'publish', 'commit']));
    const text = describeRunDetail(detail);
    expect(text).toContain('ceidg 2026-11-03: published, run 2\n');
    expect(text).toMatch(/^ {4}compare {16}\d+\.\d s$/m);
  });

  test('that was refused is shown with its guards, what readers see and what can be done', async () => {
    const detail = await readRun(db, 5);
    expect(detail).toMatchObject({
      state: 'refused',
      event_types: {},
      refusals: [{ guard: 'missing_file', limit: 0 }],
      published_date: '2026-11-03',
    });
    const command = `registry ingest ceidg '${incomplete}' --date 2026-11-04`;
    expect(describeRunDetail(detail).split('\n').slice(0, 4)).toEqual([
      'ceidg 2026-11-04: refused, run 5; readers still see 2026-11-03',
      expect.stringMatching(/^ {2}missing file {2}.*opolskie\.zip is missing: it held \d+ entries/),
      `  to rehearse:  ${command} --dry-run --accept 'the reason'`,
      `  to accept:    ${command} --accept 'the reason'`,
    ]);
    const { rows } = await db.pool.query('select message from analyst.run where run_id = 5');
    expect(rows).toEqual([{ message: detail.message }]);
  });
});

test('status counts the nights in a row on which a dump was refused', async () => {
  const status = await readStatus(db, '2026-11-06');
  expect(status.snapshots).toMatchObject([{ dump_date: '2026-11-03', refused_nights: 2 }]);
  expect(describeStatus(status)).toContain('82 entries  invented  refused 2 nights in a row\n');
});

const limits = { max_age_days: 2, max_wait_minutes: 60 };

async function sentences(today: string, of = db): Promise<string[]> {
  return (await findTrouble(of, today, limits)).map(({ sentence }) => sentence);
}

describe('check', () => {
  test('finds a snapshot that is older than the limit, and a last run that was not published', async () => {
    const refused = 'The last run of ceidg, 5 of 2026-11-04, was refused';
    expect(await sentences('2026-11-05')).toEqual([refused]);
    expect(await sentences('2026-11-06')).toEqual([
      'The newest snapshot of ceidg, 2026-11-03, is 3 days old; the limit is 2',
      refused,
    ]);
  });

  test('finds a last run whose process was killed, also before one that was told to end', async () => {
    const other = await createFirstDay();
    const holder = await other.pool.connect();
    try {
      await lockSource(holder, 'ceidg');
      await startRun(holder, {
        source: 'ceidg',
        path: incomplete,
        dump_date: '2026-11-03',
        now: () => new Date(),
      } as NightOptions);
      expect(await findTrouble(other, '2026-11-03', limits)).toEqual([]);
      expect(await readRuns(other, { limit: 1 })).toMatchObject([{ state: 'running' }]);
    } finally {
      holder.release(true);
    }
    const abandoned = 'The last run of ceidg, 2 of 2026-11-03, was abandoned';
    const told = () => sentences('2026-11-03', other);
    await expect.poll(told).toEqual([abandoned]);
    expect(await readRuns(other, { limit: 1 })).toMatchObject([{ state: 'abandoned' }]);
    expect((await readRun(other, 2)).state).toBe('abandoned');
    // `check` still reports the abandoned run, although a newer run of the source was stopped by a signal.
    await other.pool.query(
      `insert into registry.run (source, dump_date, state, started_at, finished_at, path)
       values ('ceidg', '2026-11-03', 'stopped', now(), now(), '')`,
    );
    expect(await told()).toEqual([abandoned]);
  });

  test('finds mails and jobs that wait too long', async () => {
    const mail = await leaveMail(db);
    const kinds = async () =>
      (await findTrouble(db, '2026-11-05', limits)).map(({ kind, subject }) => [kind, subject]);
    expect(await kinds()).toEqual([['run', 'ceidg']]);
    await db.pool.query(
      `update customer.mail set (created_at, next_attempt_at) =
         (select moment, moment from (select now() - interval '61 minutes') as past (moment))
       where mail_id = $1`,
      [mail.mail_id],
    );
    expect(await kinds()).toEqual([
      ['run', 'ceidg'],
      ['mail', null],
      ['job', 'send_mail'],
    ]);
  });

  test('finds that nothing is published, and nothing where all is well', async () => {
    const other = await createTestDatabase();
    expect(await findTrouble(other, '2026-11-02', limits)).toEqual([
      { kind: 'snapshot', subject: null, sentence: 'Nothing is published yet' },
    ]);
    await runFixture(other, '2026-11-02');
    expect(await findTrouble(other, '2026-11-04', limits)).toEqual([]);
  });
});
