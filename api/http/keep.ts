/** Reads a value once, such as a dictionary, which changes only with a release. Errors are not kept. */
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

/** Reads a value again when its key is another one than at the last time; all who ask meanwhile wait. */
export function keepByKey<Key extends string, Value>(read: (key: Key) => Promise<Value>) {
  let kept: { key: Key; ask: () => Promise<Value> } | undefined;
  return (key: Key): Promise<Value> => {
    if (kept?.key !== key) kept = { key, ask: keep(() => read(key)) };
    return kept.ask();
  };
}
