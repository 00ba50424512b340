import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import type { Database } from '../sql/connection/database.ts';
import { benchAbuse } from './bench/abuse.ts';
import { days, inDatabase, makeCountry, timeCopy, timeNight } from './bench/country.ts';
import { benchFeed } from './bench/feed.ts';
import { benchFloods } from './bench/flood.ts';
import { judgeAtMost, print, reportCopies, reportNight } from './bench/measurement.ts';
import { benchSirene } from './bench/sirene.ts';
import { benchMemory } from './bench/memory.ts';
import { benchSearch } from './bench/search.ts';
import { runBenchmarks } from './bench/setting.ts';
import { benchLookup, benchSnapshot, benchVerify } from './bench/verify.ts';
import { benchWebhooks } from './bench/webhooks.ts';
import { wholeNumber } from '../fixtures/generator/whole-number.ts';

/** The limits of a night: CPU seconds per million entries, and elapsed time relative to the plain copy. */
const LIMITS = {
  baseline: { cpu_seconds: 35, ratio: 6 },
  night: { cpu_seconds: 4, ratio: 0.8 },
  largeNight: { cpu_seconds: 4, ratio: 0.6 },
};
/** The number of entries from which a country counts as large. */
const LARGE_COUNTRY = 4_000_000;
/** The limit of the ratio of the database size after a night to the size of its CSV files. */
const DATABASE_RATIO = 3;

const abuses = [benchAbuse, benchFloods];

/** The benchmarks of the API, by the part that they belong to. A part other than `all` has no second night. */
const parts: Record<string, typeof abuses> = {
  // Feeds and abuse run last, because they add companies and events to the country.
  all: [
    benchVerify,
    benchSearch,
    benchSnapshot,
    benchLookup,
    benchMemory,
    benchFeed,
    benchWebhooks,
    ...abuses,
  ],
  abuse: abuses,
  memory: [benchMemory],
  webhooks: [benchWebhooks],
};

const program = new Command('bench')
  .description('The night against `unzip -p | COPY` of the same files, in one run')
  .addArgument(
    new Argument(
      '[part]',
      'all; what one client can do to others; memory; nights of SIRENE; webhooks',
    ).choices([...Object.keys(parts), 'sirene']),
  )
  .option('--entries <number>', 'size of the country', wholeNumber(1, 20_000_000), 1_000_000)
  .option('--folder <path>', 'where generated countries are kept', join(tmpdir(), 'registry-bench'))
  .parse();

async function bench(part: string, { entries, folder }: { entries: number; folder: string }) {
  await mkdir(folder, { recursive: true });
  if (part === 'sirene') {
    await benchSirene(folder, entries);
    return;
  }
  print(`A country of ${entries.toLocaleString('en')} entries in 17 zips`);
  const country = await makeCountry(folder, entries);
  await inDatabase(folder, async (db, dataDir) => {
    if (part === 'all') await measureNights(db, dataDir, country, entries);
    else await timeNight(dataDir, join(country, days[0]), days[0]);
    print('\nThe API');
    await runBenchmarks(db, dataDir, parts[part]!);
  });
}

async function measureNights(
  { pool }: Database,
  dataDir: string,
  country: string,
  entries: number,
): Promise<void> {
  const [first, second] = [join(country, days[0]), join(country, days[1])];
  const before = await timeCopy(pool, first);
  const baseline = await timeNight(dataDir, first, days[0]);
  // This replaces autovacuum, which runs during the day between two nights.
  await pool.query('vacuum analyze');
  const between = await timeCopy(pool, second);
  const night = await timeNight(dataDir, second, days[1]);
  const size = { copy_s: reportCopies([before, between]), entries };
  const isLarge = entries >= LARGE_COUNTRY;
  const title = `Night with ${night.events.toLocaleString('en')} events`;
  reportNight('Baseline', baseline, size, LIMITS.baseline);
  reportNight(title, night, size, isLarge ? LIMITS.largeNight : LIMITS.night);
  const databaseRatio = night.database_bytes / between.bytes;
  judgeAtMost('Database', databaseRatio, DATABASE_RATIO, '× the CSV files');
}

await bench(program.args[0] ?? 'all', program.opts());
