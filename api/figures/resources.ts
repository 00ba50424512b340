/** The numbers of sessions of a process on a database server. */
export const sessions = {
  /** The number of sessions that count limits and check tokens; parallel requests share one statement. */
  gate: 3,
  /** The number of sessions for downloads, which take no session from other requests. */
  downloads: 2,
};

/** The maximum number of entries about clients in the memory of a process. */
export const memory = {
  windows: 10_000,
  tokens: 10_000,
  /** The maximum number of tokens whose uses wait for the writer; uses of further tokens are lost. */
  uses: 10_000,
};

/** The figures of batches; the calls of a batch share one statement. */
export const batches = {
  /** The count of calls from which a batch delays the next batch, so that more calls share it. */
  large: 6,
  /** The delay after a large batch, in ms. With 64 clients the writer takes a third less CPU for each search. */
  pause_ms: 5,
  /** The pause between two writes of the uses of tokens, in ms. */
  uses_ms: 250,
};
