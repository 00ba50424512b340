import autocannon from 'autocannon';
import { requestOf } from './load.ts';

export interface Answer {
  path: string;
  ms: number;
}

/**
 * Asks for one path of the API after the other, as one client does, with its tokens in turn. Throws when
 * an answer is no success.
 */
export async function askInTurn(api: string, paths: string[], tokens: string[]): Promise<Answer[]> {
  const times: number[] = [];
  const result = await autocannon({
    url: api,
    connections: 1,
    amount: paths.length,
    requests: paths.map((path, at) => {
      return { ...requestOf('GET', tokens[at % tokens.length]!), path: `/api/v1${path}` };
    }),
    setupClient: (client) => client.on('response', (_status, _bytes, ms) => times.push(ms)),
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} were no success`);
  return paths.map((path, at) => ({ path, ms: times[at]! }));
}

/** The median, the 99th percentile and the slowest one of some answers. */
export function rank(answers: Answer[]): { p50: number; p99: number; slowest: Answer } {
  const sorted = answers.toSorted((one, other) => one.ms - other.ms);
  const msAt = (share: number) => sorted[Math.floor(sorted.length * share)]!.ms;
  return { p50: msAt(0.5), p99: msAt(0.99), slowest: sorted.at(-1)! };
}
