// Measures the nights of an invented SIRENE: a first stock, the stock of the next month, and a day's lists.
import { join } from 'node:path';
import type { SireneOptions } from '../../fixtures/generator/sirene/country.ts';
import { writeStep } from '../../fixtures/generator/sirene/dump.ts';
import { inDatabase, keepDumps } from './country.ts';
import { judgeAtMost, print } from './judge.ts';
import { type NightLimit, reportCopies, reportNight, timeCopy, timeNight } from './night.ts';
import { benchSearch, benchSearchNight } from './search.ts';
import { runBenchmarks } from './setting.ts';

/** The share of units that a month changes, and the number of units that a day changes, at most a month's. */
const MONTH_SHARE = 0.02;
const DAY_UNITS = 20_000;

const LIMITS = {
  first: { ratio: 6 },
  month: { ratio: 1 },
  day: { elapsed: 20 },
} satisfies Record<string, NightLimit>;
const ENTRY_BYTES = 760;

/** The source of the dumps, and the reason that accepts them: guards refuse so many changes in a small country. */
const dump: [string, string] = ['sirene', 'A benchmark'];

const dates = ['2026-08-31', '2026-09-30', '2026-10-01'] as const;

function makeDumps(folder: string, units: number): Promise<string> {
  const shares = [0, MONTH_SHARE, Math.min(MONTH_SHARE, DAY_UNITS / units)];
  const steps = dates.map((date, at) => ({ date, changes: shares[at]! }));
  const options: SireneOptions = { seed: 1, units, steps };
  return keepDumps(join(folder, `sirene-${units}`), async (half) => {
    for (const [step, date] of dates.entries()) {
      await writeStep(options, step, join(half, date), step === 2 ? 'delta' : 'zip');
    }
  });
}

export async function benchSirene(folder: string, units: number): Promise<void> {
  print(`A SIRENE of ${units.toLocaleString('en')} units`);
  const country = await makeDumps(folder, units);
  const [first, month] = [join(country, dates[0]), join(country, dates[1])];
  await inDatabase(folder, async (db, dataDir) => {
    const copies = [await timeCopy(db.pool, first)];
    const nights = [await timeNight(dataDir, first, dates[0], dump)];
    await db.pool.query('vacuum analyze');
    copies.push(await timeCopy(db.pool, month));
    nights.push(await timeNight(dataDir, month, dates[1], dump));
    // This replaces autovacuum, which runs between two nights.
    await db.pool.query('vacuum analyze');
    const [, , day] = dates;
    const runDay = () => timeNight(dataDir, join(country, day), day, dump);
    print('\nThe API');
    await runBenchmarks(db, dataDir, [
      (setting) => benchSearch(setting, 'FR'),
      async (setting) => void nights.push(await benchSearchNight(setting, 'FR', runDay)),
    ]);
    const size = { copy_s: reportCopies(copies), entries: units };
    const events = nights.map((night) => `${night.events.toLocaleString('en')} events`);
    reportNight('First stock', nights[0]!, size, LIMITS.first);
    reportNight(`The next month, ${events[1]}`, nights[1]!, size, LIMITS.month);
    reportNight(`The lists of a day, beside searches, ${events[2]}`, nights[2]!, size, LIMITS.day);
    judgeAtMost('Database', nights[2]!.database_bytes / units, ENTRY_BYTES, 'bytes an entry');
  });
}
