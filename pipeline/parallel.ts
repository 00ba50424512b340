import pLimit from 'p-limit';

/**
 * Does some work for every item, for at most `width` items in parallel. The first failure aborts the signal of
 * all items. The failure is thrown when all work has ended, so that none still writes.
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
