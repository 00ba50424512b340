// Prepares the accounts and servers that the benchmarks of the API use.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { endAll } from '../../fixtures/process/at-end.ts';
import { type Started, startScript } from '../../fixtures/process/cli.ts';
import { inParallel } from '../../pipeline/parallel.ts';
import type { Database } from '../../sql/connection/database.ts';
import { type Db, openKysely } from '../../sql/connection/kysely.ts';
import { connectionCount, requestsPerConnection } from './load.ts';

/** A database with a generated country and accounts, and functions that start servers of this database. */
export interface Setting {
  db: Database;
  kysely: Db;
  /** The Master Tokens of different accounts: each request of a load test has its own token. */
  tokens: string[];
  startApi: (variables?: NodeJS.ProcessEnv) => Promise<string>;
  startBare: () => Promise<string>;
  startWorker: (variables: NodeJS.ProcessEnv) => Promise<Started>;
}

/** Creates an account with `count` API tokens; returns the id of the account and the tokens. */
export async function createTokens(kysely: Db, count: number) {
  const { account_id } = await createAccount(kysely);
  const making = Array.from({ length: count }, () => createApiToken(kysely, account_id));
  const tokens = (await Promise.all(making)).map(({ plaintext }) => plaintext);
  return { account_id, tokens };
}

/** Waits until an API has loaded its search index; returns how long the wait took, in seconds. */
export async function waitUntilLoaded(api: string): Promise<number> {
  const started_ms = performance.now();
  while (!(await fetch(`${api}/readyz`)).ok) await delay(100);
  return (performance.now() - started_ms) / 1000;
}

/** Runs benchmarks one after the other. At the end of each benchmark, the servers that it started are stopped. */
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
    const servers: Started[] = [];
    const start = (script: string, args: string[], more: NodeJS.ProcessEnv = {}) => {
      // The price of a snapshot is one credit, so that the welcome bonus suffices for the whole benchmark.
      const own = { PORT: '0', TRUST_PROXY: 'loopback', SNAPSHOT_CREDITS: '1' };
      const path = join(import.meta.dirname, script);
      const server = startScript(path, args, { DATA_DIR: dataDir, ...own, ...more });
      servers.push(server);
      return server;
    };
    const serve = async (script: string, variables?: NodeJS.ProcessEnv) => {
      const server = start(script, [], variables);
      await server.says('Listening on');
      return /^Listening on (\S+)$/m.exec(server.stdout)![1]!;
    };
    const startApi = (variables?: NodeJS.ProcessEnv) => serve('../../api/main.ts', variables);
    const startBare = () => serve('bare-server.ts');
    const startWorker = async (variables: NodeJS.ProcessEnv) => {
      const worker = start('../../pipeline/main.ts', ['worker'], variables);
      await worker.says('the worker is ready');
      return worker;
    };
    try {
      await run({ db, kysely, tokens, startApi, startBare, startWorker });
    } finally {
      for (const server of servers) {
        server.child.kill('SIGTERM');
        await server.end;
      }
      await endAll();
    }
  }
}
