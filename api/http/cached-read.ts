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
