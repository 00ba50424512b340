import autocannon from 'autocannon';
import { createAccount } from '../../fixtures/client/account.ts';
import type { Db } from '../../sql/kysely.ts';
import type { Measurement } from './setting.ts';

const connectionCount = 50;
/** So many that no client meets the limit of its token. */
const tokensPerConnection = 40;
/** The first seconds, until everything is compiled, are not measured. */
const [warm_s, measured_s] = [4, 4];

/** Requests of several connections at once, each with tokens of its own in turn. */
export interface Load {
  url: string;
  method: 'GET' | 'POST';
  /** By connection. */
  tokens: string[][];
  /** Sent as JSON with each of its requests; by token. */
  bodies?: Map<string, object>;
}

/** Throws when an answer is no success. */
export async function load(
  { url, method, tokens, bodies }: Load,
  seconds: number,
): Promise<autocannon.Result> {
  const ofClients = tokens.values();
  const result = await autocannon({
    url,
    connections: tokens.length,
    duration: seconds,
    setupClient: (client) => {
      const secrets = ofClients.next().value ?? [];
      client.setRequests(
        secrets.map((secret) => {
          const authorization = `Bearer ${secret}`;
          const body = bodies?.get(secret);
          if (!body) return { method, headers: { authorization } };
          const headers = { authorization, 'content-type': 'application/json' };
          return { method, headers, body: JSON.stringify(body) };
        }),
      );
    },
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers were no success, ${result.errors} failed`);
  }
  return result;
}

function rateOf(results: autocannon.Result[]): number {
  return results.reduce((sum, { requests }) => sum + requests.average, 0) / results.length;
}

function describe(results: autocannon.Result[]): string {
  const slowest_ms = Math.max(...results.map(({ latency }) => latency.p99));
  return `${rateOf(results).toFixed(0)} requests/s (p99 ${slowest_ms} ms)`;
}

/** Master Tokens of as many accounts, by connection: enough for a load of all connections. */
export async function createTokens(db: Db): Promise<string[][]> {
  const tokens: string[][] = [];
  while (tokens.length < connectionCount) {
    const accounts = await Promise.all(
      Array.from({ length: tokensPerConnection }, () => createAccount(db)),
    );
    tokens.push(accounts.map((account) => account.master_token));
  }
  return tokens;
}

/**
 * Measures the rates of a server and of the bare one in turns, so that other work of the machine slows
 * both.
 */
export async function compare(
  name: string,
  targets: Record<'api' | 'bare', Load>,
  leastShare: number,
): Promise<Measurement> {
  for (const target of Object.values(targets)) await load(target, warm_s);
  const results = { bare: [] as autocannon.Result[], api: [] as autocannon.Result[] };
  for (const server of ['bare', 'api', 'bare', 'api', 'bare', 'api'] as const) {
    results[server].push(await load(targets[server], measured_s));
  }
  const share = rateOf(results.api) / rateOf(results.bare);
  return {
    name: `${name} with ${connectionCount} connections`,
    measured: `${describe(results.api)}, ${share.toFixed(2)} × the bare server's ${describe(results.bare)}`,
    limit: `at least ${leastShare} ×`,
    holds: share >= leastShare,
  };
}
