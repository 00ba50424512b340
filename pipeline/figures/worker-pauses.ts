import { hour_ms, minute_ms, second_ms } from '../../sql/process/durations.ts';

/** The pauses and waits of the worker that sends mails, imports companies, calls webhooks and deletes old rows. */
export const worker = {
  /**
   * `lanes`: the maximum number of parallel mails; each mail holds a session. `pause_ms`: the pause after a mail. Mails and
   * webhooks have separate pools of sessions, so that neither waits for the other.
   */
  mails: { lanes: 4, pause_ms: 1 },
  /** The pause between two queries for mails, numbers and endpoints that are due, in ms. */
  tick_ms: second_ms,
  /** The pause after a fault, in ms. */
  faultPause_ms: 5 * second_ms,
  /** The pause between two deletions of old rows, in ms. */
  retention_ms: hour_ms,
  /** The longest wait for unfinished mails, imports and calls when the worker ends, in ms. */
  grace_ms: 20_000,
  /** The longest wait for the sessions of the worker at its end, in ms. */
  closing_ms: 5_000,
  /** The longest wait for a session of the database, in ms. */
  patience_ms: 10_000,
  /** The time until the log repeats a complaint, in ms. */
  complaint_ms: minute_ms,
};
