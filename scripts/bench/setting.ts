// What the benchmarks of the API run in.
import { setTimeout as delay } from 'node:timers/promises';
import { createAccount } from '../../fixtures/client/account.ts';
import { inParallel } from '../../pipeline/parallel.ts';
import type { Database } from '../../sql/connection/database.ts';
import { type Db, openKysely } from '../../sql/connection/kysely.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { connectionCount, requestsPerConnection } from './load.ts';

/** A database with a country, accounts in it, and servers on it. */
export interface Setting {
  db: Database;
  kysely: Db;
  dataDir: string;
  /** Master Tokens of as many accounts: one for each request of a load. */
  tokens: string[];
  startApi: (variables?: NodeJS.ProcessEnv) => Promise<string>;
  startBare: () => Promise<string>;
}

/** Waits until an API that has just started has loaded the companies. @returns the seconds */
export async function waitUntilLoaded(api: string): Promise<number> {
  const started_ms = performance.now();
  while (!(await fetch(`${api}/readyz`)).ok) await delay(100);
  return (performance.now() - started_ms) / 1000;
}

/** Runs benchmarks one after the other; the servers that one starts end with it. */
export async function runBenchmarks(
  db: Database,
  dataDir: string,
  benchmarks: readonly ((setting: Setting) => Promise<void>)[],
): Promise<void> {
  const kysely = openKysely(db.pool);
  const numbers = [...Array(connectionCount * requestsPerConnection).keys()];
  const accounts = await inParallel(numbers, 10, () => createAccount(kysely));
  const tokens = accounts.map(({ master_token }) => master_token);
  await db.pool.query('vacuum analyze');
  for (const run of benchmarks) {
    const servers: ServerProcess[] = [];
    const start = async (script: string, more: NodeJS.ProcessEnv = {}) => {
      // The welcome bonus has to last.
      const own = { PORT: '0', TRUST_PROXY: 'loopback', SNAPSHOT_CREDITS: '1' };
      const variables = { ...process.env, DATABASE_URL: '', DATA_DIR: dataDir, ...own, ...more };
      const server = startServer(script, variables, 'ignore');
      servers.push(server);
      return (await server.listens()) ?? (await server.fail());
    };
    const startApi = (variables = {}) => start('../api/main.ts', variables);
    const startBare = () => start('bench/bare-server.ts');
    try {
      await run({ db, kysely, dataDir, tokens, startApi, startBare });
    } finally {
      for (const server of servers) await server.stop();
    }
  }
}
