// What the benchmarks of the API run in.
import { setTimeout as delay } from 'node:timers/promises';
import { createAccount } from '../../fixtures/client/account.ts';
import type { Database } from '../../sql/database.ts';
import { type Db, openKysely } from '../../sql/kysely.ts';
import { createServerProcess } from '../server-process.ts';
import type { Measurement } from './measurement.ts';

export const connectionCount = 50;
/** So many that no client meets the limit of its token. */
const tokensPerConnection = 80;

/** A database with a country, accounts in it, and servers on it. */
export interface Setting {
  db: Database;
  kysely: Db;
  /** Master Tokens of as many accounts, by connection: enough for a load of all connections. */
  tokens: string[][];
  /** Starts the API as a process of its own. */
  startApi: () => Promise<string>;
  /** Starts the bare server, which the API is compared with. */
  startBare: () => Promise<string>;
}

/** Waits until an API that has just started has loaded the companies. @returns the seconds */
export async function waitUntilLoaded(api: string): Promise<number> {
  const started_ms = performance.now();
  while (!(await fetch(`${api}/readyz`)).ok) await delay(100);
  return (performance.now() - started_ms) / 1000;
}

async function createTokens(kysely: Db): Promise<string[][]> {
  const tokens: string[][] = [];
  while (tokens.length < connectionCount) {
    const accounts = Array.from({ length: tokensPerConnection }, () => createAccount(kysely));
    tokens.push((await Promise.all(accounts)).map(({ master_token }) => master_token));
  }
  return tokens;
}

/** Runs benchmarks one after the other; the servers that one starts end with it. */
export async function runBenchmarks(
  db: Database,
  dataDir: string,
  benchmarks: readonly ((setting: Setting) => Promise<Measurement[]>)[],
): Promise<Measurement[]> {
  const kysely = openKysely(db.pool);
  const tokens = await createTokens(kysely);
  await db.pool.query('vacuum analyze');
  const measurements: Measurement[] = [];
  for (const run of benchmarks) {
    const servers: ReturnType<typeof createServerProcess>[] = [];
    const start = async (script: string) => {
      // The welcome bonus has to last.
      const own = { PORT: '0', TRUST_PROXY: 'loopback', SNAPSHOT_CREDITS: '1' };
      const variables = { ...process.env, DATABASE_URL: '', DATA_DIR: dataDir, ...own };
      const server = createServerProcess(script, variables, 'ignore');
      servers.push(server);
      return (await server.start()) ?? (await server.fail());
    };
    const startApi = () => start('../api/main.ts');
    const startBare = () => start('bench/bare-server.ts');
    try {
      measurements.push(...(await run({ db, kysely, tokens, startApi, startBare })));
    } finally {
      for (const server of servers) await server.stop();
    }
  }
  return measurements;
}
