/** The numbers of sessions that an API process opens on one database server. */
export const sessions = {
  /** The number of sessions for rate limits and token checks, in which parallel requests share one statement. */
  gate: 3,
  /** The number of sessions for downloads, so that downloads take no session from other requests. */
  downloads: 2,
};

/** The maximum numbers of items in the caches of an API process: time windows of clients, and tokens. */
export const memory = {
  windows: 10_000,
  tokens: 10_000,
  /** The maximum number of tokens whose counts of uses are not yet written; uses of further tokens are not counted. */
  uses: 10_000,
};

/** The figures for batches of calls. A batch is a group of calls that share one SQL statement. */
export const batches = {
  /** A batch with at least this count of calls delays the next batch, so that more calls share the next batch. */
  large: 6,
  /** The delay in ms after a large batch; the delay saves a third of the database CPU of a search with 64 clients. */
  pause_ms: 5,
  /** The pause in ms between two statements that write counts of token uses to the database. */
  uses_ms: 250,
};
