// Measures the answers that other clients get while one client abuses the API.
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type Ask, judgeAnswers } from './load.ts';
import { judgeAtMost, print } from './judge.ts';

const longestMedian_ms = 100;
/** The number of other clients, and their pause after each answer in ms. */
const [otherCount, pause_ms] = [4, 100];

/**
 * Sends requests of several other clients until the abusing work has ended, and judges their answers. The tokens are
 * used in turn, so that no token reaches its rate limit.
 */
export async function meet(
  name: string,
  ask: Ask,
  tokens: string[],
  path: string,
  work: Promise<Pick<Answer, 'status'>[]>,
): Promise<void> {
  const over = new AbortController();
  const working = work.finally(() => over.abort());
  const answers: Answer[] = [];
  let asked = 0;
  const wait = async () => {
    while (!over.signal.aborted) {
      asked += 1;
      answers.push(await ask(tokens[asked % tokens.length]!, path));
      await delay(pause_ms);
    }
  };
  await Promise.all(Array.from({ length: otherCount }, wait));
  const byStatus = Map.groupBy(await working, ({ status }) => status);
  const outcomes = [...byStatus].map(([status, ofStatus]) => `${ofStatus.length} × ${status}`);
  print(`  ${name}: the answers were ${outcomes.join(', ') || 'nothing'}`);
  judgeAnswers(`GET ${path} of others`, answers, { p50: longestMedian_ms });
  const refused = answers.filter(({ status }) => status >= 400).length;
  judgeAtMost('Refused requests of others', refused, 0, 'answers');
}
