import { day_ms, minute_ms, second_ms } from '../../sql/process/durations.ts';

/** The import of watched companies on demand. `watch_days` of sql/function/02_figures.sql limits its duration. */
export const imports = {
  /** The number of identifiers that are requested before their answers are written to the database. */
  batch: 20,
  /** The maximum number of parallel requests, and of identifiers of one account in a batch. */
  width: 4,
  /** The number of attempts without an answer after which the import of an identifier fails. */
  attempts: 5,
  /** The pause between the first and the second attempt to import a company, in ms. */
  firstWait_ms: minute_ms,
  /** The factor by which the pause between import attempts grows after each later attempt. */
  waitFactor: 5,
  /** The retries of writing answers, in ms, while a night of the same registry runs. */
  turn: { retries: Infinity, minTimeout: second_ms, factor: 1 },
  /** The pause before the next attempt for an identifier that only the next dumps may contain, in ms. */
  secondLook_ms: day_ms,
  /** The limits of a request to a registry, which are shorter than the limits of `fetch`, since a client is waiting. */
  service: {
    retry: { retries: 2, minTimeout: 250, maxTimeout: 5_000 },
    longest_break_ms: 10_000,
    timeout_ms: 20_000,
  },
};
