import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { connect, type Database } from '../sql/connection/database.ts';
import { destroyEmbedded } from '../fixtures/database/destroy-embedded.ts';
import { benchAbuse } from './bench/abuse.ts';
import { days, makeCountry, timeCopy, timeNight } from './bench/country.ts';
import { benchFeed } from './bench/feed.ts';
import { judgeAtMost, print } from './bench/measurement.ts';
import { benchMemory } from './bench/memory.ts';
import type { MeasuredNight } from './bench/night.ts';
import { benchSearch } from './bench/search.ts';
import { runBenchmarks } from './bench/setting.ts';
import { benchSnapshot } from './bench/snapshot.ts';
import { benchVerify } from './bench/verify.ts';
import { wholeNumber } from './generate-dump.ts';

/** What a night may take in CPU seconds, by a million entries, and in the time of the plain copy. */
const LIMITS = {
  baseline: { cpu_seconds: 60, ratio: 6 },
  night: { cpu_seconds: 6, ratio: 0.8 },
  largeNight: { cpu_seconds: 6, ratio: 0.6 },
};
/** A country of so many entries is large. */
const LARGE_COUNTRY = 4_000_000;
const MEMORY_MB = 512;
/** How many times the bytes of the CSV files the database may take after a night. */
const DATABASE_RATIO = 3;

const program = new Command('bench')
  .description('The night against `unzip -p | COPY` of the same files, in one run')
  .addArgument(
    new Argument('[part]', 'all, or what one account can do to others').choices(['all', 'abuse']),
  )
  .option('--entries <number>', 'size of the country', wholeNumber(1, 20_000_000), 1_000_000)
  .option('--folder <path>', 'where generated countries are kept', join(tmpdir(), 'registry-bench'))
  .parse();

async function bench(part: string, { entries, folder }: { entries: number; folder: string }) {
  await mkdir(folder, { recursive: true });
  print(`A country of ${entries.toLocaleString('en')} entries in 17 zips`);
  const country = await makeCountry(folder, entries);
  const dataDir = await mkdtemp(join(folder, 'registry-bench-'));
  const db = await connect({ dataDir, applicationName: 'registry-bench' });
  try {
    if (part === 'abuse') await timeNight(dataDir, join(country, days[0]), days[0]);
    else await measureNights(db, dataDir, country, entries);
    print('\nThe API');
    // Feeds and abuse last: they add companies and events to the country.
    const all = [benchVerify, benchSearch, benchSnapshot, benchMemory, benchFeed, benchAbuse];
    await runBenchmarks(db, dataDir, part === 'abuse' ? [benchAbuse] : all);
  } finally {
    await db.close();
    await destroyEmbedded(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
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
  // What autovacuum does within the day between two nights.
  await pool.query('vacuum analyze');
  const between = await timeCopy(pool, second);
  const night = await timeNight(dataDir, second, days[1]);
  const after = await timeCopy(pool, second);
  const copies = [before, between, after];
  const copy_s = mean(copies.map(({ elapsed }) => elapsed));
  const cpu_s = mean(copies.map(({ cpu }) => cpu));
  print(
    `\nunzip -p | COPY: ${copies.map(({ elapsed }) => elapsed.toFixed(1)).join(', ')} s, ` +
      `mean ${copy_s.toFixed(1)} s, ${cpu_s.toFixed(1)} CPU seconds`,
  );
  const size = { copy_s, entries };
  const isLarge = entries >= LARGE_COUNTRY;
  const title = `Night with ${night.events.toLocaleString('en')} events`;
  reportNight('Baseline', baseline, size, LIMITS.baseline);
  reportNight(title, night, size, isLarge ? LIMITS.largeNight : LIMITS.night);
  const databaseRatio = night.database_bytes / after.bytes;
  judgeAtMost('Database', databaseRatio, DATABASE_RATIO, '× the CSV files');
}

/** @param size seconds of the plain copy, and entries of the country */
function reportNight(
  title: string,
  night: MeasuredNight,
  { copy_s, entries }: { copy_s: number; entries: number },
  limit: typeof LIMITS.night,
): void {
  print(`\n${title}: ${night.elapsed.toFixed(1)} s, ${night.peak_memory_mb.toFixed(0)} MB`);
  print(`  ${''.padEnd(24)} ${'elapsed'.padStart(9)} ${'Node CPU'.padStart(9)} server CPU`);
  for (const { name, elapsed, node_cpu, server_cpu } of night.steps) {
    const times = [elapsed, node_cpu, server_cpu].map((s) => `${s.toFixed(2).padStart(7)} s`);
    print(`  ${name.padEnd(24)} ${times.join(' ')}`);
  }
  const most_s = (limit.cpu_seconds * entries) / 1_000_000;
  judgeAtMost('CPU', night.node_cpu + night.server_cpu, most_s, 's');
  judgeAtMost('Elapsed', night.elapsed / copy_s, limit.ratio, '× the copy');
  judgeAtMost('Memory', night.peak_memory_mb, MEMORY_MB, 'MB');
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

await bench(program.args[0] ?? 'all', program.opts());
