// Authentication under load, and what hashing passwords leaves to other requests.
// Alone: node scripts/bench/verify.ts [database]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import type { Kysely } from 'kysely';
import { createAccount } from '../../fixtures/account.ts';
import { connect } from '../../sql/database.ts';
import { acquireEmbedded, destroyEmbedded } from '../../sql/embedded.ts';
import { migrate } from '../../sql/migrate.ts';
import type { Tables } from '../../sql/tables.ts';
import { startServer } from './server-process.ts';

const connectionCount = 50;
/** So many that no client meets the limit of its token. */
const tokensPerConnection = 40;
/** The first seconds, until everything is compiled, are not measured. */
const [warm_s, measured_s, recovery_s] = [4, 4, 8];

const leastShare = 0.5;
const parallelRecoveries = 20;
const longestWait_ms = 100;

/** A figure, what it has to be, and whether it is. */
export interface Measurement {
  name: string;
  measured: string;
  limit: string;
  holds: boolean;
}

interface Load {
  url: string;
  method: 'GET' | 'POST';
  /** By connection. */
  tokens: string[][];
  seconds: number;
}

async function load({ url, method, tokens, seconds }: Load): Promise<autocannon.Result> {
  const ofClients = tokens.values();
  const result = await autocannon({
    url,
    connections: tokens.length,
    duration: seconds,
    setupClient: (client) => {
      const secrets = ofClients.next().value ?? [];
      client.setRequests(
        secrets.map((secret) => ({ method, headers: { authorization: `Bearer ${secret}` } })),
      );
    },
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers were no success, ${result.errors} failed`);
  }
  return result;
}

function chunk<Item>(items: Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

async function createTokens(db: Kysely<Tables>): Promise<string[]> {
  const secrets: string[] = [];
  while (secrets.length < connectionCount * tokensPerConnection) {
    const some = await Promise.all(Array.from({ length: 50 }, () => createAccount(db)));
    secrets.push(...some.map((account) => account.master_token));
  }
  return secrets;
}

// Taken in turns, so that what else the machine does meets both.
async function compare(api: string, bare: string, tokens: string[][]): Promise<Measurement> {
  const targets = {
    bare: { url: bare, method: 'POST' as const, tokens },
    api: { url: `${api}/api/v1/tokens/verify`, method: 'POST' as const, tokens },
  };
  for (const target of Object.values(targets)) await load({ ...target, seconds: warm_s });
  const results = { bare: [] as autocannon.Result[], api: [] as autocannon.Result[] };
  for (const name of ['bare', 'api', 'bare', 'api', 'bare', 'api'] as const) {
    results[name].push(await load({ ...targets[name], seconds: measured_s }));
  }
  const share = rateOf(results.api) / rateOf(results.bare);
  return {
    name: `POST /tokens/verify with ${connectionCount} connections`,
    measured: `${describe(results.api)}, ${share.toFixed(2)} × the bare server's ${describe(results.bare)}`,
    limit: `at least ${leastShare} ×`,
    holds: share >= leastShare,
  };
}

function rateOf(results: autocannon.Result[]): number {
  return results.reduce((sum, { requests }) => sum + requests.average, 0) / results.length;
}

function describe(results: autocannon.Result[]): string {
  const slowest_ms = Math.max(...results.map(({ latency }) => latency.p99));
  return `${rateOf(results).toFixed(0)} requests/s (p99 ${slowest_ms} ms)`;
}

/** Keeps that many recoveries going, each of another client and address, half of which are known. */
async function recoverUntil(api: string, emails: string[], isOver: () => boolean): Promise<number> {
  let count = 0;
  const keepGoing = async () => {
    while (!isOver()) {
      const at = (count += 1);
      const email = at % 2 === 0 ? emails[at % emails.length] : `nobody${at}@firma.pl`;
      const response = await fetch(`${api}/api/v1/auth/recover`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Forwarded-For': `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
        },
        body: JSON.stringify({ email, password: `chosen ${at}` }),
      });
      if (response.status !== 200) throw new Error(`POST /auth/recover: ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: parallelRecoveries }, keepGoing));
  return count;
}

async function disturb(api: string, emails: string[], tokens: string[][]): Promise<Measurement> {
  const wallet = { url: `${api}/api/v1/wallet`, method: 'GET' as const, tokens };
  await load({ ...wallet, seconds: 1 });
  let isOver = false;
  const recovering = recoverUntil(api, emails, () => isOver);
  await delay(500);
  const { latency, requests } = await load({ ...wallet, seconds: recovery_s });
  isOver = true;
  const count = await recovering;
  return {
    name: `GET /wallet beside ${parallelRecoveries} parallel recoveries`,
    measured: `p99 ${latency.p99} ms at ${requests.average.toFixed(0)} requests/s, ${count} recoveries`,
    limit: `below ${longestWait_ms} ms`,
    holds: latency.p99 < longestWait_ms && count > parallelRecoveries,
  };
}

/**
 * Measures the API, a process of its own, against a bare server on the same database: the rate of
 * `POST /tokens/verify`, and the p99 of `GET /wallet` while passwords are hashed.
 */
export async function benchVerify(databaseUrl: string): Promise<Measurement[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'registry-bench-'));
  const db = await connect({ databaseUrl, dataDir, applicationName: 'registry-bench' });
  const variables = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: '0',
    TRUST_PROXY: 'loopback',
  };
  const servers = [];
  try {
    await migrate(db);
    const tokens = chunk(await createTokens(db.kysely), tokensPerConnection);
    const accounts = await db.kysely.selectFrom('customer.account').select('email').execute();
    await db.pool.query('vacuum analyze');
    const api = await startServer('../../api/main.ts', variables);
    servers.push(api);
    const bare = await startServer('bare-server.ts', variables);
    servers.push(bare);
    const emails = accounts.map(({ email }) => email);
    return [
      await compare(api.url, bare.url, tokens),
      await disturb(api.url, emails, tokens.slice(0, 10)),
    ];
  } finally {
    for (const server of servers) await server.stop();
    await db.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function benchAlone(given: string | undefined): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'registry-bench-'));
  const embedded = given ? undefined : await acquireEmbedded(dataDir);
  try {
    const { host, port, user, database } = embedded?.connection ?? {};
    const url =
      given ??
      `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(host ?? '')}&port=${port}`;
    const measurements = await benchVerify(url);
    for (const { name, measured, limit, holds } of measurements) {
      process.stdout.write(`${name}\n  ${measured}\n  ${limit}: ${holds ? 'holds' : 'FAILS'}\n`);
    }
    return measurements.every(({ holds }) => holds);
  } finally {
    await embedded?.release();
    if (embedded) await destroyEmbedded(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
}

if (import.meta.main) process.exitCode = (await benchAlone(process.argv[2])) ? 0 : 1;
