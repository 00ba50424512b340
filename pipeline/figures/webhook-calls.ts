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
  /** The maximum number of parallel calls to slow endpoints, over all workers, to leave calls for fast endpoints. */
  slowLanes: 32,
  /** An endpoint counts as slow if its last call took longer than this time, in ms. */
  slow_ms: 2 * second_ms,
  /** The number of database sessions that all webhook calls of one worker share. */
  sessions: 4,
  /** The pause after a webhook call, in ms, so that one query claims new work for all calls that ended meanwhile. */
  pause_ms: 10,
  /** The time after which a turn (a worker's series of calls to one endpoint) starts no further call, in ms. */
  turn_ms: second_ms,
  /** The time in seconds after which another worker may call an endpoint that a lost worker has leased. */
  lease_s: 60,
  /** The retries of saving the outcome of a call, with their pauses in ms. */
  end: { retries: 3, minTimeout: second_ms, factor: 2 },
  /** The maximum size of a call's body with several events, and the size of a body without events, in bytes. */
  body_bytes: 20_000,
  envelope_bytes: 1_000,
  /** The number of an endpoint's newest calls whose records are kept. */
  keptCalls: 1_000,
  /** The pauses after consecutive failed webhook calls, in ms; the last pause repeats. */
  waits_ms: [
    5 * second_ms,
    5 * minute_ms,
    30 * minute_ms,
    ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour_ms),
  ],
  /** The maximum random extension of a pause (20 %), so that not all endpoints of one server are called at once. */
  jitter: 0.2,
  /** The minimum pause after the HTTP status codes 429, 502 and 504, in ms. */
  slowDown_ms: minute_ms,
  /** The maximum pause that the `Retry-After` header of an answer may request, in ms. */
  retryAfter_ms: 12 * hour_ms,
  /** The time of continuous failure after which the webhook's owner receives a mail, in ms. */
  mailed_ms: 30 * minute_ms,
  /** The time of continuous failure after which an endpoint is disabled, in ms. */
  failing_ms: 5 * day_ms,
};
