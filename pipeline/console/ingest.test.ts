import { cp, mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type End, runCommand } from '../../fixtures/process/cli.ts';
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

async function expectNothingChanged(act: () => Promise<End>): Promise<void> {
  const before = await dumpTables(db);
  await act();
  expect(await dumpTables(db)).toEqual(before);
}

async function readRuns(): Promise<object[]> {
  const { rows } = await db.pool.query<object>(
    `select dump_date, state, reason, message from registry.run order by run_id`,
  );
  return rows;
}

// One database, one story: each test goes on where the one before it ended.
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
    const runs = await readRuns();
    await expectNothingChanged(async () => {
      const command = await ingest(fixtureFolder('2026-11-03'), '2026-11-03', '--dry-run');
      expect(command.stdout).toMatch(/^ceidg 2026-11-03: would be published \(dry run\)\n/);
      expect(command.stdout).toContain('new 2, updated 18, deleted 1, entries 82, events 19\n');
      expect(command.code).toBe(0);
      return command.code;
    });
    expect(await readRuns()).toEqual(runs);
  });

  test('3 refuses a dump that lacks a file, and publishes nothing', async () => {
    await expectNothingChanged(async () => {
      const command = await ingest(incomplete, '2026-11-03', '--json');
      const message = expect.stringContaining('opolskie') as string;
      expect(JSON.parse(command.stdout)).toEqual({
        run_id: 3,
        source: 'ceidg',
        dump_date: '2026-11-03',
        state: 'refused',
        message,
        published_date: '2026-11-02',
        refusals: [
          {
            guard: 'missing_file',
            file: 'Zarejestrowane działalności - województwo opolskie.zip',
            value: expect.any(Number) as number,
            limit: 0,
          },
        ],
      });
      expect(command.logs().at(-1)).toMatchObject({ level: 50, run_id: 3, state: 'refused' });
      expect(command.stdout.split('\n')).toHaveLength(2);
      expect(command.sentences()).toEqual([]);
      expect(command.code).toBe(3);
      return command.code;
    });
    expect(await readRuns()).toMatchObject([{}, { dump_date: '2026-11-03', state: 'refused' }]);
  });

  test('--dry-run of a refused dump leaves no trace either', async () => {
    const runs = await readRuns();
    const command = await ingest(incomplete, '2026-11-03', '--dry-run');
    expect(command.code).toBe(3);
    expect(command.stdout).toMatch(/^ceidg 2026-11-03: refused; readers still see 2026-11-02\n/);
    expect(await readRuns()).toEqual(runs);
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
    await expectNothingChanged(async () => {
      const command = await ingest(fixtureFolder('2026-11-04'), '2026-11-04');
      expect(command.logs().at(-1)).toMatchObject({
        level: 30,
        msg: 'Nothing to do: The ceidg dump of 2026-11-04 is published already',
      });
      expect(command.stdout).toBe('');
      expect(command.code).toBe(5);
      return command.code;
    });
    const json = await ingest(fixtureFolder('2026-11-04'), '2026-11-04', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ state: 'nothing' });
    expect(json.code).toBe(5);
  });

  test('3 refuses other bytes for the newest date', async () => {
    await expectNothingChanged(async () => {
      const command = await ingest(fixtureFolder('2026-11-05'), '2026-11-04');
      expect(command.stdout).toMatch(/Another ceidg dump/);
      expect(command.stdout).toContain('--accept does not help');
      expect(command.code).toBe(3);
      return command.code;
    });
  });

  test('2 a folder that is no dump makes no run', async () => {
    const runs = await readRuns();
    const folder = await mkdtemp(join(tmpdir(), 'registry-none-'));
    const empty = await ingest(folder, '2026-11-05');
    expect(empty.sentences()).toEqual([`${folder}: an empty folder`]);
    expect(empty.code).toBe(2);
    await writeFile(join(folder, 'holiday.jpg'), '');
    const other = await ingest(folder, '2026-11-05');
    expect(other.sentences()).toEqual([`${folder}: no file of a ceidg dump in it`]);
    expect(other.code).toBe(2);
    await rm(folder, { recursive: true });
    expect(await readRuns()).toEqual(runs);
  });

  test('3 refuses a dump of which all files are those of the last one, unless it is accepted', async () => {
    const path = fixtureFolder('2026-11-04');
    await expectNothingChanged(async () => {
      const command = await ingest(path, '2026-11-05', '--json');
      expect(JSON.parse(command.stdout)).toMatchObject({
        state: 'refused',
        message:
          'all 17 files hold, byte for byte, what they held on 2026-11-04: the dump is stale',
        refusals: [{ guard: 'stale', file: null, value: 17, limit: 16 }],
      });
      expect(command.code).toBe(3);
      return command.code;
    });
    const rehearsed = await ingest(path, '2026-11-05', '--dry-run', '--accept', 'a holiday');
    expect(rehearsed.stdout).toContain('  new 0, updated 0, deleted 0,');
    expect(rehearsed.code).toBe(0);
  });

  test('4 leaves the source to the run that is under way', async () => {
    const runs = await readRuns();
    const client = await db.pool.connect();
    try {
      await lockSource(client, 'ceidg');
      const command = await ingest(fixtureFolder('2026-11-05'), '2026-11-05');
      expect(command.logs().at(-1)).toMatchObject({
        level: 50,
        msg: 'Not started: Another run of ceidg is under way',
      });
      expect(command.stdout).toBe('');
      expect(command.code).toBe(4);
    } finally {
      client.release(true);
    }
    expect(await readRuns()).toEqual(runs);
  });

  test('1 with one sentence when the disk or the server fails in the middle', async () => {
    await db.pool.query(
      'alter table registry.event add constraint no_event check (false) not valid',
    );
    try {
      await expectNothingChanged(async () => {
        const command = await ingest(fixtureFolder('2026-11-05'), '2026-11-05', '--json');
        const message = expect.stringContaining('no_event') as string;
        const run_id = expect.any(Number) as number;
        expect(JSON.parse(command.stdout)).toEqual({ state: 'failed', run_id, message });
        expect(command.logs().at(-1)).toMatchObject({ level: 60, run_id });
        expect(command.sentences()).toEqual([message]);
        expect(command.stderr).not.toMatch(/^ +at /m);
        expect(command.code).toBe(1);
        return command.code;
      });
    } finally {
      await db.pool.query('alter table registry.event drop constraint no_event');
    }
    expect((await readRuns()).at(-1)).toMatchObject({ dump_date: '2026-11-05', state: 'failed' });
  });
});
