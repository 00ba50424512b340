import { setTimeout as delay } from 'node:timers/promises';
import { batches } from '../figures/resources.ts';

/**
 * Returns a function whose calls are joined into batches: calls that arrive while a batch runs share the next batch.
 * The function `run` processes the items of one batch, and returns one result per item in the same order. At most
 * `mostRunning` batches run in parallel; with two, one batch can run while the other waits for the disk.
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
      // Each batch waits for further calls until the event loop's current turn ends.
      await new Promise((next) => setImmediate(next));
      const batch = waiting;
      waiting = [];
      // A parallel batch may have taken all queued calls, so that this batch is empty.
      if (batch.length === 0) break;
      size = batch.length;
      try {
        const results = await run(batch.map(({ item }) => item));
        // The next batch starts before the results are delivered, and runs while the callers use the results.
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
