/** The numbers of database sessions of an API process on one database server. */
export const sessions = {
  /** The number of sessions for rate limits and token checks; parallel requests share one statement. */
  gate: 3,
  /** The number of sessions for downloads, so that downloads take no session from other requests. */
  downloads: 2,
};

/** The maximum numbers of entries about clients in the caches of an API process. */
export const memory = {
  windows: 10_000,
  tokens: 10_000,
  /** The maximum number of tokens whose uses are queued for the database; uses of further tokens are dropped. */
  uses: 10_000,
};

/** The figures of batches. A batch is a group of calls that share one SQL statement. */
export const batches = {
  /** The count of calls in a batch from which the next batch is delayed, so that more calls share it. */
  large: 6,
  /** The delay in ms after a large batch, which saves a third of the database CPU per search with 64 clients. */
  pause_ms: 5,
  /** The pause in ms between two writes of the uses of tokens to the database. */
  uses_ms: 250,
};
