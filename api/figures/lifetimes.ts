import { day_ms, hour_ms } from '../../sql/process/durations.ts';

export const lifetimes = {
  /** The lifetime of a mailed one-time token for a registration or a recovery, in seconds. */
  oneTimeToken_s: 24 * 3_600,
  /** The maximum lifetime in days of an API token that is created with a time of expiry. */
  apiToken_days: 365,
  /** The time in ms for which an `Idempotency-Key` gets its stored answer; delete_done.sql then deletes the answer. */
  idempotentAnswer_ms: day_ms,
  /** The maximum age in seconds of the signature with which Stripe sends an event. */
  stripeSignature_s: 300,
  /** The time in ms for which a webhook's deliveries are also signed with the old secret after a new one is made. */
  previousSecret_ms: day_ms,
  /** The time in ms for which a file of `/downloads` stays in the memory of the process. */
  download_ms: hour_ms,
};
