import { setTimeout as delay } from 'node:timers/promises';
import { batches } from '../figures.ts';

/**
 * Joins calls into batches: calls that arrive while batches run share the next batch.
 *
 * @param run does one batch; returns the results in the order of the items, or rejects for all items
 * @param mostRunning batches that run in parallel, so that one works while another waits for the disk
 * @returns handles one item
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
      // Collects the other calls of this turn of the event loop first.
      await new Promise((next) => setImmediate(next));
      const batch = waiting;
      waiting = [];
      // Another batch may have taken all items.
      if (batch.length === 0) break;
      size = batch.length;
      try {
        const results = await run(batch.map(({ item }) => item));
        // Starts the next batch first: the callers may work for as long as a batch takes.
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
