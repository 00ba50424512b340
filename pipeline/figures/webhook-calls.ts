import { day_ms, hour_ms, minute_ms, second_ms } from '../../sql/process/durations.ts';

/** The limits of one call of a webhook. */
export const webhookCall = {
  /** The maximum time from the start of a webhook call to the end of its answer, in ms. */
  answer_ms: 15 * second_ms,
  /** The maximum length of the stored part of a receiver's answer, in characters. */
  kept_characters: 1_000,
};

/** The limits and pauses of calling webhooks; `webhookCall` has the limits of one call. */
export const webhooks = {
  /** The maximum number of parallel webhook calls of one worker. */
  lanes: 64,
  /** The maximum number of parallel calls to the endpoints of one account, over all workers. */
  lanesOfAccount: 3,
  /** The maximum number of parallel calls to slow endpoints, over all workers, so that fast endpoints need not wait. */
  slowLanes: 32,
  /** An endpoint counts as slow if its last call took longer than this time, in ms. */
  slow_ms: 2 * second_ms,
  /** The number of database sessions that all webhook calls of one worker share. */
  sessions: 4,
  /** The pause between a call's end and the next query for due webhooks, in ms, so that more calls end before it. */
  pause_ms: 10,
  /** The time, in ms, after which a turn (a worker's series of calls to one endpoint) starts no further call. */
  turn_ms: second_ms,
  /** The time, in seconds, for which a worker leases an endpoint; later, another worker may call the endpoint. */
  lease_s: 60,
  /** The retries of saving the outcome of a call, with their pauses in ms. */
  end: { retries: 3, minTimeout: second_ms, factor: 2 },
  /** The maximum size of a call's body with several events, and the size of a body without events, in bytes. */
  body_bytes: 20_000,
  envelope_bytes: 1_000,
  /** The number of calls of an endpoint whose records are kept; records of older calls are deleted. */
  keptCalls: 1_000,
  /** The pauses after the first, second … consecutive failed call of a webhook, in ms; the last pause repeats. */
  waits_ms: [
    5 * second_ms,
    5 * minute_ms,
    30 * minute_ms,
    ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour_ms),
  ],
  /** The maximum random extension of a pause (20 %), so that a server's endpoints are not all called at once. */
  jitter: 0.2,
  /** The minimum pause after the HTTP status codes 429, 502 and 504, in ms. */
  slowDown_ms: minute_ms,
  /** The maximum pause that the `Retry-After` header of an answer may request, in ms. */
  retryAfter_ms: 12 * hour_ms,
  /** The time, in ms, for which all calls of a webhook must fail before its owner receives a mail. */
  mailed_ms: 30 * minute_ms,
  /** The time, in ms, for which all calls of an endpoint must fail before it is disabled. */
  failing_ms: 5 * day_ms,
};
