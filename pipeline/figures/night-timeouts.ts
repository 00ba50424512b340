import { minute_ms, second_ms } from '../../sql/process/durations.ts';

/** The pauses and timeouts of a night, of the schedule of nights, and of commands. */
export const nights = {
  /** The pause before a scheduled night is retried while another process runs it, in ms. */
  turn_ms: second_ms,
  /** The maximum interval at which the schedule reads the clock before the next night, in ms. */
  clock_ms: 10_000,
  /** The pause between two attempts to take the lock of a source, in ms. */
  lockPause_ms: 100,
  /** The timeout of taking the lock of a source, in ms. A killed process loses its lock within the timeout. */
  lockPatience_ms: 3_000,
  /** The pauses between attempts to reach an unreachable database, in ms; each pause doubles the previous pause. */
  away: { retries: Infinity, minTimeout: 2_000, maxTimeout: 5 * minute_ms },
  /** The longest wait for an unresponsive server when a signal ends the process, in ms. */
  grace_ms: 10_000,
};
