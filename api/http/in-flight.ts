import { setTimeout as delay } from 'node:timers/promises';
import { tooMany } from './errors.ts';

/** Does the work of a client, unless the client has too much under way. Throws the 429. */
export type Share = <Result>(client: string, work: () => Promise<Result>) => Promise<Result>;

/** A refusal comes so late: a client that asks again at once must not take the processor from others. */
const refusal_s = 1;

/**
 * Bounds what each client has under way in this process: work counts until it ends, also when its
 * request got its answer before.
 *
 * @param what in the plural, for the message
 */
export function createShare(bound: number, what: string): Share {
  const counts = new Map<string, number>();
  return async (client, work) => {
    const count = counts.get(client) ?? 0;
    if (count >= bound) {
      await delay(refusal_s * 1000);
      throw tooMany(`At most ${bound} ${what} may be under way at a time.`, refusal_s);
    }
    counts.set(client, count + 1);
    try {
      return await work();
    } finally {
      const left = counts.get(client)! - 1;
      if (left === 0) counts.delete(client);
      else counts.set(client, left);
    }
  };
}

/** Does the work of each client one after the other, so that no work waits for a lock in a session. */
export function createTurns(): Share {
  const last = new Map<string, Promise<unknown>>();
  return async (client, work) => {
    const turn = (last.get(client) ?? Promise.resolve()).then(work);
    const ended = turn.catch(() => undefined);
    last.set(client, ended);
    try {
      return await turn;
    } finally {
      if (last.get(client) === ended) last.delete(client);
    }
  };
}
