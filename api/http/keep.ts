/**
 * Reads a value once and caches it, such as a dictionary, which changes only with a release. After an
 * error the next call reads again.
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
