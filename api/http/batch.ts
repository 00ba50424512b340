import { setTimeout as delay } from 'node:timers/promises';
import { batches } from '../figures/resources.ts';

/**
 * Returns a function that joins its calls into batches: calls that arrive while a batch runs share the next batch. The
 * function `run` processes one batch, and returns the results in the order of the items. At most `mostRunning` batches
 * run in parallel: one batch can run while another batch waits for the disk.
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
      // Each batch first waits for further calls in the same turn of the event loop.
      await new Promise((next) => setImmediate(next));
      const batch = waiting;
      waiting = [];
      // A parallel batch may already have taken all queued items, so that this batch is empty.
      if (batch.length === 0) break;
      size = batch.length;
      try {
        const results = await run(batch.map(({ item }) => item));
        // The next batch starts before the results are delivered, since callers may work as long as a batch runs.
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
