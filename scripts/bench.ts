import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { connect } from '../sql/database.ts';
import { withServer } from './bench/alone.ts';
import { days, makeCountry, timeCopy, timeNight } from './bench/country.ts';
import { benchFeed } from './bench/feed.ts';
import type { MeasuredNight } from './bench/night.ts';
import { benchSearch } from './bench/search.ts';
import { benchSnapshot } from './bench/snapshot.ts';
import { benchVerify } from './bench/verify.ts';

/** How much of the time of the plain copy a night may take, by the size of the country. */
const NIGHT_LIMITS = [
  { from_entries: 4_000_000, ratio: 0.6 },
  { from_entries: 0, ratio: 0.8 },
];
const BASELINE_RATIO = 6;
const MEMORY_MB = 512;

const program = new Command('bench')
  .description('The night against `unzip -p | COPY` of the same files, side by side in one run')
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
  const dataDir = await mkdtemp(join(folder, 'data-'));
  try {
    return await withServer(dataDir, async (databaseUrl) => {
      const areNightsFast = await measure(databaseUrl, country, entries);
      const isApiFast = await measureApi(databaseUrl);
      return areNightsFast && isApiFast;
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(databaseUrl: string, country: string, entries: number): Promise<boolean> {
  const db = await connect({ databaseUrl, dataDir: '', applicationName: 'registry-bench' });
  const client = await db.pool.connect();
  try {
    const [first, second] = [join(country, days[0]), join(country, days[1])];
    const before = await timeCopy(client, first);
    const baseline = await timeNight(databaseUrl, first, days[0]);
    // What autovacuum does within the day between two nights.
    await client.query('vacuum analyze');
    const between = await timeCopy(client, second);
    const night = await timeNight(databaseUrl, second, days[1]);
    const after = await timeCopy(client, second);
    const copy = (before + between + after) / 3;
    const limit = NIGHT_LIMITS.find(({ from_entries }) => entries >= from_entries)!.ratio;
    print(
      `\nunzip -p | COPY: ${[before, between, after].map((s) => s.toFixed(1)).join(', ')} s, mean ${copy.toFixed(1)} s`,
    );
    const results = [
      report('Baseline', baseline, copy, BASELINE_RATIO),
      report(`Night with ${night.events.toLocaleString('en')} events`, night, copy, limit),
    ];
    return results.every(Boolean);
  } finally {
    client.release();
    await db.close();
  }
}

async function measureApi(databaseUrl: string): Promise<boolean> {
  print('\nThe API');
  const measurements = [
    ...(await benchVerify(databaseUrl)),
    ...(await benchSearch(databaseUrl)),
    ...(await benchSnapshot(databaseUrl)),
    // Last: it adds companies and events to the country.
    ...(await benchFeed(databaseUrl)),
  ];
  for (const { name, measured, limit, holds } of measurements) {
    print(`  ${name}: ${measured}, the limit is ${limit}: ${holds ? 'holds' : 'FAILS'}`);
  }
  return measurements.every(({ holds }) => holds);
}

function report(title: string, night: MeasuredNight, copy_s: number, limit: number): boolean {
  print(`\n${title}: ${night.seconds.toFixed(1)} s, ${night.peak_memory_mb.toFixed(0)} MB`);
  for (const { name, seconds } of night.steps) {
    print(`  ${name.padEnd(24)} ${seconds.toFixed(2).padStart(8)} s`);
  }
  const ratio = night.seconds / copy_s;
  const isFast = ratio <= limit;
  const isSmall = night.peak_memory_mb <= MEMORY_MB;
  print(`  ${ratio.toFixed(2)} × the copy, the limit is ${limit} ×: ${isFast ? 'holds' : 'FAILS'}`);
  if (!isSmall) print(`  more than ${MEMORY_MB} MB: FAILS`);
  return isFast && isSmall;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = (await bench(program.opts())) ? 0 : 1;
