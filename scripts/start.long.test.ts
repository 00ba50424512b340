import { existsSync } from 'node:fs';
import { appendFile, chmod, cp, mkdir, mkdtemp, readdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { shareAllSources, shareDemonstration } from '../fixtures/dump/three-sources.ts';
import { expectedDays, expectedEvents } from '../fixtures/expected.ts';
import { runCommand, type Started, startScript } from '../fixtures/process/cli.ts';
import { createOrigin, type Origin } from '../fixtures/database/database-copy.ts';
import { dumpTables, fixtureFolder, runDump } from '../fixtures/dump/night.ts';
import type { TestDatabase } from '../fixtures/database/test-database.ts';
import { destroyEmbedded } from '../fixtures/database/destroy-embedded.ts';
import { generateDays } from '../fixtures/dump/generated-days.ts';
import { connect } from '../sql/connection/database.ts';

const script = fileURLToPath(new URL('start.ts', import.meta.url));

/** The timeout in ms for fifteen nights on a busy machine. */
const nights_ms = 180_000;

let db: TestDatabase;
let dataDir: string;

const empty = await createOrigin(() => Promise.resolve());
/** A database for tests to copy, in which all fixture days except those of SIRENE are published. */
const unfinished = await shareAllSources();
/** A database for tests to copy, in which all fixture days are published. */
const loaded = await shareDemonstration();

/** Makes the database and the data folder of a test: a copy of `origin`, and an empty folder. */
async function use(origin: Origin): Promise<void> {
  db = await origin.copy();
  dataDir = await mkdtemp(join(tmpdir(), 'registry-start-'));
}

function start(variables: NodeJS.ProcessEnv = {}): Started {
  const own = { DATABASE_URL: db.url, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info' };
  return startScript(script, [], { ...own, ...variables });
}

/** Waits until `npm start` has printed its last line; returns the address on which the API listens. */
async function urlOf(started: Started): Promise<string> {
  await started.says('Ctrl-C stops everything.\n');
  return /^The API listens on (\S+)$/m.exec(started.stdout)![1]!;
}

async function stop(started: Started, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  started.child.kill(signal);
  expect(await started.end).toBe(0);
}

/** Returns the CEIDG lines of the table of published days, with one blank between columns. */
function tableOf(stdout: string): string[] {
  return stdout
    .split('\n')
    .filter((line) => /^ {2}ceidg +\d/.test(line))
    .map((line) => line.trim().replace(/ +/g, ' '));
}

const expectedTable = expectedDays.map(({ date, new: added, updated, deleted, total }) => {
  const events = expectedEvents.filter(({ event_date }) => event_date === date).length;
  return `ceidg ${date} ${added} ${updated} ${deleted} ${events} ${total}`;
});

describe('npm start', () => {
  test(
    'loads the fixture days into the Postgres below DATA_DIR, shows them, and serves what it tells to look at; its account watches from the first day on',
    { timeout: nights_ms },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'registry-start-'));
      // If root runs the test, PostgreSQL runs as another user, which needs access to the folder.
      await chmod(folder, 0o755);
      onTestFinished(() => destroyEmbedded(folder));
      const variables = { DATA_DIR: folder, PORT: '0' };
      const started = startScript(script, [], variables);
      const url = await urlOf(started);
      expect(tableOf(started.stdout)).toEqual(expectedTable);
      const curls = [...started.stdout.matchAll(/^ {2}curl (\S+)$/gm)].map(
        ([, address]) => address!,
      );
      expect(curls).toEqual([
        `${url}/api/v1/stats/day/2026-11-06`,
        `${url}/api/v1/stats/range/2026-11-06`,
        `${url}/readyz`,
      ]);
      for (const address of curls) expect((await fetch(address)).status).toBe(200);
      expect(await (await fetch(`${url}/terms`)).text()).toContain('Invented sample data');
      const answer = (await (await fetch(curls[0]!)).json()) as { data: object };
      expect(answer.data).toEqual({ new: 2, updated: 11, deleted: 3, total: 16 });
      expect(started.logs()).toEqual([]);
      expect(started.sentences()).toEqual([]);
      expect(started.stdout.split('\n').length).toBeLessThanOrEqual(60);
      // The feed and the mails of the demo account have the events of all fixture days after the first.
      const [, token] = /Master Token (sk_live_\w+)$/m.exec(started.stdout)!;
      const headers = { Authorization: `Bearer ${token}` };
      const feed = await fetch(`${url}/api/v1/watchlist/events`, { headers });
      const own = await connect({ DATA_DIR: folder, applicationName: 'registry tests' });
      const { rows } = await own.pool.query<{ events: number; digests: number }>(
        `select
           (select count(*)::int from customer.feed) as events,
           (select count(*)::int from customer.mail where template = 'digest') as digests`,
      );
      await own.close();
      expect(rows[0]!.events).toBeGreaterThan(100);
      expect(await feed.json()).toMatchObject({ meta: { total: rows[0]!.events } });
      expect(rows[0]!.digests).toBeGreaterThan(8);
      // The search finds French companies too, not only Polish ones.
      const search = `${url}/api/v1/companies/search?country=FR&name=horlogerie`;
      expect(await (await fetch(search, { headers })).json()).toMatchObject({
        data: { total: 1, results: [{ name: 'HORLOGERIE DU DOUBS' }] },
      });
      // The command `status` uses the same embedded PostgreSQL as `npm start`.
      const status = await runCommand(['status'], variables);
      expect(status.stdout).toContain('ceidg    2026-11-06');
      const pidFile = join(folder, 'postgres', 'postmaster.pid');
      expect(existsSync(pidFile)).toBe(true);
      await stop(started, 'SIGINT');
      expect(existsSync(pidFile)).toBe(false);
    },
  );

  test('loads none of them into a database that holds anything else', async () => {
    await use(empty);
    const days = await generateDays(1000);
    // The published dump is not of a fixture, but has the date of the first fixture day.
    await runDump(db, ...days.night(0));
    const before = await dumpTables(db);
    const started = start();
    const url = await urlOf(started);
    expect(started.stdout).toContain(
      'Other dumps than those of fixtures/ are published: these are left out.\n',
    );
    expect(tableOf(started.stdout)).toEqual(['ceidg 2026-11-02 0 0 0 0 1,000']);
    expect(started.stdout).toContain(`curl ${url}/api/v1/stats/day/2026-11-02\n`);
    expect(await dumpTables(db)).toEqual(before);
    expect(await (await fetch(`${url}/terms`)).text()).not.toContain('Invented sample data');
    await stop(started);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s, also when it comes twice, stops everything and exits with 0',
    async (signal) => {
      await use(loaded);
      const started = start();
      const url = await urlOf(started);
      started.child.kill(signal);
      started.child.kill(signal);
      expect(await started.end).toBe(0);
      expect(started.stdout).toMatch(/Ctrl-C stops everything\.\nStopping\n$/);
      await expect(fetch(`${url}/readyz`)).rejects.toThrow('fetch failed');
      const countSessions = async () => {
        const { rows } = await db.pool.query<{ count: number }>(
          `select count(*)::int from pg_stat_activity
           where datname = current_database() and application_name like 'registry-%'`,
        );
        return rows[0]!.count;
      };
      await expect.poll(countSessions).toBe(0);
    },
  );

  test('a signal while the fixture days are loaded rolls back and exits with 0; the next start loads what is missing', async () => {
    await use(unfinished);
    const started = start();
    await started.says('"dump_date":"2026-11-03","run_id":');
    await stop(started, 'SIGINT');
    expect(started.stdout).toBe('Stopping\n');
    expect(started.sentences()).toEqual([]);
    const again = start();
    await urlOf(again);
    expect(tableOf(again.stdout)).toEqual(expectedTable);
    // The second start publishes the days that the first did not: then each registry has the same number of days.
    const { rows } = await db.pool.query(
      `select count(*)::int from registry.run where state = 'published'`,
    );
    expect(rows).toEqual([{ count: 4 * expectedDays.length }]);
    await stop(again, 'SIGINT');
  });

  test('takes the inbox at the times of NIGHTLY_CRON', async () => {
    await use(loaded);
    const inbox = await mkdtemp(join(tmpdir(), 'registry-inbox-'));
    const started = start({ INBOX_DIR: inbox, NIGHTLY_CRON: '* * * * * *' });
    await urlOf(started);
    await mkdir(join(inbox, 'ceidg'));
    const folder = join(inbox, 'ceidg', 'whole');
    await cp(fixtureFolder('2026-11-06'), folder, { recursive: true });
    // The added blank line changes no data, but makes the dump differ from the published dump.
    const [file] = await readdir(folder);
    await appendFile(join(folder, file!), '\n');
    await rename(folder, join(inbox, 'ceidg', '2026-11-07'));
    await started.says('nightly: published');
    expect(started.stdout).toContain(`'* * * * * *' in Europe/Warsaw.\n`);
    await stop(started);
  });
});

