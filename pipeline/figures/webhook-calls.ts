import { day_ms, hour_ms, minute_ms, second_ms } from '../../sql/process/durations.ts';

/** The bounds of one call of a webhook. */
export const webhookCall = {
  /** The longest time from the call to the end of its answer, in ms. */
  answer_ms: 15 * second_ms,
  /** The characters of an answer that are kept. */
  kept_characters: 1_000,
};

/** The calls of webhooks, besides the bounds of one call (`webhookCall`). */
export const webhooks = {
  /** The most calls in parallel of a worker. */
  lanes: 64,
  /** The most calls in parallel of an account, over all workers. */
  lanesOfAccount: 3,
  /** The most calls in parallel of slow endpoints, over all workers: other endpoints have the rest. */
  slowLanes: 32,
  /** The duration of the last call from which an endpoint is slow, in ms. */
  slow_ms: 2 * second_ms,
  /** The sessions of the database that all calls of a worker share. */
  sessions: 4,
  /** The pause after a call, in ms. One claim then replaces all calls that have ended meanwhile. */
  pause_ms: 10,
  /** The time after which a turn, a worker's series of calls to one endpoint, begins no further call, in ms. */
  turn_ms: second_ms,
  /** The time after which another worker may call an endpoint whose worker was lost, in seconds. */
  lease_s: 60,
  /** The pauses between attempts to save the outcome of a call. */
  end: { retries: 3, minTimeout: second_ms, factor: 2 },
  /** The largest body of a call with several events, and the bytes of that body without its events. */
  body_bytes: 20_000,
  envelope_bytes: 1_000,
  /** The number of an endpoint's newest calls that are kept. */
  keptCalls: 1_000,
  /** The waits after failures in a row, in ms; the last one repeats. */
  waits_ms: [
    5 * second_ms,
    5 * minute_ms,
    30 * minute_ms,
    ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour_ms),
  ],
  /** The largest share by which a wait is longer, so that endpoints of one failed server do not return together. */
  jitter: 0.2,
  /** The shortest wait after the answers 429, 502 and 504, in ms. */
  slowDown_ms: minute_ms,
  /** The longest wait that a header `Retry-After` may ask for, in ms. */
  retryAfter_ms: 12 * hour_ms,
  /** The duration of failures from which a failure is mailed to the owner, in ms. */
  mailed_ms: 30 * minute_ms,
  /** The duration of failures that disables an endpoint, in ms. */
  failing_ms: 5 * day_ms,
};
