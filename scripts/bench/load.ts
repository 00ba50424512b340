// Sends requests to the API, from one or many clients, and measures the times of the answers.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import autocannon from 'autocannon';
import { judge } from './judge.ts';

export const connectionCount = 50;
/** The number of requests of each connection; each request has its own token: no token reaches its rate limit. */
export const requestsPerConnection = 80;
/** The seconds of load that compile code and are not measured, and the seconds of each measurement. */
const [warm_s, measured_s] = [4, 4];

/** Returns a request with the given token, in the form that autocannon needs. */
export function requestOf(
  method: 'GET' | 'POST' | 'PATCH',
  token: string,
  body?: object,
): autocannon.Request {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return { method, headers, ...(body && { body: JSON.stringify(body) }) };
}

/** The path of a request, and the time in ms from the request to the last byte of the answer. */
export type Answer = Awaited<ReturnType<ReturnType<typeof createAsk>>>;

/**
 * Returns a function that sends one request, by POST if it has a body, and returns the successful answer. The requests
 * are not sent by `fetch`, which would add one to two milliseconds to each answer.
 */
export function createAsk(api: string) {
  const agent = new Agent({ keepAlive: true });
  return async (token: string, path: string, body?: object) => {
    const started_ms = performance.now();
    const { body: sent, ...options } = requestOf(body ? 'POST' : 'GET', token, body);
    const sending = request(`${api}/api/v1${path}`, { agent, ...options }).end(sent);
    const [response] = (await once(sending, 'response')) as [IncomingMessage];
    await text(response);
    const ms = performance.now() - started_ms;
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
    return { path, ms };
  };
}

/** Requests paths one after the other, with the tokens in turn; throws if the status of an answer is not 200. */
export async function askInTurn(
  api: string,
  paths: string[],
  tokens: string[],
  bodies: object[] = [],
): Promise<Answer[]> {
  const ask = createAsk(api);
  const answers: Answer[] = [];
  for (const [at, path] of paths.entries()) {
    answers.push(await ask(tokens[at % tokens.length]!, path, bodies[at]));
  }
  return answers;
}

/** Compares the median, 99th percentile and maximum of answer times with limits in ms, where a limit is given. */
export function judgeAnswers(
  name: string,
  answers: Answer[],
  limits: { p50?: number; p99?: number; slowest?: number },
): void {
  const sorted = answers.toSorted((one, other) => one.ms - other.ms);
  const msAt = (share: number) => sorted[Math.floor(sorted.length * share)]!.ms;
  const { path, ms: slowest } = sorted.at(-1)!;
  const measured = { p50: msAt(0.5), p99: msAt(0.99), slowest };
  const list = (times: typeof limits) =>
    Object.entries(times).map(([kind, ms]) => `${kind} ${ms.toFixed(1)} ms`);
  judge(
    `${name}, ${answers.length} answers`,
    `${list(measured).join(', ')} (${path})`,
    list(limits).join(', '),
    Object.entries(limits).every(
      ([kind, limit]) => measured[kind as keyof typeof measured] <= limit,
    ),
  );
}

/**
 * Sends requests over parallel connections for `duration` seconds. Each connection sends its own part of the list
 * `requests` again and again. Throws if an answer has an error status.
 */
export async function load(
  url: string,
  requests: autocannon.Request[],
  duration: number,
  connections = requests.length / requestsPerConnection,
): Promise<autocannon.Result> {
  const waiting = [...requests];
  const part = Math.floor(requests.length / connections);
  const setupClient = (client: autocannon.Client) => client.setRequests(waiting.splice(0, part));
  const result = await autocannon({ url, connections, duration, setupClient });
  const { non2xx, errors } = result;
  if (non2xx > 0 || errors > 0)
    throw new Error(`${url}: ${non2xx} answers were no success, ${errors} failed`);
  return result;
}

function rateOf(results: autocannon.Result[]): number {
  return results.reduce((sum, { requests }) => sum + requests.average, 0) / results.length;
}

function describe(results: autocannon.Result[]): string {
  const slowest_ms = Math.max(...results.map(({ latency }) => latency.p99));
  return `${rateOf(results).toFixed(0)} requests/s (p99 ${slowest_ms} ms)`;
}

/** Compares the requests per second of the API with those of the bare server, measured in turn. */
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
