/**
 * Joins calls into batches: whatever is asked for while a batch is under way shares the next one.
 *
 * @param run does one batch; gives the results in the order of the items, or rejects for all of them
 * @returns asks for one item
 */
export function createBatch<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
): (item: Item) => Promise<Result> {
  interface Waiting {
    item: Item;
    resolve: (result: Result) => void;
    reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let isRunning = false;

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const results = await run(batch.map(({ item }) => item));
        // What is done with them can take as long as a batch: the next one is under way first.
        setImmediate(() => batch.forEach(({ resolve }, at) => resolve(results[at]!)));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      // Once everything that this turn of the event loop brings has been asked for.
      setImmediate(() => void runAll());
    });
}
