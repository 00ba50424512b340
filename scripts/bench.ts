import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { connect } from '../sql/database.ts';
import { days, makeCountry, timeCopy, timeNight } from './bench/country.ts';
import { serverPid } from './bench/cpu.ts';
import { benchFeed } from './bench/feed.ts';
import type { MeasuredNight } from './bench/night.ts';
import { benchSearch } from './bench/search.ts';
import { atMost, report, withServer } from './bench/setting.ts';
import { benchSnapshot } from './bench/snapshot.ts';
import { benchVerify } from './bench/verify.ts';

/** What a night may take in CPU seconds, by a million entries, and in the time of the plain copy. */
const LIMITS = {
  baseline: { cpu_seconds: 60, ratio: 6 },
  night: { cpu_seconds: 6, ratio: 0.8 },
};
/** The ratio of a night of a large country. */
const LARGE = { entries: 4_000_000, ratio: 0.6 };
const MEMORY_MB = 512;
/** How many times the bytes of the CSV files the database may take after a night. */
const DATABASE_RATIO = 3;

const program = new Command('bench')
  .description('The night against `unzip -p | COPY` of the same files, in one run')
  .option('--entries <number>', 'size of the country', wholeNumber, 1_000_000)
  .option('--folder <path>', 'where generated countries are kept', join(tmpdir(), 'registry-bench'))
  .parse();

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('a number of entries');
  return Number(text);
}

async function bench({ entries, folder }: { entries: number; folder: string }): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  print(`A country of ${entries.toLocaleString('en')} entries in 17 zips`);
  const country = await makeCountry(folder, entries);
  return await withServer(async (databaseUrl) => {
    const areNightsFast = await measure(databaseUrl, country, entries);
    const isApiFast = await measureApi(databaseUrl);
    return areNightsFast && isApiFast;
  }, folder);
}

async function measure(databaseUrl: string, country: string, entries: number): Promise<boolean> {
  const db = await connect({ databaseUrl, dataDir: '', applicationName: 'registry-bench' });
  const client = await db.pool.connect();
  try {
    const server = await serverPid(db.pool);
    const [first, second] = [join(country, days[0]), join(country, days[1])];
    const before = await timeCopy(client, server, first);
    const baseline = await timeNight(databaseUrl, first, days[0]);
    // What autovacuum does within the day between two nights.
    await client.query('vacuum analyze');
    const between = await timeCopy(client, server, second);
    const night = await timeNight(databaseUrl, second, days[1]);
    const after = await timeCopy(client, server, second);
    const copies = [before, between, after];
    const copy = mean(copies.map(({ seconds }) => seconds));
    const cpu = mean(copies.map(({ cpu_seconds }) => cpu_seconds));
    print(
      `\nunzip -p | COPY: ${copies.map(({ seconds }) => seconds.toFixed(1)).join(', ')} s, ` +
        `mean ${copy.toFixed(1)} s, ${cpu.toFixed(1)} CPU seconds`,
    );
    const ratio = entries >= LARGE.entries ? LARGE.ratio : LIMITS.night.ratio;
    const results = [
      reportNight('Baseline', baseline, { copy, entries, limit: LIMITS.baseline }),
      reportNight(`Night with ${night.events.toLocaleString('en')} events`, night, {
        copy,
        entries,
        limit: { ...LIMITS.night, ratio },
      }),
      report([
        atMost('Database', night.database_bytes / after.bytes, DATABASE_RATIO, '× the CSV files'),
      ]),
    ];
    return results.every(Boolean);
  } finally {
    client.release();
    await db.close();
  }
}

async function measureApi(databaseUrl: string): Promise<boolean> {
  print('\nThe API');
  return report([
    ...(await benchVerify(databaseUrl)),
    ...(await benchSearch(databaseUrl)),
    ...(await benchSnapshot(databaseUrl)),
    // Last: it adds companies and events to the country.
    ...(await benchFeed(databaseUrl)),
  ]);
}

function reportNight(
  title: string,
  night: MeasuredNight,
  { copy, entries, limit }: { copy: number; entries: number; limit: typeof LIMITS.night },
): boolean {
  print(`\n${title}: ${night.seconds.toFixed(1)} s, ${night.peak_memory_mb.toFixed(0)} MB`);
  print(`  ${''.padEnd(24)} ${'elapsed'.padStart(9)} ${'Node CPU'.padStart(9)} server CPU`);
  for (const { name, seconds, node_cpu_seconds, server_cpu_seconds } of night.steps) {
    const times = [seconds, node_cpu_seconds, server_cpu_seconds];
    print(`  ${name.padEnd(24)} ${times.map((s) => `${s.toFixed(2).padStart(7)} s`).join(' ')}`);
  }
  const cpu_seconds = night.node_cpu_seconds + night.server_cpu_seconds;
  return report([
    atMost('CPU', cpu_seconds, (limit.cpu_seconds * entries) / 1_000_000, 's'),
    atMost('Elapsed', night.seconds / copy, limit.ratio, '× the copy'),
    atMost('Memory', night.peak_memory_mb, MEMORY_MB, 'MB'),
  ]);
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = (await bench(program.opts())) ? 0 : 1;
