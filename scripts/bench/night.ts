// Measures nights: the times of the steps, compared with a plain copy of the same files.
import { execFile, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Pool } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Database, inSession } from '../../sql/connection/database.ts';
import { days } from './country.ts';
import { between, look, serverPid } from './cpu.ts';
import { judgeAtMost, print } from './judge.ts';
import type { MeasuredNight } from './night-process.ts';

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
const MEMORY_MB = 512;

export async function measureNights(
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
  const copied = await timeCopy(pool, second);
  const night = await timeNight(dataDir, second, days[1]);
  const size = { copy_s: reportCopies([before, copied]), entries };
  const isLarge = entries >= LARGE_COUNTRY;
  const title = `Night with ${night.events.toLocaleString('en')} events`;
  reportNight('Baseline', baseline, size, LIMITS.baseline);
  reportNight(title, night, size, isLarge ? LIMITS.largeNight : LIMITS.night);
  const databaseRatio = night.database_bytes / copied.bytes;
  judgeAtMost('Database', databaseRatio, DATABASE_RATIO, '× the CSV files');
}

/** Returns the separator of a CSV file in an archive, and a table of text columns for it, by the first line. */
async function readShape(path: string) {
  const first = ['-c', 'unzip -p "$0" | head -n 1', path];
  const { stdout } = await promisify(execFile)('sh', first);
  const separator = stdout.includes(';') ? ';' : ',';
  const columns = stdout.split(separator).map((_, at) => `column_${at} text`);
  return { path, separator, columns, table: `bench_copy_${columns.length}` };
}

/**
 * Measures `unzip -p | COPY` of the files of one day into tables of text columns.
 *
 * @returns seconds, CPU seconds, and the size of the CSV files in bytes
 */
export async function timeCopy(pool: Pool, folder: string) {
  const names = (await readdir(folder)).toSorted();
  const files = await Promise.all(names.map((name) => readShape(join(folder, name))));
  for (const { table, columns } of files)
    await pool.query(`create unlogged table if not exists ${table} (${columns.join(', ')})`);
  const server = await serverPid(pool);
  const before = look(server);
  let bytes = 0;
  await inSession(pool, async (client) => {
    for (const { path, table, separator } of files) {
      const unzip = spawn('unzip', ['-p', path], { stdio: ['ignore', 'pipe', 'inherit'] });
      const copy = copyFrom(
        `copy ${table} from stdin (format csv, delimiter '${separator}', header)`,
      );
      unzip.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length));
      await pipeline(unzip.stdout, client.query(copy));
    }
  });
  const { elapsed, node_cpu, server_cpu } = between(before, look(server));
  await pool.query(`drop table ${[...new Set(files.map(({ table }) => table))].join(', ')}`);
  return { elapsed, cpu: node_cpu + server_cpu, bytes };
}

/** Runs one night in a process of its own, and returns its figures. @param reason accepts a dump that guards refuse */
export async function timeNight(
  dataDir: string,
  folder: string,
  dump_date: string,
  [source, reason = '']: [source: string, reason?: string] = ['ceidg'],
): Promise<MeasuredNight> {
  const script = join(import.meta.dirname, 'night-process.ts');
  const args = [script, dataDir, folder, dump_date, source, reason];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as MeasuredNight;
}

/** The limits of a night: CPU seconds per million entries, time relative to the plain copy, elapsed seconds. */
export interface NightLimit {
  cpu_seconds?: number;
  ratio?: number;
  elapsed?: number;
}

/** Prints the times of the plain copies. Returns their mean in seconds. */
export function reportCopies(copies: readonly { elapsed: number; cpu: number }[]): number {
  const copy_s = mean(copies.map(({ elapsed }) => elapsed));
  const cpu_s = mean(copies.map(({ cpu }) => cpu));
  print(
    `\nunzip -p | COPY: ${copies.map(({ elapsed }) => elapsed.toFixed(1)).join(', ')} s, ` +
      `mean ${copy_s.toFixed(1)} s, ${cpu_s.toFixed(1)} CPU seconds`,
  );
  return copy_s;
}

/** Prints and judges the figures of a night. @param size seconds of the plain copy, entries of the country */
export function reportNight(
  title: string,
  night: MeasuredNight,
  { copy_s, entries }: { copy_s: number; entries: number },
  limit: NightLimit,
): void {
  print(`\n${title}: ${night.elapsed.toFixed(1)} s, ${night.peak_memory_mb.toFixed(0)} MB`);
  print(`  ${''.padEnd(24)} ${'elapsed'.padStart(9)} ${'Node CPU'.padStart(9)} server CPU`);
  for (const { name, elapsed, node_cpu, server_cpu } of night.steps) {
    const times = [elapsed, node_cpu, server_cpu].map((s) => `${s.toFixed(2).padStart(7)} s`);
    print(`  ${name.padEnd(24)} ${times.join(' ')}`);
  }
  const cpu_s = night.node_cpu + night.server_cpu;
  if (limit.cpu_seconds === undefined) print(`  CPU: ${cpu_s.toFixed(2)} s`);
  else judgeAtMost('CPU', cpu_s, (limit.cpu_seconds * entries) / 1_000_000, 's');
  const { ratio, elapsed } = limit;
  if (ratio !== undefined) judgeAtMost('Elapsed', night.elapsed / copy_s, ratio, '× the copy');
  if (elapsed !== undefined) judgeAtMost('Elapsed', night.elapsed, elapsed, 's');
  judgeAtMost('Memory', night.peak_memory_mb, MEMORY_MB, 'MB');
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
