import autocannon from 'autocannon';
import { judge } from './measurement.ts';

export const connectionCount = 50;
/** Each with a token of its own: so many that no client meets the limit of its token. */
export const requestsPerConnection = 80;
/** The first seconds, until everything is compiled, are not measured. */
const [warm_s, measured_s] = [4, 4];

/** A request as a client with this token sends it. */
export function requestOf(
  method: 'GET' | 'POST',
  token: string,
  body?: object,
): autocannon.Request {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return { method, headers, ...(body && { body: JSON.stringify(body) }) };
}

/**
 * Sends requests over several connections in parallel. Each connection repeats its own part of them.
 * Throws when an answer is no success.
 */
export async function load(
  url: string,
  requests: autocannon.Request[],
  seconds: number,
): Promise<autocannon.Result> {
  const waiting = [...requests];
  const result = await autocannon({
    url,
    connections: requests.length / requestsPerConnection,
    duration: seconds,
    setupClient: (client) => client.setRequests(waiting.splice(0, requestsPerConnection)),
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

/**
 * Judges the rates of the API and of the bare server in turns, so that other work of the machine
 * slows both.
 *
 * @param urls of the endpoint, and of the bare server
 */
export async function compare(
  name: string,
  urls: Record<'api' | 'bare', string>,
  requests: autocannon.Request[],
  leastShare: number,
): Promise<void> {
  for (const url of Object.values(urls)) await load(url, requests, warm_s);
  const results = { bare: [] as autocannon.Result[], api: [] as autocannon.Result[] };
  for (const server of ['bare', 'api', 'bare', 'api', 'bare', 'api'] as const) {
    results[server].push(await load(urls[server], requests, measured_s));
  }
  const share = rateOf(results.api) / rateOf(results.bare);
  judge(
    `${name} with ${connectionCount} connections`,
    `${describe(results.api)}, ${share.toFixed(2)} × the bare server's ${describe(results.bare)}`,
    `at least ${leastShare} ×`,
    share >= leastShare,
  );
}
