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

/** Returns a function that caches the value of the latest key. Parallel calls with the same key share one read. */
export function keepByKey<Key extends string, Value>(read: (key: Key) => Promise<Value>) {
  let kept: { key: Key; ask: () => Promise<Value> } | undefined;
  return (key: Key): Promise<Value> => {
    if (kept?.key !== key) kept = { key, ask: keep(() => read(key)) };
    return kept.ask();
  };
}
