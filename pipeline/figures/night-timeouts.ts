import { minute_ms, second_ms } from '../../sql/process/durations.ts';

/** The pauses and timeouts of a night, of the schedule of nights, and of commands. */
export const nights = {
  /** The pause, in ms, before a scheduled night is retried because another process runs a night of the same source. */
  turn_ms: second_ms,
  /** The maximum interval, in ms, at which the schedule compares the clock with the time of the next night. */
  clock_ms: 10_000,
  /** The pause between two attempts to take the lock of a source, in ms. */
  lockPause_ms: 100,
  /** The timeout of taking the lock of a source, in ms. The lock of a killed process is released earlier. */
  lockPatience_ms: 3_000,
  /** The pauses, in ms, between attempts to reach the database: a pause is twice the previous one, at most 5 min. */
  away: { retries: Infinity, minTimeout: 2_000, maxTimeout: 5 * minute_ms },
  /** The time, in ms, after which an interrupted process ends even if the database server does not answer. */
  grace_ms: 10_000,
};
