import { setTimeout as delay } from 'node:timers/promises';
import { batches } from '../figures/resources.ts';

/**
 * Returns a function that joins its calls into batches: calls that arrive while batches run share the next batch.
 *
 * @param run processes one batch; returns the results in the order of the items
 * @param mostRunning the most parallel batches, so that one works while another waits for the disk
 */
export function createBatch<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  mostRunning = 1,
): (item: Item) => Promise<Result> {
  let waiting: (PromiseWithResolvers<Result> & { item: Item })[] = [];
  let running = 0;

  async function runAll(): Promise<void> {
    for (let size = 0; waiting.length > 0;) {
      if (size >= batches.large) await delay(batches.pause_ms);
      // The batch first collects the other calls of this turn of the event loop.
      await new Promise((next) => setImmediate(next));
      const batch = waiting;
      waiting = [];
      // A parallel batch may have taken all items.
      if (batch.length === 0) break;
      size = batch.length;
      try {
        const results = await run(batch.map(({ item }) => item));
        // The next batch starts before the calls resolve, since callers may work as long as a batch takes.
        setImmediate(() => batch.forEach(({ resolve }, at) => resolve(results[at]!)));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running -= 1;
  }

  return (item) => {
    const call = { item, ...Promise.withResolvers<Result>() };
    waiting.push(call);
    if (running < mostRunning) {
      running += 1;
      void runAll();
    }
    return call.promise;
  };
}
