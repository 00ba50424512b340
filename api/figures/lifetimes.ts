import { day_ms, hour_ms } from '../../sql/process/durations.ts';

export const lifetimes = {
  /** The lifetime of a mailed one-time token for a registration or a recovery, in seconds. */
  oneTimeToken_s: 24 * 3_600,
  /** The maximum lifetime of an API token that expires, in days. */
  apiToken_days: 365,
  /** The lifetime in ms of an answer stored by `Idempotency-Key`; later `sql/retention/delete_done.sql` deletes it. */
  idempotentAnswer_ms: day_ms,
  /** The maximum age of a Stripe signature on a webhook, in seconds. */
  stripeSignature_s: 300,
  /** The time in ms for which a webhook's replaced secret still signs deliveries. */
  previousSecret_ms: day_ms,
  /** The lifetime in ms of a downloaded file in the memory of the process and in HTTP caches. */
  download_ms: hour_ms,
};
