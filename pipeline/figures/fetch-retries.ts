import { minute_ms } from '../../sql/process/durations.ts';

/** The requests of the fetchers to a registry. */
export const fetching = {
  service: {
    /** The retries of a request. Each wait is randomized up to twice as long, and doubles with each retry. */
    retry: { retries: 5, minTimeout: 500, maxTimeout: 30_000 },
    /** The longest break that a registry may ask for, in ms. A longer break ends the retries. */
    longest_break_ms: 15 * minute_ms,
    /** The longest silence of a registry in the middle of a request, in ms. */
    timeout_ms: minute_ms,
  },
  /** The count of requests in parallel. */
  width: 4,
  /** The failures in a row after which a service counts as down. */
  failuresInARow: 12,
  /** The number of missing numbers up to which a day is accepted, unless all its numbers are missing. */
  toleratedCount: 3,
  /** The share of a day's numbers that may be missing. */
  toleratedShare: 0.01,
};
