import { cp, mkdtemp, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../fixtures/process/cli.ts';
import { dumpTables, fixtureFolder } from '../../fixtures/dump/night.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { lockSource } from '../night/lock.ts';

const db = await createTestDatabase();
const incomplete = await mkdtemp(join(tmpdir(), 'registry-dump-'));
await cp(fixtureFolder('2026-11-03'), incomplete, { recursive: true });
await unlink(join(incomplete, 'Zarejestrowane działalności - województwo opolskie.zip'));

function ingest(path: string, date: string, ...options: string[]) {
  const args = ['ingest', 'ceidg', path, '--date', date, ...options];
  return runCommand(args, { DATABASE_URL: db.url });
}

/**
 * Ingests a dump that must not be published. @returns the ended command, and the number of runs that the command added
 */
async function takeInVain(...args: Parameters<typeof ingest>) {
  const [tables, runs] = [await dumpTables(db), await readRuns()];
  const command = await ingest(...args);
  expect(await dumpTables(db)).toEqual(tables);
  return { command, run_count: (await readRuns()).length - runs.length };
}

async function readRuns(): Promise<object[]> {
  const { rows } = await db.pool.query<object>(
    `select dump_date, state, reason, message from registry.run order by run_id`,
  );
  return rows;
}

// The tests share one database, and each test continues from the state that the previous test left.
describe('ingest', () => {
  test('0 publishes the baseline; steps go to stderr as log lines', async () => {
    const command = await ingest(fixtureFolder('2026-11-02'), '2026-11-02');
    expect(command.stdout).toBe(
      'ceidg 2026-11-02: published, the baseline, run 1\n' +
        '  read 81, accepted 81, rejected 0\n' +
        '  new 0, updated 0, deleted 0, entries 81, events 0\n',
    );
    expect(command.sentences()).toEqual([]);
    const steps = command.logs();
    expect(steps.length).toBeGreaterThan(5);
    for (const step of steps) {
      expect(step).toMatchObject({ source: 'ceidg', dump_date: '2026-11-02', level: 30 });
      expect(step).toMatchObject({ run_id: 1 });
      expect(step.seconds).toBeTypeOf('number');
    }
    expect(command.code).toBe(0);
  });

  test('--dry-run says what would happen and leaves no trace', async () => {
    const whole = await takeInVain(fixtureFolder('2026-11-03'), '2026-11-03', '--dry-run');
    expect(whole).toMatchObject({ run_count: 0, command: { code: 0 } });
    expect(whole.command.stdout).toMatch(/^ceidg 2026-11-03: would be published \(dry run\)\n/);
    expect(whole.command.stdout).toContain('new 2, updated 18, deleted 1, entries 82, events 20\n');
    const refused = await takeInVain(incomplete, '2026-11-03', '--dry-run');
    expect(refused).toMatchObject({ run_count: 0, command: { code: 3 } });
    expect(refused.command.stdout).toMatch(
      /^ceidg 2026-11-03: refused; readers still see 2026-11-02\n/,
    );
  });

  test('3 refuses a dump that lacks a file, and publishes nothing', async () => {
    const { command } = await takeInVain(incomplete, '2026-11-03', '--json');
    expect(JSON.parse(command.stdout)).toEqual({
      run_id: 4,
      source: 'ceidg',
      dump_date: '2026-11-03',
      state: 'refused',
      message: expect.stringContaining('opolskie') as string,
      path: incomplete,
      published_date: '2026-11-02',
      refusals: [
        {
          guard: 'missing_file',
          file: 'Zarejestrowane działalności - województwo opolskie.zip',
          value: expect.any(Number) as number,
          limit: 0,
          sentence: expect.stringContaining('opolskie.zip is missing') as string,
        },
      ],
    });
    expect(command.logs().at(-1)).toMatchObject({ level: 50, run_id: 4, state: 'refused' });
    expect(command.stdout.split('\n')).toHaveLength(2);
    expect(command.sentences()).toEqual([]);
    expect(command.code).toBe(3);
    expect(await readRuns()).toMatchObject([{}, { dump_date: '2026-11-03', state: 'refused' }]);
  });

  test('--accept publishes it all the same and keeps the reason', async () => {
    const command = await ingest(incomplete, '2026-11-03', '--accept', '  opolskie comes later ');
    expect(command.code).toBe(0);
    expect(await readRuns()).toMatchObject([
      {},
      {},
      { dump_date: '2026-11-03', state: 'published', reason: 'opolskie comes later' },
    ]);
    const status = await runCommand(['status'], { DATABASE_URL: db.url });
    expect(status.stdout).toContain('published accepted: opolskie comes later\n');
  });

  test('--json is one object on stdout and nothing else', async () => {
    const command = await ingest(fixtureFolder('2026-11-04'), '2026-11-04', '--json', '--full');
    expect(command.stdout).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(command.stdout)).toMatchObject({
      source: 'ceidg',
      dump_date: '2026-11-04',
      state: 'published',
      is_baseline: false,
      is_dry_run: false,
      rejected: 1,
    });
    expect(command.code).toBe(0);
  });

  test('5 has nothing to do for the same files once more', async () => {
    const { command } = await takeInVain(fixtureFolder('2026-11-04'), '2026-11-04');
    const msg = 'Nothing to do: The ceidg dump of 2026-11-04 is published already';
    expect(command.logs().at(-1)).toMatchObject({ level: 30, msg });
    expect(command).toMatchObject({ code: 5, stdout: '' });
    const json = await ingest(fixtureFolder('2026-11-04'), '2026-11-04', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ state: 'nothing' });
    expect(json.code).toBe(5);
  });

  test('3 refuses other bytes for the newest date', async () => {
    const { command } = await takeInVain(fixtureFolder('2026-11-05'), '2026-11-04');
    expect(command.stdout).toMatch(/Another ceidg dump/);
    expect(command.stdout).toContain('--accept does not help');
    expect(command.code).toBe(3);
  });

  test('2 a folder that is no dump makes no run', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-none-'));
    for (const sentence of ['an empty folder', 'no file of a ceidg dump in it']) {
      const { command, run_count } = await takeInVain(folder, '2026-11-05');
      expect(command.sentences()).toEqual([`${folder}: ${sentence}`]);
      expect([command.code, run_count]).toEqual([2, 0]);
      await writeFile(join(folder, 'holiday.jpg'), '');
    }
  });

  test('3 refuses a dump of which all files are those of the last one, unless it is accepted', async () => {
    const path = fixtureFolder('2026-11-04');
    const { command } = await takeInVain(path, '2026-11-05', '--json');
    expect(JSON.parse(command.stdout)).toMatchObject({
      state: 'refused',
      message: 'all 17 files hold, byte for byte, what they held on 2026-11-04: the dump is stale',
      refusals: [{ guard: 'stale', file: null, value: 17, limit: 16 }],
    });
    expect(command.code).toBe(3);
    const rehearsed = await ingest(path, '2026-11-05', '--dry-run', '--accept', 'a holiday');
    expect(rehearsed.stdout).toContain('  new 0, updated 0, deleted 0,');
    expect(rehearsed.code).toBe(0);
  });

  test('4 leaves the source to the run that is under way', async () => {
    const client = await db.pool.connect();
    onTestFinished(() => client.release(true));
    await lockSource(client, 'ceidg');
    const ended = await takeInVain(fixtureFolder('2026-11-05'), '2026-11-05');
    const msg = 'Not started: Another run of ceidg is under way';
    expect(ended.command.logs().at(-1)).toMatchObject({ level: 50, msg });
    expect(ended).toMatchObject({ run_count: 0, command: { code: 4, stdout: '' } });
  });

  test('1 with one sentence when the disk or the server fails in the middle', async () => {
    await db.pool.query(
      'alter table registry.event add constraint no_event check (false) not valid',
    );
    const { command } = await takeInVain(fixtureFolder('2026-11-05'), '2026-11-05', '--json');
    const message = expect.stringContaining('no_event') as string;
    const run_id = expect.any(Number) as number;
    expect(JSON.parse(command.stdout)).toEqual({ state: 'failed', run_id, message });
    expect(command.logs().at(-1)).toMatchObject({ level: 60, run_id });
    expect(command.sentences()).toEqual([message]);
    expect(command.stderr).not.toMatch(/^ +at /m);
    expect(command.code).toBe(1);
    expect((await readRuns()).at(-1)).toMatchObject({ dump_date: '2026-11-05', state: 'failed' });
  });
});
