import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runCommand, startCommand, type Started } from '../../fixtures/process/cli.ts';
import { differences, generateDays, holdUp, statesOf } from '../../fixtures/dump/generated-days.ts';
import { dumpTables, fixtureFolder, runDump } from '../../fixtures/dump/night.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { connect, type Database } from '../../sql/connection/database.ts';
import { destroyEmbedded } from '../../fixtures/database/destroy-embedded.ts';
import { Refusal } from '../errors.ts';
import { verify } from './verify.ts';

/** The contents of the published tables after each day, from a database that is never killed. */
const undisturbed: Record<string, string[]>[] = [];

const dataDir = await mkdtemp(join(tmpdir(), 'registry-kill-'));
// If root runs the test, PostgreSQL runs as another user, which needs access to the folder.
await chmod(dataDir, 0o755);
const days = await generateDays();
const calm = await createTestDatabase();
for (const day of [0, 1] as const) {
  await runDump(calm, ...days.night(day));
  undisturbed.push(await dumpTables(calm));
}

afterAll(() => destroyEmbedded(dataDir));

function open(): Promise<Database> {
  return connect({ DATA_DIR: dataDir, applicationName: 'tests' });
}

async function killServer(): Promise<void> {
  const [pid] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
}

async function expectOneSentence(command: Started): Promise<void> {
  expect(await command.end).toBe(1);
  expect(command.stdout).toBe('');
  expect(command.sentences()).toEqual([
    expect.stringMatching(/^The connection to the database was lost: .*; run it again\.$/),
  ]);
}

async function expectRecovery(day: 0 | 1): Promise<void> {
  const again = await runCommand(days.command(day), { DATA_DIR: dataDir });
  expect(again.sentences()).toEqual([]);
  expect(again.code).toBe(0);
  const db = await open();
  try {
    expect(await statesOf(db, day)).toEqual(['abandoned', 'published']);
    expect(differences(undisturbed[day]!, await dumpTables(db))).toEqual([]);
    expect(await verify(db, 'ceidg')).toEqual([]);
  } finally {
    await db.close();
  }
}

// The tests share one server, and each test continues from the state that the previous test left.
describe('kill -9 of Postgres', () => {
  test('while the baseline is published: exit code 1, one sentence, and the next run does it all', async () => {
    const db = await open();
    await runCommand(['migrate'], { DATA_DIR: dataDir });
    const release = await holdUp(db);
    const command = startCommand(days.command(0), { DATA_DIR: dataDir });
    await command.says('"step":"check"');
    await killServer();
    await expectOneSentence(command);
    release();
    await db.close();
    await expectRecovery(0);
  });

  test('while the changes are read, with nobody else connected', async () => {
    const command = startCommand(days.command(1), { DATA_DIR: dataDir });
    await command.says('"step":"load fingerprints"');
    await killServer();
    await expectOneSentence(command);
    await expectRecovery(1);
  });

  test('right after a refusal: the row of the run is there', async () => {
    const db = await open();
    const night = runDump(db, fixtureFolder('2026-11-03'), '2026-11-03');
    await expect(night).rejects.toThrow(Refusal);
    await killServer();
    await db.close();
    const after = await open();
    const { rows } = await after.pool.query(
      `select state from registry.run where source = 'ceidg' order by run_id desc limit 1`,
    );
    await after.close();
    expect(rows).toEqual([{ state: 'refused' }]);
  });
});
