import autocannon from 'autocannon';
import { requestOf } from './load.ts';

/** A GET request of one of the paths of the API. */
export interface Question {
  path: string;
  token: string;
}

export interface Answer {
  path: string;
  ms: number;
}

/** Asks one thing after the other, as one client does. Throws when an answer is no success. */
export async function askInTurn(api: string, questions: Question[]): Promise<Answer[]> {
  const times: number[] = [];
  const result = await autocannon({
    url: api,
    connections: 1,
    amount: questions.length,
    requests: questions.map(({ path, token }) => {
      return { ...requestOf('GET', token), path: `/api/v1${path}` };
    }),
    setupClient: (client) => client.on('response', (_status, _bytes, ms) => times.push(ms)),
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} were no success`);
  return questions.map(({ path }, at) => ({ path, ms: times[at]! }));
}

/** The median, the 99th percentile and the slowest one of some answers. */
export function rank(answers: Answer[]): { p50: number; p99: number; slowest: Answer } {
  const sorted = answers.toSorted((one, other) => one.ms - other.ms);
  const msAt = (share: number) => sorted[Math.floor(sorted.length * share)]!.ms;
  return { p50: msAt(0.5), p99: msAt(0.99), slowest: sorted.at(-1)! };
}
