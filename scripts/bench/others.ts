// Measures the answers that other clients get while one client abuses the API.
import { setTimeout as delay } from 'node:timers/promises';
import { rank, requestOf } from './load.ts';
import { judge, print } from './measurement.ts';

const longestMedian_ms = 100;
/** The number of other clients, and their pause after each answer in ms. */
const [otherCount, pause_ms] = [4, 100];

export type Ask = ReturnType<typeof createAsk>;
export type Told = Awaited<ReturnType<Ask>>;

export function createAsk(api: string) {
  return async (token: string, path: string, body?: object) => {
    const started_ms = performance.now();
    const request = requestOf(body ? 'POST' : 'GET', token, body) as RequestInit;
    const response = await fetch(`${api}/api/v1${path}`, request);
    const text = await response.text();
    return { path, status: response.status, ms: performance.now() - started_ms, text };
  };
}

/**
 * Sends requests of several other clients until the abusing work has ended, and judges their answers. The tokens are
 * used in turn, so that no token reaches its rate limit.
 */
export async function meet(
  name: string,
  ask: Ask,
  tokens: string[],
  path: string,
  work: Promise<Pick<Told, 'status'>[]>,
): Promise<void> {
  const over = new AbortController();
  const working = work.finally(() => over.abort());
  const answers: Told[] = [];
  let asked = 0;
  const wait = async () => {
    while (!over.signal.aborted) {
      asked += 1;
      answers.push(await ask(tokens[asked % tokens.length]!, path));
      await delay(pause_ms);
    }
  };
  await Promise.all(Array.from({ length: otherCount }, wait));
  const { p50, p99 } = rank(answers);
  const refused = answers.filter(({ status }) => status >= 400).length;
  const byStatus = Map.groupBy(await working, ({ status }) => status);
  const outcomes = [...byStatus].map(([status, ofStatus]) => `${ofStatus.length} × ${status}`);
  print(`  ${name}: the answers were ${outcomes.join(', ') || 'nothing'}`);
  judge(
    `GET ${path} of others`,
    `${answers.length} answers, median ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${refused} refused`,
    `median ${longestMedian_ms} ms, none refused`,
    p50 <= longestMedian_ms && refused === 0,
  );
}
