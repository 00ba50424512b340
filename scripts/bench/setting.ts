// What the benchmarks of the API run in.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Database } from '../../sql/database.ts';
import { destroyEmbedded } from '../../fixtures/database/destroy-embedded.ts';
import { acquireEmbedded } from '../../sql/embedded/embedded.ts';
import { type Db, openKysely } from '../../sql/kysely.ts';
import { migrate } from '../../sql/migrate.ts';
import { createServerProcess } from '../server-process.ts';

/** A figure, what it has to be, and whether it is. */
export interface Measurement {
  name: string;
  measured: string;
  limit: string;
  holds: boolean;
}

/** A figure that may be as large as its limit. */
export function atMost(name: string, value: number, limit: number, unit: string): Measurement {
  const [measured, most] = [`${value.toFixed(2)} ${unit}`, `${limit} ${unit}`];
  return { name, measured, limit: most, holds: value <= limit };
}

/** A database, and servers on it. */
export interface Setting {
  db: Database;
  kysely: Db;
  /** Starts the API as a process of its own. */
  startApi: () => Promise<string>;
  /** Starts the bare server, which the API is compared with. */
  startBare: () => Promise<string>;
}

/** Opens a database for a benchmark; its servers end with the benchmark. */
export async function withSetting<T>(
  databaseUrl: string,
  use: (setting: Setting) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'registry-bench-'));
  const db = await connect({ databaseUrl, dataDir, applicationName: 'registry-bench' });
  const servers: ReturnType<typeof createServerProcess>[] = [];
  const start = async (script: string) => {
    const variables = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      PORT: '0',
      TRUST_PROXY: 'loopback',
      // The welcome bonus has to last.
      SNAPSHOT_CREDITS: '1',
    };
    const server = createServerProcess(script, variables, 'ignore');
    servers.push(server);
    return (await server.start()) ?? (await server.fail());
  };
  try {
    await migrate(db);
    return await use({
      db,
      kysely: openKysely(db.pool),
      startApi: () => start('../api/main.ts'),
      startBare: () => start('bench/bare-server.ts'),
    });
  } finally {
    for (const server of servers) await server.stop();
    await db.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/**
 * Runs one benchmark by itself and prints what it measured, on the database whose URL is the argument
 * of the command, else on an empty one.
 */
export async function benchAlone(
  bench: (databaseUrl: string) => Promise<Measurement[]>,
): Promise<void> {
  const given = process.argv[2];
  const measurements = given === undefined ? await withServer(bench) : await bench(given);
  process.exitCode = report(measurements) ? 0 : 1;
}

/** Starts an embedded server in an empty folder for as long as it is used, and removes it. */
export async function withServer<T>(
  use: (databaseUrl: string) => Promise<T>,
  folder = tmpdir(),
): Promise<T> {
  const dataDir = await mkdtemp(join(folder, 'registry-bench-'));
  const embedded = await acquireEmbedded(dataDir);
  try {
    const { host, port, user, database } = embedded.connection;
    return await use(
      `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`,
    );
  } finally {
    await embedded.release();
    await destroyEmbedded(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Prints measurements. @returns whether every limit holds */
export function report(measurements: readonly Measurement[]): boolean {
  for (const { name, measured, limit, holds } of measurements) {
    const verdict = holds ? 'holds' : 'FAILS';
    process.stdout.write(`  ${name}: ${measured}, the limit is ${limit}: ${verdict}\n`);
  }
  return measurements.every(({ holds }) => holds);
}
