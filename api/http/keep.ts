/**
 * Returns a function that reads a value once and caches it, such as a dictionary that changes only with a release.
 * An error of the read is not cached.
 */
export function keep<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let kept: Promise<Value> | undefined;
  return () => {
    kept ??= read().catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
}

/** Returns a function that reads and caches the value of the latest key. Parallel calls with one key share a read. */
export function keepLatest<Value>() {
  let kept: { key: string; ask: () => Promise<Value> } | undefined;
  return (key: string, read: () => Promise<Value>): Promise<Value> => {
    if (kept?.key !== key) kept = { key, ask: keep(read) };
    return kept.ask();
  };
}