describe('what keeps npm start from starting', () => {
  test('a port in use: one sentence, exit code 1, and the other program goes on', async () => {
    await use(loaded);
    const first = start();
    const url = await urlOf(first);
    const second = start({ PORT: new URL(url).port });
    expect(await second.end).toBe(1);
    expect(second.sentences()).toEqual([
      `Port ${new URL(url).port} is in use by another program; stop it, or set PORT to another one.`,
    ]);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    await stop(first);
  });

  test.each<[what: string, code: number, variables: NodeJS.ProcessEnv, ...sentences: RegExp[]]>([
    [
      'wrong settings of either side',
      2,
      { PORT: 'http', NIGHTLY_CRON: 'never', LOG_LEVEL: 'loud', KRS_URL: 'krs' },
      /^LOG_LEVEL must be /,
      /^NIGHTLY_CRON must be /,
      /^PORT must be /,
      /^KRS_URL must be /,
    ],
    [
      'an INBOX_DIR that is not there',
      2,
      { INBOX_DIR: '/inbx' },
      /^INBOX_DIR cannot be read: \/inbx: there is no such folder$/,
    ],
    [
      'a database that cannot be reached',
      1,
      { DATABASE_URL: 'postgresql://nobody:secret@127.0.0.1:1/none' },
      /^The database cannot be reached(?!.*secret)/,
    ],
  ])('%s: a sentence each, exit code %i, nothing is begun', async (_, code, variables, ...told) => {
    await use(loaded);
    const started = start(variables);
    expect(await started.end).toBe(code);
    expect(started.stdout).toBe('');
    expect(started.stderr).not.toContain('secret');
    expect(started.sentences()).toEqual(told.map((one): unknown => expect.stringMatching(one)));
  });

  test('a start that was killed leaves no API behind: the port is free for the next one', async () => {
    await use(loaded);
    const first = start();
    const url = await urlOf(first);
    first.child.kill('SIGKILL');
    expect(await first.end).toBe('SIGKILL');
    await expect
      .poll(() => fetch(`${url}/readyz`).catch(({ message }) => message as string))
      .toBe('fetch failed');
    const second = start({ PORT: new URL(url).port });
    expect(await urlOf(second)).toBe(url);
    await stop(second);
  });

  test('npm that was killed stops everything', async () => {
    await use(loaded);
    const npmStart = join(import.meta.dirname, 'npm-start.js');
    // A process in the place of npm: `npm start` must notice when this process ends.
    const run = `process.title = 'npm start'; require('node:child_process').spawn(process.execPath, [${JSON.stringify(npmStart)}], { stdio: 'inherit' })`;
    const own = { DATABASE_URL: db.url, DATA_DIR: dataDir, PORT: '0', npm_command: 'start' };
    const npm = startScript('-e', [run], own);
    const url = await urlOf(npm);
    npm.child.kill('SIGKILL');
    await npm.says('Stopping\n');
    expect(await npm.end).toBe('SIGKILL');
    await expect(fetch(`${url}/readyz`)).rejects.toThrow('fetch failed');
  });

  test('an API that is killed later: one sentence, exit code 1, everything is stopped', async () => {
    await use(loaded);
    const started = start();
    const url = await urlOf(started);
    await fetch(`${url}/api/v1/stats/day/2026-11-06`);
    await started.says('request completed');
    const api = started.logs().find(({ msg }) => msg === 'request completed')!;
    process.kill(api.pid as number, 'SIGKILL');
    expect(await started.end).toBe(1);
    expect(started.sentences()).toEqual([
      'The API was ended by SIGKILL; everything else is stopped',
    ]);
  });
});
