import { setTimeout as delay } from 'node:timers/promises';
import { tooMany } from './errors.ts';

/** Does the work of a client when it has a place. Throws the 429 where too much of it waits already. */
export type Share = <Result>(client: string, work: () => Promise<Result>) => Promise<Result>;

/** So many times the bound may wait: a client with a pool of connections meets no refusal. */
const WAITING_PER_PLACE = 16;

/** A refusal comes so late: a client that asks again at once must not take the processor from others. */
const refusal_s = 1;

/**
 * Bounds what each client has under way in this process, so that sessions are left to others. Further
 * work waits for a place, in its order. Work counts until it ends, also when its request got its answer
 * before.
 *
 * @param what in the plural, for the message
 */
export function createShare(
  bound: number,
  what: string,
  waiting_bound = bound * WAITING_PER_PLACE,
): Share {
  const clients = new Map<string, { count: number; waiting: (() => void)[] }>();
  return async (client, work) => {
    const own = clients.get(client) ?? { count: 0, waiting: [] };
    if (own.count >= bound + waiting_bound) {
      await delay(refusal_s * 1000);
      const message = `At most ${bound} ${what} may be under way at a time, and ${waiting_bound} wait.`;
      throw tooMany(message, refusal_s);
    }
    clients.set(client, own);
    own.count += 1;
    if (own.count > bound) await new Promise<void>((resolve) => own.waiting.push(resolve));
    try {
      return await work();
    } finally {
      own.count -= 1;
      if (own.count === 0) clients.delete(client);
      own.waiting.shift()?.();
    }
  };
}
