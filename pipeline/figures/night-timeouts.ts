import { minute_ms, second_ms } from '../../sql/process/durations.ts';

/** The figures of a night, its schedule and its command. */
export const nights = {
  /** The pause between two attempts to run a night that another process is running, in ms. */
  turn_ms: second_ms,
  /** The longest pause between two readings of the clock before the next scheduled night, in ms. */
  clock_ms: 10_000,
  /** The pause between two attempts to take the lock of a source, in ms. */
  lockPause_ms: 100,
  /** The longest wait for the lock of a source, in ms: a killed process loses its lock within this time. */
  lockPatience_ms: 3_000,
  /** The pauses, in ms, before a database that is away is retried: each is twice as long as the last. */
  away: { retries: Infinity, minTimeout: 2_000, maxTimeout: 5 * minute_ms },
  /** The longest wait for a server that hangs when a signal ends the process, in ms. */
  grace_ms: 10_000,
};
