import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Pool } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { connect, type Database, inSession } from '../../sql/connection/database.ts';
import { destroyEmbedded } from '../../fixtures/database/destroy-embedded.ts';
import { writeDay } from '../../fixtures/generator/ceidg/dump.ts';
import { between, look, serverPid } from './cpu.ts';
import type { MeasuredNight } from './night-process.ts';

/** The days of a generated country: a baseline and the night after it. */
export const days = ['2026-09-01', '2026-09-02'] as const;

/** Generates the dumps of a country, unless an earlier benchmark generated them. Returns their folder. */
export async function keepDumps(
  country: string,
  write: (half: string) => Promise<void>,
): Promise<string> {
  if (existsSync(country)) return country;
  const half = `${country}.part`;
  await rm(half, { recursive: true, force: true });
  await write(half);
  await rename(half, country);
  return country;
}

export function makeCountry(folder: string, entries: number): Promise<string> {
  return keepDumps(join(folder, `country-${entries}`), async (half) => {
    for (const [day, date] of days.entries()) {
      await writeDay({ seed: 1, entries, from: days[0] }, day, join(half, date));
    }
  });
}

/** Runs a benchmark in a new embedded database, and deletes the database afterwards. */
export async function inDatabase(
  folder: string,
  use: (db: Database, dataDir: string) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(join(folder, 'registry-bench-'));
  const db = await connect({ DATA_DIR: dataDir, applicationName: 'registry-bench' });
  try {
    await use(db, dataDir);
  } finally {
    await db.close();
    await destroyEmbedded(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
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
