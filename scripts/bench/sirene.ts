// Measures nights of an invented SIRENE: a first stock, the stock of the next month, and the lists of one day.
import { join } from 'node:path';
import type { SireneOptions } from '../../fixtures/generator/sirene/country.ts';
import { writeStep } from '../../fixtures/generator/sirene/dump.ts';
import { inDatabase, keepDumps } from './country.ts';
import { judgeAtMost, print } from './judge.ts';
import { reportNight, timeNight } from './night.ts';
import { benchSearch } from './search.ts';
import { runBenchmarks } from './setting.ts';

/** The share of units that change in a month, and the number of units that change on a day (at most the same share). */
const MONTH_SHARE = 0.02;
const DAY_UNITS = 20_000;

/** The limits in CPU seconds: per million units for the first and the next stock, and in all for the lists of a day. */
const CPU_SECONDS = { first: 70, month: 8, day: 20 };
const ENTRY_BYTES = 760;

/** The source, and a reason to accept the dumps although, in a small country, guards would refuse so many changes. */
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
  const millions = units / 1_000_000;
  await inDatabase(folder, async (db, dataDir) => {
    const runNight = (date: string) => timeNight(dataDir, join(country, date), date, dump);
    const [first, month, day] = dates;
    reportNight('First stock', await runNight(first), CPU_SECONDS.first * millions);
    // In production, autovacuum vacuums the tables between two nights.
    await db.pool.query('vacuum analyze');
    reportNight('The next month', await runNight(month), CPU_SECONDS.month * millions);
    print('\nThe API');
    await runBenchmarks(db, dataDir, [
      (setting) =>
        benchSearch(setting, 'FR', async () => {
          const night = await runNight(day);
          reportNight('The lists of a day, beside searches', night, CPU_SECONDS.day);
          judgeAtMost('Database', night.database_bytes / units, ENTRY_BYTES, 'bytes an entry');
        }),
    ]);
  });
}
