import { day_ms, minute_ms, second_ms } from '../../sql/process/durations.ts';

/** The import of numbers that customers wait for; `watch_days` of sql/function/02_figures.sql is the longest wait. */
export const imports = {
  /** The count of numbers that are requested before their answers are written. */
  batch: 20,
  /** The count of numbers that are requested in parallel, and of numbers of one account in a batch. */
  width: 4,
  /** The attempts without an answer after which a number fails. */
  attempts: 5,
  /** The wait from the first attempt to the second, in ms. */
  firstWait_ms: minute_ms,
  /** The factor by which each later wait is longer than the one before. */
  waitFactor: 5,
  /** The pauses between attempts to write answers while a night of the same registry runs. */
  turn: { retries: Infinity, minTimeout: second_ms, factor: 1 },
  /** The wait for the next attempt at a number that only the next dumps may bring, in ms. */
  secondLook_ms: day_ms,
  /** The limits of a request to a registry; they are short, since a customer waits. */
  service: {
    retry: { retries: 2, minTimeout: 250, maxTimeout: 5_000 },
    longest_break_ms: 10_000,
    timeout_ms: 20_000,
  },
};
