// Measures the times of the steps of nights, and the size of the database after nights.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Database } from '../../sql/connection/database.ts';
import { days } from './country.ts';
import { judgeAtMost, print } from './judge.ts';
import type { MeasuredNight } from './night-process.ts';

const execute = promisify(execFile);

/** The limits in CPU seconds per million entries, for a baseline and for a later night. */
const CPU_SECONDS = { baseline: 35, night: 4 };
/** The limit for the size of the database after a night, divided by the size of the dump's CSV files. */
const DATABASE_RATIO = 3;
const MEMORY_MB = 512;

export async function measureNights(
  { pool }: Database,
  dataDir: string,
  country: string,
  entries: number,
): Promise<void> {
  const [first, second] = [join(country, days[0]), join(country, days[1])];
  const millions = entries / 1_000_000;
  const baseline = await timeNight(dataDir, first, days[0]);
  reportNight('Baseline', baseline, CPU_SECONDS.baseline * millions);
  // In production, autovacuum vacuums the tables during the day between two nights.
  await pool.query('vacuum analyze');
  const night = await timeNight(dataDir, second, days[1]);
  reportNight('Night', night, CPU_SECONDS.night * millions);
  const script = 'for zip in "$0"/*; do unzip -p "$zip"; done | wc -c';
  const { stdout: bytes } = await execute('sh', ['-c', script, second]);
  const databaseRatio = night.database_bytes / Number(bytes);
  judgeAtMost('Database', databaseRatio, DATABASE_RATIO, '× the CSV files');
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
  const { stdout } = await execute(process.execPath, args);
  return JSON.parse(stdout) as MeasuredNight;
}

/** Prints a night's figures, and whether memory and CPU are within their limits. @param limit_s the CPU limit in s */
export function reportNight(title: string, night: MeasuredNight, limit_s: number): void {
  const events = `${night.events.toLocaleString('en')} events`;
  print(`\n${title}: ${night.elapsed.toFixed(1)} s, ${events}`);
  print(`  ${''.padEnd(24)} ${'elapsed'.padStart(9)} ${'Node CPU'.padStart(9)} server CPU`);
  for (const { name, elapsed, node_cpu, server_cpu } of night.steps) {
    const times = [elapsed, node_cpu, server_cpu].map((s) => `${s.toFixed(2).padStart(7)} s`);
    print(`  ${name.padEnd(24)} ${times.join(' ')}`);
  }
  judgeAtMost('CPU', night.node_cpu + night.server_cpu, limit_s, 's');
  judgeAtMost('Memory', night.peak_memory_mb, MEMORY_MB, 'MB');
}
