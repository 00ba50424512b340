import { day_ms, minute_ms, second_ms } from '../../sql/process/durations.ts';

/** The import of watched companies on demand, for at most `watch_days` days (sql/function/02_figures.sql). */
export const imports = {
  /** The number of identifiers that are requested before their answers are written to the database. */
  batch: 20,
  /** The maximum number of parallel requests, and the maximum number of one account's identifiers in a batch. */
  width: 4,
  /** The number of attempts without an answer after which the import of an identifier fails. */
  attempts: 5,
  /** The pause between the first and the second attempt to import a company, in ms. */
  firstWait_ms: minute_ms,
  /** The factor by which the pause between import attempts grows with each attempt. */
  waitFactor: 5,
  /** The retries of writing answers to the database while a night of the same registry runs, with their pause in ms. */
  turn: { retries: Infinity, minTimeout: second_ms, factor: 1 },
  /** The pause, in ms, before the next attempt to find a company that only a dump can add. */
  secondLook_ms: day_ms,
  /** The limits of a request to a registry, which are shorter than the limits of `fetch`, since a client is waiting. */
  service: {
    retry: { retries: 2, minTimeout: 250, maxTimeout: 5_000 },
    longest_break_ms: 10_000,
    timeout_ms: 20_000,
  },
};
