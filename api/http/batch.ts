/**
 * Joins calls into batches: whatever is asked for while batches are under way shares the next one.
 *
 * @param run does one batch; gives the results in the order of the items, or rejects for all of them
 * @param mostRunning batches under way at once: while one waits for the disk, another is worked on;
 * only where batches are not in each other's way
 * @returns asks for one item
 */
export function createBatch<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  mostRunning = 1,
): (item: Item) => Promise<Result> {
  interface Waiting {
    item: Item;
    resolve: (result: Result) => void;
    reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let running = 0;

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      // Once everything that this turn of the event loop brings has been asked for.
      await new Promise((next) => setImmediate(next));
      const batch = waiting;
      waiting = [];
      // Another one that is under way may have taken all.
      if (batch.length === 0) break;
      try {
        const results = await run(batch.map(({ item }) => item));
        // What is done with them can take as long as a batch: the next one is under way first.
        setImmediate(() => batch.forEach(({ resolve }, at) => resolve(results[at]!)));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running -= 1;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running === mostRunning) return;
      running += 1;
      void runAll();
    });
}
