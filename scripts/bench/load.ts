// Sends requests to the API, from one client or many, and measures the times of the answers.
import autocannon from 'autocannon';
import { judge } from './measurement.ts';

export const connectionCount = 50;
/** The requests of a connection, each with another token, so that no token reaches its rate limit. */
export const requestsPerConnection = 80;
/** The first seconds, during which code is compiled, and the measured seconds. */
const [warm_s, measured_s] = [4, 4];

/** Returns a request as a client with the given token sends it. */
export function requestOf(
  method: 'GET' | 'POST' | 'PATCH',
  token: string,
  body?: object,
): autocannon.Request {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return { method, headers, ...(body && { body: JSON.stringify(body) }) };
}

/** Sends requests and returns the result. Throws when an answer is no success. */
async function send(options: autocannon.Options): Promise<autocannon.Result> {
  const result = await autocannon(options);
  const { url, non2xx, errors } = result;
  if (non2xx > 0 || errors > 0) {
    throw new Error(`${url}: ${non2xx} answers were no success, ${errors} failed`);
  }
  return result;
}

export interface Answer {
  path: string;
  ms: number;
}

/**
 * Requests paths of the API one after the other over one connection, with tokens in turn, and with bodies by POST.
 * Returns the times.
 */
export async function askInTurn(
  url: string,
  paths: string[],
  tokens: string[],
  bodies?: object[],
): Promise<Answer[]> {
  const times: number[] = [];
  await send({
    url,
    connections: 1,
    amount: paths.length,
    requests: paths.map((path, at) => {
      const token = tokens[at % tokens.length]!;
      return { ...requestOf(bodies ? 'POST' : 'GET', token, bodies?.[at]), path: `/api/v1${path}` };
    }),
    setupClient: (client) => client.on('response', (_status, _bytes, ms) => times.push(ms)),
  });
  return paths.map((path, at) => ({ path, ms: times[at]! }));
}

/** Returns the median and the 99th percentile in ms, and the slowest of some answers. */
export function rank(answers: Answer[]): { p50: number; p99: number; slowest: Answer } {
  const sorted = answers.toSorted((one, other) => one.ms - other.ms);
  const msAt = (share: number) => sorted[Math.floor(sorted.length * share)]!.ms;
  return { p50: msAt(0.5), p99: msAt(0.99), slowest: sorted.at(-1)! };
}

/** Sends requests over parallel connections for `duration` seconds. Each connection repeats its part. */
export function load(
  url: string,
  requests: autocannon.Request[],
  duration: number,
  connections = requests.length / requestsPerConnection,
): Promise<autocannon.Result> {
  const waiting = [...requests];
  const part = Math.floor(requests.length / connections);
  const setupClient = (client: autocannon.Client) => client.setRequests(waiting.splice(0, part));
  return send({ url, connections, duration, setupClient });
}

function rateOf(results: autocannon.Result[]): number {
  return results.reduce((sum, { requests }) => sum + requests.average, 0) / results.length;
}

function describe(results: autocannon.Result[]): string {
  const slowest_ms = Math.max(...results.map(({ latency }) => latency.p99));
  return `${rateOf(results).toFixed(0)} requests/s (p99 ${slowest_ms} ms)`;
}

/** Judges the API's rate against the bare server's, measured in turns: other work of the machine slows both. */
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
