import { minute_ms, second_ms } from '../../sql/process/durations.ts';

/** The pauses and waits of the worker that sends mails and imports companies. */
export const worker = {
  /**
   * The maximum numbers of parallel tasks. Each mail holds a session. The second queue runs the import and the deletion
   * of old rows. Each queue has its own sessions, so that neither waits for the other.
   */
  slots: { mail: 4, import: 2 },
  /** The pause between two sweeps of what a lost worker has left, and of companies that are awaited, in ms. */
  sweep_ms: { mail: 10_000, import: minute_ms },
  /** The pause before the queue is retried after a fault, in ms. */
  pause_ms: 5_000,
  /** The longest wait for mails under way when the worker ends, in ms. */
  grace_ms: 20_000,
  /**
   * The longest wait for mails under way when the queue gives up, in ms: they lost their session, or lock their row.
   */
  faultGrace_ms: 2_000,
  /** The longest wait for the sessions of the worker at its end, in ms. */
  closing_ms: 5_000,
  /** The longest wait for a session of the database, in ms. */
  patience_ms: 10_000,
  /** The pause between two attempts to take the lock of a living worker, in ms. */
  retry_ms: second_ms,
  /** The time until the log repeats a complaint, in ms. */
  complaint_ms: minute_ms,
};
