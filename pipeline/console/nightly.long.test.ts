import { cp, mkdir, mkdtemp, readdir, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { findPort } from '../../fixtures/client/test-api.ts';
import { expectedDays, expectedEvents } from '../../fixtures/expected.ts';
import { runCommand, startCommand, type Started } from '../../fixtures/process/cli.ts';
import { startDatabaseProxy } from '../../fixtures/database/database-proxy.ts';
import { createOrigin } from '../../fixtures/database/database-copy.ts';
import { dumpTables, fixtureFolder, runFixture, shareDays } from '../../fixtures/dump/night.ts';
import {
  makeEstablishment,
  makeStock,
  makeUnit,
  type StockFiles,
} from '../../fixtures/dump/sirene-stock.ts';
import { isThere } from '../../sql/connection/database.ts';
import { lockSource, tryLock } from '../night/lock.ts';
import type { TestDatabase } from '../../fixtures/database/test-database.ts';

const empty = await createOrigin(() => Promise.resolve());
let db: TestDatabase;
let inbox: string;

beforeEach(async () => {
  db = await empty.copy();
  inbox = await mkdtemp(join(tmpdir(), 'registry-inbox-'));
});

/** Copies the CEIDG fixture dumps of the given days into the inbox. */
async function deliver(...dates: string[]): Promise<void> {
  await mkdir(join(inbox, 'ceidg'), { recursive: true });
  for (const date of dates) {
    await cp(fixtureFolder(date), join(inbox, 'ceidg', date), { recursive: true });
  }
}

/** Copies a fixture dump of CEIDG into the inbox, without one of its files. */
async function deliverIncomplete(date: string): Promise<void> {
  const folder = join(inbox, 'ceidg', date);
  await cp(fixtureFolder(date), folder, { recursive: true });
  await unlink(join(folder, 'Zarejestrowane działalności - województwo pomorskie.csv'));
}

function nightly(...options: string[]) {
  return runCommand(['nightly', ...options], { DATABASE_URL: db.url, INBOX_DIR: inbox });
}

/** Starts `registry schedule`, which runs `nightly` every second unless `more` sets another NIGHTLY_CRON. */
function startSchedule(more: NodeJS.ProcessEnv = {}) {
  const settings = { DATABASE_URL: db.url, INBOX_DIR: inbox, NIGHTLY_CRON: '* * * * * *' };
  return startCommand(['schedule'], { ...settings, ...more });
}

/** Ends a program by a signal. @returns the exit code of the program */
function stop({ child, end }: Started, signal: 'SIGINT' | 'SIGTERM' = 'SIGTERM') {
  child.kill(signal);
  return end;
}

interface Told {
  runs: { dump_date: string; state: string; message: string | null }[];
}

function datesAndStates(stdout: string): string[] {
  const { runs } = JSON.parse(stdout) as Told;
  return runs.map(({ dump_date, state }) => `${dump_date} ${state}`);
}

describe('nightly', () => {
  test('0 takes every day in the order of the dates, whatever else lies in the inbox', async () => {
    await deliver('2026-11-04', '2026-11-02', '2026-11-03');
    for (const name of ['2026-02-30', '2026-11-04.part', 'tmp', '.incoming'])
      await mkdir(join(inbox, 'ceidg', name));
    for (const source of ['zefix', 'cedig']) await mkdir(join(inbox, source));
    await writeFile(join(inbox, 'ceidg', 'README.txt'), 'dumps');
    await symlink(fixtureFolder('2026-11-05'), join(inbox, 'ceidg', '2026-11-05'));
    const command = await nightly();
    expect(command.logs().flatMap(({ level, msg }) => (level === 40 ? [msg] : []))).toEqual([
      'cedig is ignored: no registry has this name; is it ceidg?',
      'ceidg/2026-02-30 is ignored: its name is no day YYYY-MM-DD',
      'ceidg/2026-11-04.part is ignored: its name is no day YYYY-MM-DD',
      'ceidg/2026-11-05 is ignored: it is a symbolic link',
      'ceidg/tmp is ignored: its name is no day YYYY-MM-DD',
      'zefix is ignored: no registry has this name',
    ]);
    expect(command.stdout.match(/^ceidg .*$/gm)).toEqual([
      'ceidg 2026-11-02: published, the baseline, run 1',
      'ceidg 2026-11-03: published, run 2',
      'ceidg 2026-11-04: published, run 3',
    ]);
    // The output lists at most ten event types for a night, and two nights have events.
    expect(command.stdout.match(/^ +\d+ (COMPANY|ANOMALY)_\w+$/gm)).toHaveLength(20);
    const left = ['2026-11-03', '2026-11-04'].map((day) => {
      const events = expectedEvents.filter(({ event_date }) => event_date === day);
      return new Set(events.map(({ event_type }) => event_type)).size - 10;
    });
    const more = left.map((count) => `              and ${count} more`);
    expect(command.stdout.match(/^ +and \d+ more$/gm)).toEqual(more);
    expect(command.code).toBe(0);
  });

  test('5 has nothing to do when all is published, nor before a registry has delivered', async () => {
    await deliver('2026-11-02');
    await runFixture(db, '2026-11-02');
    // Creates the tables of a CEIDG night that was killed after its commit, and of a KRS night that is under way.
    await db.pool.query(
      `create schema stage_ceidg; create table stage_ceidg.night ();
       create schema stage_krs; create table stage_krs.night ()`,
    );
    const client = await db.pool.connect();
    await lockSource(client, 'krs');
    const command = await nightly();
    client.release(true);
    expect(command.stdout).toBe(`Nothing to do in ${inbox}\n`);
    expect(command.code).toBe(5);
    expect(await isThere(db.pool, 'stage_ceidg.night')).toBe(false);
    expect(await isThere(db.pool, 'stage_krs.night')).toBe(true);
    await rm(join(inbox, 'ceidg'), { recursive: true });
    const json = await nightly('--json');
    expect(JSON.parse(json.stdout)).toEqual({ runs: [], ignored: [] });
    expect(json.code).toBe(5);
    expect((await nightly('--idle-ok')).code).toBe(0);
  });

  test('3 goes on after a refused day, and the rest is published', async () => {
    await deliver('2026-11-02', '2026-11-03', '2026-11-05');
    await deliverIncomplete('2026-11-04');
    const command = await nightly('--json');
    expect(datesAndStates(command.stdout)).toEqual([
      '2026-11-02 published',
      '2026-11-03 published',
      '2026-11-04 refused',
      '2026-11-05 published',
    ]);
    expect(command.stderr.match(/pomorskie\.csv is missing/g)).toHaveLength(1);
    expect(command.stdout.split('\n')).toHaveLength(2);
    expect(command.sentences()).toEqual([]);
    expect(command.code).toBe(3);
  });

  test('3 holds back the lists of days that follow a refused stock, until it is accepted', async () => {
    const folder = (date: string) => join(inbox, 'sirene', date);
    const put = async (date: string, files: StockFiles) => {
      await mkdir(folder(date), { recursive: true });
      for (const [name, text] of Object.entries(files))
        await writeFile(join(folder(date), name), text);
    };
    const putStock = async (length: number, date: string) => {
      const sirens = Array.from({ length }, (_, at) => String(310_000_000 + at));
      const rows = [sirens.map((it) => makeUnit(it)), sirens.map((it) => makeEstablishment(it))];
      await put(date, makeStock(rows[0]!, rows[1]!, date));
    };
    const periodesUniteLegale = [{ denominationUniteLegale: 'AIRS' }];
    const renamed = { siren: '310000000', periodesUniteLegale };
    await putStock(40, '2026-09-30');
    await putStock(10, '2026-10-31');
    await put('2026-11-01', { 'siren.ndjson': JSON.stringify(renamed) });
    const first = await nightly('--json');
    expect(datesAndStates(first.stdout)).toEqual(['2026-09-30 published', '2026-10-31 refused']);
    expect(first.code).toBe(3);
    await runCommand(
      ['ingest', 'sirene', folder('2026-10-31'), '--date', '2026-10-31', '--accept', 'true'],
      { DATABASE_URL: db.url },
    );
    expect(datesAndStates((await nightly('--json')).stdout)).toEqual(['2026-11-01 published']);
  });

  test('1 tells of the nights before the one that failed, and leaves those after it', async () => {
    await deliver(...expectedDays.map(({ date }) => date));
    await db.pool.query(`alter table registry.stock_change
      add constraint until_tuesday check (stat_date <> '2026-11-04')`);
    const command = await nightly('--json');
    expect(datesAndStates(command.stdout)).toEqual([
      '2026-11-02 published',
      '2026-11-03 published',
      '2026-11-04 failed',
    ]);
    const { runs } = JSON.parse(command.stdout) as Told;
    expect(runs[2]!.message).toContain('until_tuesday');
    expect(command.code).toBe(1);

    await db.pool.query('alter table registry.stock_change drop constraint until_tuesday');
    const again = await nightly('--json');
    expect(datesAndStates(again.stdout)).toHaveLength(3);
    expect(again.code).toBe(0);
    const undisturbed = await (await shareDays()).copy();
    expect(await dumpTables(db)).toEqual(await dumpTables(undisturbed));
  });

  test('2 names an inbox that cannot be read', async () => {
    await writeFile(join(inbox, 'ceidg'), 'no folder');
    const command = await nightly();
    expect(command.sentences()).toEqual([
      expect.stringMatching(/^The inbox cannot be read: ENOTDIR.*ceidg'$/),
    ]);
    expect(command.stdout).toBe('');
    expect(command.code).toBe(2);
  });
});

describe('an inbox that is not there', () => {
  test.each(['nightly', 'schedule'])('2 %s names INBOX_DIR', async (name) => {
    const variables = { DATABASE_URL: db.url, INBOX_DIR: join(inbox, 'none') };
    const command = await runCommand([name], variables);
    expect(command.sentences()).toEqual([
      `INBOX_DIR cannot be read: ${join(inbox, 'none')}: there is no such folder`,
    ]);
    expect(command.code).toBe(2);
  });

  test('the one below DATA_DIR is made', async () => {
    const command = await runCommand(['nightly'], { DATABASE_URL: db.url, DATA_DIR: inbox });
    expect(command.stdout).toBe(`Nothing to do in ${join(inbox, 'inbox')}\n`);
    expect(command.code).toBe(5);
    expect(await readdir(inbox)).toEqual(['inbox']);
  });

  test('3 a folder of a day that holds no dump is named, and makes no run', async () => {
    await mkdir(join(inbox, 'ceidg', '2026-11-02'), { recursive: true });
    const command = await nightly('--json');
    expect(JSON.parse(command.stdout)).toMatchObject({
      runs: [{ run_id: null, state: 'refused', published_date: null, refusals: [] }],
    });
    expect(command.code).toBe(3);
    const { rows } = await db.pool.query('select from registry.run');
    expect(rows).toEqual([]);
  });
});

describe('schedule', () => {
  test('takes the inbox at the times of NIGHTLY_CRON, and ends with 0 when it is told to', async () => {
    await deliver('2026-11-02');
    const port = await findPort();
    const schedule = startSchedule({ METRICS_PORT: String(port) });
    await schedule.says('nightly: published');
    await schedule.says('the scheduled run: 1 published');
    await schedule.says('the scheduled run: nothing to do');
    await deliverIncomplete('2026-11-03');
    await schedule.says('nightly: refused');
    await schedule.says('the scheduled run: 1 refused');
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain('registry_process_info{process="schedule"} 1\n');
    expect(metrics).toContain('registry_refused_in_a_row{source="ceidg"} 1\n');
    expect(await stop(schedule)).toBe(0);
    expect(schedule.stdout).toBe('');
    expect(schedule.sentences()).toEqual([]);
    const [first] = schedule.logs();
    expect(first).toMatchObject({ msg: 'scheduled', cron: '* * * * * *' });
    const published = schedule.logs().find(({ msg }) => msg === 'nightly: published');
    expect(published).toMatchObject({ dump_date: '2026-11-02', entries: 81, level: 30 });
    const refused = schedule.logs().find(({ msg }) => msg === 'nightly: refused');
    expect(refused).toMatchObject({ dump_date: '2026-11-03', level: 50 });
  });

  test('waits for a database that is away, and runs the night that was due meanwhile', async () => {
    const proxy = await startDatabaseProxy(db.url);
    await proxy.cut();
    const throughProxy = { DATABASE_URL: proxy.url };
    const schedule = startSchedule(throughProxy);
    await schedule.says('The database is away');
    await proxy.mend();
    await schedule.says('the scheduled run: nothing to do');
    await proxy.cut();
    await deliver('2026-11-02');
    await schedule.says('The database is away (connect');
    await proxy.mend();
    await schedule.says('the scheduled run: 1 published');
    expect(await stop(schedule)).toBe(0);
    // Nothing has failed.
    expect(schedule.logs().filter(({ level }) => (level as number) > 40)).toEqual([]);

    await proxy.cut();
    const waiting = startSchedule(throughProxy);
    await waiting.says('The database is away');
    expect(await stop(waiting)).toBe(0);
  });

  test('runs a night at its start that no schedule has run at its time, and no other one', async () => {
    const yearly = { NIGHTLY_CRON: '0 0 1 1 *' };
    await deliver('2026-11-02');
    await db.pool.query('delete from registry.schedule');
    const first = startSchedule(yearly);
    await first.says('scheduled');
    const planned = () => db.pool.query<{ next_at: Date }>('select next_at from registry.schedule');
    await expect.poll(async () => (await planned()).rowCount).toBe(1);
    expect(await stop(first)).toBe(0);
    expect(first.logs().map(({ msg }) => msg)).toEqual(['scheduled']);
    await db.pool.query(`update registry.schedule set next_at = now() - interval '1 hour'`);
    const late = startSchedule(yearly);
    await late.says('a night was missed: it is run now');
    await late.says('the scheduled run: 1 published');
    expect(await stop(late)).toBe(0);
    const next = async () => (await planned()).rows[0]!.next_at.getTime();
    expect(await next()).toBeGreaterThan(Date.now());
    // The schedule has saved a later time of the next night; the next time of the changed NIGHTLY_CRON replaces the
    // saved time.
    await db.pool.query(`update registry.schedule set next_at = now() + interval '30 days'`);
    const daily = startSchedule({ NIGHTLY_CRON: '30 7 * * *' });
    await daily.says('scheduled');
    await expect.poll(next).toBeLessThan(Date.now() + 25 * 3_600_000);
    expect(await stop(daily)).toBe(0);
  });

  test('takes over the night of another machine that ends in its middle', async () => {
    await deliver('2026-11-02');
    const other = await db.pool.connect();
    expect(await tryLock(other, 'ceidg')).toBe(true);
    const schedule = startSchedule();
    await schedule.says('nightly: running');
    other.release(true);
    await schedule.says('the scheduled run: 1 published');
    expect(await stop(schedule)).toBe(0);
    expect(schedule.logs().filter(({ level }) => (level as number) > 40)).toEqual([]);
  });

  test('goes on when a run fails', async () => {
    await deliver('2026-11-02');
    await db.pool.query('alter table registry.stock_change add constraint no_day check (false)');
    const schedule = startSchedule();
    await schedule.says('nightly: failed');
    await db.pool.query('alter table registry.stock_change drop constraint no_day');
    await schedule.says('nightly: published');
    expect(await stop(schedule, 'SIGINT')).toBe(0);
  });
});

describe('serve', () => {
  test('is the API, and ends with its exit code', async () => {
    const SECRET_KEY = 'a key of at least 32 characters, for tests';
    const variables = { DATABASE_URL: db.url, SECRET_KEY };
    const serve = startCommand(['serve'], { ...variables, PORT: '0' });
    await serve.says('Listening on');
    const [, url] = /^Listening on (\S+)\n$/.exec(serve.stdout)!;
    // The API is ready after it has loaded the search index.
    const ready = async () => (await fetch(`${url}/readyz`)).json();
    await expect.poll(ready).toEqual({ status: 'ok' });
    const second = await runCommand(['serve'], { ...variables, PORT: new URL(url!).port });
    expect(second.sentences()).toEqual([expect.stringMatching(/^Port \d+ is in use/)]);
    expect(second.code).toBe(1);
    expect(await stop(serve)).toBe(0);
    await expect(fetch(`${url}/readyz`)).rejects.toThrow('fetch failed');
  });
});
