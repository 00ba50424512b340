import { minute_ms } from '../../sql/process/durations.ts';

/** The retries, timeouts and limits of requests that `fetch` sends to a registry. */
export const fetching = {
  service: {
    /** The retries of a request. The pause, in ms, doubles with each retry, times a random factor 1 to 2. */
    retry: { retries: 5, minTimeout: 500, maxTimeout: 30_000 },
    /** The maximum pause that a registry may request before a retry, in ms. A longer pause ends the retries. */
    longest_break_ms: 15 * minute_ms,
    /** The timeout after which a request without new data is aborted, in ms. */
    timeout_ms: minute_ms,
  },
  /** The maximum number of parallel requests. */
  width: 4,
  /** The number of consecutive failed requests after which a registry's service counts as down. */
  failuresInARow: 12,
  /** The number of a day's identifiers that a registry may leave unanswered, unless it leaves all unanswered. */
  toleratedCount: 3,
  /** The share of a day's identifiers that a registry may leave unanswered (0.01 is one per cent). */
  toleratedShare: 0.01,
};
