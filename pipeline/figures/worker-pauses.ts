import { hour_ms, minute_ms, second_ms } from '../../sql/process/durations.ts';

/** The pauses and timeouts of the worker, which sends mails, imports companies, calls webhooks and deletes old rows. */
export const worker = {
  /**
   * `lanes`: the maximum number of mails sent in parallel, each in a database session. `pause_ms`: the pause between
   * the end of a mail and the query for due mails. Webhooks have another session pool, so that they do not delay mails.
   */
  mails: { lanes: 4, pause_ms: 1 },
  /** The pause between two queries for due mails, imports and webhook calls, in ms. */
  tick_ms: second_ms,
  /** The minimum pause, in ms, before the worker repeats a task that an unexpected error ended. */
  faultPause_ms: 5 * second_ms,
  /** The pause between two deletions of old rows, in ms. */
  retention_ms: hour_ms,
  /** The maximum wait for unfinished mails, imports and webhook calls when the worker ends, in ms. */
  grace_ms: 20_000,
  /** The maximum wait for open database sessions when the worker ends, in ms. */
  closing_ms: 5_000,
  /** The timeout of waiting for a free database session of a pool, in ms. */
  patience_ms: 10_000,
  /** The minimum time between two log lines about a lost database, in ms. */
  complaint_ms: minute_ms,
};
