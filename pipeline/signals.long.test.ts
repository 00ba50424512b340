import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { runCommand, startCommand, startScript } from '../fixtures/process/cli.ts';
import { createOrigin } from '../fixtures/database/database-copy.ts';
import { differences, generateDays, holdUp, statesOf } from '../fixtures/dump/generated-days.ts';
import { dumpTables, runDump } from '../fixtures/dump/night.ts';
import type { TestDatabase } from '../fixtures/database/test-database.ts';
import { destroyEmbedded } from '../fixtures/database/destroy-embedded.ts';
import { findTrouble } from './console/check.ts';
import { verify } from './night/verify.ts';

/** A copy of a database in which the baseline is published. */
let db: TestDatabase;

const days = await generateDays();
const origin = await createOrigin(async (first) => void (await runDump(first, ...days.night(0))));
const copy = await origin.copy();
await runDump(copy, ...days.night(1));
const undisturbed = await dumpTables(copy);

beforeEach(async () => {
  db = await origin.copy();
});

/** Returns the number of database sessions that processes of the pipeline have, including idle sessions. */
async function countSessions(): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
     where datname = current_database() and application_name = 'registry-pipeline'`,
  );
  return rows[0]!.count;
}

async function messageOfLastRun(): Promise<string | null> {
  const { rows } = await db.pool.query<{ message: string | null }>(
    'select message from registry.run order by run_id desc limit 1',
  );
  return rows[0]!.message;
}

describe('a run that is told to end', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s rolls back, says so in its row and in one sentence, and ends by that signal',
    async (signal) => {
      const yesterday = await dumpTables(db);
      const release = await holdUp(db);
      const command = startCommand(days.command(1), { DATABASE_URL: db.url });
      await command.says('"step":"publish"');
      command.child.kill(signal);
      // The signal is sent twice, because a terminal and `npm` may both send the same signal.
      command.child.kill(signal);
      expect(await command.end).toBe(signal);
      await expect.poll(countSessions).toBe(0);
      expect(await statesOf(db, 1)).toEqual(['stopped']);
      expect(await messageOfLastRun()).toBe(`stopped by ${signal}`);
      // A stopped run causes no finding of `check`, and therefore no alert.
      const limits = { max_age_days: 1, max_wait_minutes: 60 };
      expect(await findTrouble(db, '2026-11-03', limits)).toEqual([]);
      expect(command.sentences()).toEqual([
        `Stopped by ${signal}; what was under way is rolled back`,
      ]);
      expect(
        command
          .logs()
          .slice(0, -1)
          .filter(({ level }) => level !== 30),
      ).toEqual([]);
      expect(command.stdout).toBe('');
      release();
      expect(differences(yesterday, await dumpTables(db))).toEqual([]);

      const again = await runCommand(days.command(1), { DATABASE_URL: db.url });
      expect(again.code).toBe(0);
      expect(differences(undisturbed, await dumpTables(db))).toEqual([]);
      expect(await verify(db, 'ceidg')).toEqual([]);
    },
  );

  test('with --json has an object for it', async () => {
    const release = await holdUp(db);
    const command = startCommand([...days.command(1), '--json'], { DATABASE_URL: db.url });
    await command.says('"step":"read and normalise"');
    command.child.kill('SIGTERM');
    await command.end;
    release();
    expect(JSON.parse(command.stdout)).toEqual({
      state: 'failed',
      message: 'Stopped by SIGTERM; what was under way is rolled back',
    });
  });

  test('by the schedule ends with 0 like any other end of it, and is rolled back', async () => {
    const inbox = await mkdtemp(join(tmpdir(), 'registry-inbox-'));
    const [path, date] = days.night(1);
    await mkdir(join(inbox, 'ceidg'));
    await cp(path, join(inbox, 'ceidg', date), { recursive: true });
    const release = await holdUp(db);
    const schedule = startCommand(['schedule'], {
      DATABASE_URL: db.url,
      INBOX_DIR: inbox,
      NIGHTLY_CRON: '* * * * * *',
    });
    await schedule.says('"step":"publish"');
    schedule.child.kill('SIGTERM');
    expect(await schedule.end).toBe(0);
    expect(await statesOf(db, 1)).toEqual(['stopped']);
    expect(schedule.logs().filter(({ level }) => level !== 30)).toEqual([]);
    expect(schedule.sentences()).toEqual([]);
    release();
  });

  test('a schedule ends with the npx that started it by a shell, also when npx is killed', async () => {
    const registry = join(import.meta.dirname, 'registry.js');
    const run = `process.title = 'npm exec registry schedule';
      const args = ['-c', '"$0" "$1" schedule; :', process.execPath, ${JSON.stringify(registry)}];
      require('node:child_process').spawn('sh', args, { stdio: 'inherit' })`;
    const inbox = await mkdtemp(join(tmpdir(), 'registry-inbox-'));
    const variables = { DATABASE_URL: db.url, INBOX_DIR: inbox, npm_command: 'exec' };
    const npx = startScript('-e', [run], variables);
    await npx.says('"msg":"scheduled"');
    npx.child.kill('SIGKILL');
    // `npx.end` waits for the end of the output, and so for the end of the two processes that the killed npx had
    // started.
    expect(await npx.end).toBe('SIGKILL');
    await expect.poll(countSessions).toBe(0);
  });

  test('leaves another process to its run', async () => {
    const release = await holdUp(db);
    const first = startCommand(days.command(1), { DATABASE_URL: db.url });
    await first.says('"step":"publish"');
    const second = startCommand(days.command(1), { DATABASE_URL: db.url });
    while ((await countSessions()) < 3);
    second.child.kill('SIGTERM');
    expect(await second.end).toBe('SIGTERM');
    expect(await statesOf(db, 1)).toEqual(['running']);
    release();
    expect(await first.end).toBe(0);
    expect(await statesOf(db, 1)).toEqual(['published']);
  });
});

describe('the embedded Postgres', () => {
  test('is stopped with the run that started it', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'registry-data-'));
    // If root runs the test, PostgreSQL runs as another user, which needs access to the folder.
    await chmod(dataDir, 0o755);
    onTestFinished(() => destroyEmbedded(dataDir));
    const command = startCommand(days.command(0), { DATA_DIR: dataDir });
    await command.says('"step":"load fingerprints"');
    command.child.kill('SIGINT');
    expect(await command.end).toBe('SIGINT');
    expect(existsSync(join(dataDir, 'postgres', 'PG_VERSION'))).toBe(true);
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  });
});

describe('two runs of one source', () => {
  test('at the same time: one publishes, the other says why it does not', async () => {
    const commands = [0, 1].map(() => startCommand(days.command(1), { DATABASE_URL: db.url }));
    const ends = await Promise.all(commands.map(({ end }) => end));
    const second = ends[0] === 0 ? 1 : 0;
    expect(ends[1 - second]).toBe(0);
    expect([4, 5]).toContain(ends[second]);
    expect(commands[second]!.sentences()).toEqual([
      expect.stringMatching(/^(Not started: Another run of ceidg|Nothing to do: The ceidg dump)/),
    ]);
    expect(await statesOf(db, 1)).toEqual(['published']);
    expect(differences(undisturbed, await dumpTables(db))).toEqual([]);
  });

  test('4 for the second while the first goes on', async () => {
    const release = await holdUp(db);
    const first = startCommand(days.command(1), { DATABASE_URL: db.url });
    await first.says('"step":"publish"');
    const second = await runCommand(days.command(1), { DATABASE_URL: db.url });
    expect(second.sentences()).toEqual(['Not started: Another run of ceidg is under way']);
    expect(second.code).toBe(4);
    release();
    expect(await first.end).toBe(0);
    expect(differences(undisturbed, await dumpTables(db))).toEqual([]);
  });
});
