import { day_ms, hour_ms } from '../../sql/process/durations.ts';

export const lifetimes = {
  /** The lifetime of a one-time token of a registration or a recovery, in s. */
  oneTimeToken_s: 24 * 3_600,
  /** The longest lifetime of an API token that expires, in days. */
  apiToken_days: 365,
  /** The lifetime of an answer with an `Idempotency-Key`, in ms; then `sql/retention/delete_done.sql` deletes it. */
  idempotentAnswer_ms: day_ms,
  /** The lifetime of a signature of Stripe, in s. */
  stripeSignature_s: 300,
  /** The time after a rotation in which the replaced secret of a webhook still signs, in ms. */
  previousSecret_ms: day_ms,
  /** The lifetime in ms of a file of `/downloads` in memory and in caches. */
  download_ms: hour_ms,
};
