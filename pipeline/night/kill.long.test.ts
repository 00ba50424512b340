import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type End, runCommand, startCommand } from '../../fixtures/process/cli.ts';
import { createOrigin } from '../../fixtures/database/database-copy.ts';
import { differences, generateDays, holdUp, statesOf } from '../../fixtures/dump/generated-days.ts';
import { dumpTables, runDump } from '../../fixtures/dump/night.ts';
import type { TestDatabase } from '../../fixtures/database/test-database.ts';
import { Random } from '../../fixtures/generator/random.ts';
import { verify } from './verify.ts';

const days = await generateDays();
/** For each of two days, the database before the night of the day; the tests work on copies. */
const before = [
  await createOrigin(() => Promise.resolve()),
  await createOrigin(async (db) => void (await runDump(db, ...days.night(0)))),
] as const;
const undisturbed = [await runUndisturbed(0), await runUndisturbed(1)] as const;

/** Runs a night without a kill; returns its steps, the contents of the published tables, and its duration in ms. */
function runUndisturbed(day: 0 | 1) {
  return withCopy(day, async (db) => {
    const begun_ms = performance.now();
    const command = await runCommand(days.command(day), { DATABASE_URL: db.url });
    const duration_ms = performance.now() - begun_ms;
    if (command.code !== 0) throw new Error(command.stderr);
    const steps = command.logs().map(({ step }) => step as string);
    return { steps, duration_ms, tables: await dumpTables(db) };
  });
}

async function withCopy<T>(day: 0 | 1, use: (db: TestDatabase) => Promise<T>): Promise<T> {
  const db = await before[day].copy();
  try {
    return await use(db);
  } finally {
    await db.drop();
  }
}

/** Kills a night after its step `step`, as soon as the log contains the line that reports the end of the step. */
async function killAfter(db: TestDatabase, day: 0 | 1, step: string): Promise<End> {
  const command = startCommand(days.command(day), { DATABASE_URL: db.url });
  await command.says(`"step":"${step}"`);
  command.child.kill('SIGKILL');
  return await command.end;
}

/** Returns the state that `status`, `check` and the metrics show for the newest run. */
async function shownState(db: TestDatabase): Promise<string | undefined> {
  const { rows } = await db.pool.query<{ state: string }>(
    'select registry.state_of(run) as state from registry.run order by run_id desc limit 1',
  );
  return rows[0]?.state;
}

/** Runs the night again, and expects the same contents of tables as after a night without a kill. */
async function expectRecovery(db: TestDatabase, day: 0 | 1, kills: number): Promise<void> {
  const command = await runCommand(days.command(day), { DATABASE_URL: db.url });
  expect(command.sentences().join()).toMatch(command.code === 5 ? /is published already/ : /^$/);
  expect([0, 5]).toContain(command.code);
  const states = await statesOf(db, day);
  // All runs but one are abandoned, even a run that was killed after another run of the day was published.
  expect(states.filter((state) => state !== 'abandoned')).toEqual(['published']);
  expect(states.length).toBeLessThanOrEqual(kills + 1);
  expect(differences(undisturbed[day].tables, await dumpTables(db))).toEqual([]);
  expect(await verify(db, 'ceidg')).toEqual([]);
}

describe.each([
  { day: 0, night: 'the baseline' },
  { day: 1, night: 'a night of changes' },
] as const)('kill -9 in $night', ({ day }) => {
  const { steps, duration_ms } = undisturbed[day];
  const held = steps.slice(0, steps.indexOf('statistics'));
  const last = steps.slice(steps.indexOf('statistics'));

  test(`after each of: ${held.join(', ')}; nothing is published until it is run to its end`, () =>
    withCopy(day, async (db) => {
      const yesterday = await dumpTables(db);
      const release = await holdUp(db);
      const states: string[] = [];
      for (const step of held) {
        expect(await killAfter(db, day, step)).toBe('SIGKILL');
        states.push('running');
        expect(await statesOf(db, day)).toEqual(states);
        // `registry.state_of` returns `abandoned` for the killed run as soon as the run's database session has ended.
        await expect.poll(() => shownState(db)).toBe('abandoned');
        states[states.length - 1] = 'abandoned';
      }
      release();
      expect(differences(yesterday, await dumpTables(db))).toEqual([]);
      await expectRecovery(db, day, held.length);
      expect(await statesOf(db, day)).toEqual([...states, 'published']);
    }));

  test.each(last)('after %s, where it may be published or not', (step) =>
    withCopy(day, async (db) => {
      await killAfter(db, day, step);
      await expectRecovery(db, day, 1);
    }),
  );

  test.each([1, 2, 3])('twice at random moments (seed %i)', (seed) =>
    withCopy(day, async (db) => {
      const random = new Random().start(seed, day, 0);
      for (let kill = 0; kill < 2; kill += 1) {
        const command = startCommand(days.command(day), { DATABASE_URL: db.url });
        await sleep(random.unit() * duration_ms);
        command.child.kill('SIGKILL');
        await command.end;
      }
      await expectRecovery(db, day, 2);
    }),
  );
});
