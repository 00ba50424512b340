// What others meet while somebody abuses the API.
import { setTimeout as delay } from 'node:timers/promises';
import { rank, requestOf } from './load.ts';
import { judge, print } from './measurement.ts';

const longestMedian_ms = 100;
/** Others ask so often. */
const pause_ms = 100;

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

/** Asks as several others do, until the work has ended. Judges what they meet. */
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
  const wait = async (token: string) => {
    while (!over.signal.aborted) {
      answers.push(await ask(token, path));
      await delay(pause_ms);
    }
  };
  await Promise.all(tokens.map(wait));
  const { p50, p99 } = rank(answers);
  const away = answers.filter(({ status }) => status >= 500).length;
  const byStatus = Map.groupBy(await working, ({ status }) => status);
  const outcomes = [...byStatus].map(([status, ofStatus]) => `${ofStatus.length} × ${status}`);
  print(`  ${name}: the answers were ${outcomes.join(', ') || 'nothing'}`);
  judge(
    `GET ${path} of others`,
    `${answers.length} answers, median ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${away} × 5xx`,
    `median ${longestMedian_ms} ms, no 5xx`,
    p50 <= longestMedian_ms && away === 0,
  );
}
