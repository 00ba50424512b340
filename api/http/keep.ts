/**
 * Keeps what is read once: dictionaries change with a migration, and no process outlives one. A value
 * that could not be read is read again by the next call.
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
