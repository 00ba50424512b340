import pLimit from 'p-limit';

/**
 * Returns the results of `work` for every item, with at most `width` calls in parallel. The first failed call aborts
 * the signal of all calls; its error is thrown when all calls have ended, so that none still writes.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const failure = new AbortController();
  const { signal } = failure;
  const limit = pLimit(width);
  const tasks = items.map((item) =>
    limit(() => {
      signal.throwIfAborted();
      return work(item, signal).catch((error: unknown) => {
        failure.abort(error);
        throw error;
      });
    }),
  );
  await Promise.allSettled(tasks);
  signal.throwIfAborted();
  return await Promise.all(tasks);
}
