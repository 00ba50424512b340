/**
 * The numeric constants of the pipeline: limits, periods and waits, each with its unit and meaning. A name in
 * capitals is a setting, whose default is the number. A fetcher has the pace of its registry; a file of
 * `sql/check/` has the limit of its guard. `sql/function/02_figures.sql` has the constants of SQL functions.
 */

export const [second_ms, minute_ms, hour_ms, day_ms] = [1_000, 60_000, 3_600_000, 86_400_000];

/** The periods until data is deleted or loses its text, in days. `INBOX_DAYS` of the inbox has no default. */
export const retention = {
  /** The days until sent mails and used one-time tokens are deleted. */
  MAIL_DAYS: 30,
  /** The days until rejected rows lose their text. */
  REJECT_DAYS: 90,
  /** The days until the IP addresses from which tokens were used are deleted. */
  IP_DAYS: 90,
  /** The days until the ledgers of ended accounts are deleted. */
  LEDGER_DAYS: 2190,
};

/** The days until deliveries of webhooks are deleted. */
export const webhookDelivery_days = 30;

/** The most rows of a kind that one transaction of the retention changes. */
export const retainedRows = 10_000;

/** The import of numbers that customers wait for; `customer.watch_days` is the longest wait. */
export const imports = {
  /** The count of numbers that are requested before their answers are written. */
  batch: 20,
  /** The count of numbers that are requested in parallel, and of numbers of one account in a batch. */
  width: 4,
  /** The attempts without an answer after which a number fails. */
  attempts: 5,
  /** The wait from the first attempt to the second, in ms. */
  firstWait_ms: minute_ms,
  /** The factor by which each later wait is longer than the one before. */
  waitFactor: 5,
  /** The pause between two attempts to write answers while another night runs, in ms. */
  pause_ms: second_ms,
  /** The wait for the next attempt at a number that only the next dumps may bring, in ms. */
  secondLook_ms: day_ms,
  /** The limits of a request to a registry; they are short, since a customer waits. */
  service: {
    retry: { retries: 2, minTimeout: 250, maxTimeout: 5_000 },
    longest_break_ms: 10_000,
    timeout_ms: 20_000,
  },
};

/** The requests of the fetchers to a registry. */
export const fetching = {
  service: {
    /** The retries of a request. Each wait is randomized up to twice as long, and doubles with each retry. */
    retry: { retries: 5, minTimeout: 500, maxTimeout: 30_000 },
    /** The longest break that a registry may ask for, in ms. A longer break ends the retries. */
    longest_break_ms: 15 * minute_ms,
    /** The longest silence of a registry in the middle of a request, in ms. */
    timeout_ms: minute_ms,
  },
  /** The count of requests in parallel. */
  width: 4,
  /** The failures in a row after which a service counts as down. */
  failuresInARow: 12,
  /** The most missing numbers that never refuse a day, however short its list. */
  toleratedCount: 3,
  /** The share of a day's numbers that may be missing. */
  toleratedShare: 0.01,
};

/** The pauses and waits of the worker that sends mails and imports companies. */
export const worker = {
  /**
   * The numbers of tasks in parallel: mails, each of which holds a session, and the import beside the deletion of old
   * rows. Each queue has its own sessions, so that neither waits for the other.
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

/**
 * The timeouts of the SMTP server, in ms. `customer.mail_attempts` is the number of attempts. graphile-worker
 * sets the pauses between attempts: e, e², … seconds, at most e¹⁰ (six hours).
 */
export const smtp = {
  connectionTimeout: 30_000,
  greetingTimeout: 30_000,
  dnsTimeout: 30_000,
  /** The longest check of a mail by a server: RFC 5321 grants ten minutes. */
  socketTimeout: 10 * minute_ms,
};

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
  /** The pause between two looks for due endpoints, in ms. */
  tick_ms: second_ms,
  /** The pause after the end of a call, so that calls which end together are replaced together, in ms. */
  pause_ms: 10,
  /** The time for which one turn of an endpoint begins calls, in ms. */
  turn_ms: second_ms,
  /** The time after which a turn counts as lost with its worker, in seconds. */
  lease_s: 60,
  /** The longest wait for calls under way when the worker ends, in ms. */
  grace_ms: 20 * second_ms,
  /** The pauses between attempts to keep the outcome of a call. */
  end: { retries: 3, minTimeout: second_ms, factor: 2 },
  /** The largest body of a call with several events, and the part of it that is not events, in bytes. */
  body_bytes: 20_000,
  envelope_bytes: 1_000,
  /** The calls of an endpoint that are kept. */
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

/** The figures of a night, its schedule and its command. */
export const nights = {
  /** The pause between two looks at a night that another process runs, in ms. */
  turn_ms: second_ms,
  /** The pause between two attempts to take the lock of a source, in ms. */
  lockPause_ms: 100,
  /** The longest wait for the lock of a source, in ms: a killed process loses its lock within this time. */
  lockPatience_ms: 3_000,
  /** The pauses, in ms, before a database that is away is retried: each is twice as long as the last. */
  away: { retries: Infinity, minTimeout: 2_000, maxTimeout: 5 * minute_ms },
  /** The longest wait for a server that hangs when a signal ends the process, in ms. */
  grace_ms: 10_000,
};

/** The limits of reading a dump. */
export const reads = {
  /** The most unreadable rows of a file: a file of another kind could fill the disk with them. */
  unreadableRows: 100_000,
  /** The most unreadable rows in a row: more mean an open quote, or a file without rows. */
  unreadableInARow: 1_000,
  /** The number of rejected rows that are saved together. */
  rejectBatch: 1_000,
  /** The characters of a rejected record that are kept; `reject.sql` has the same limit. */
  rawLength: 4_000,
};

/** The limits of the output of commands. */
export const shown = {
  /** The days for which failed mails and failed companies are shown. */
  failureDays: 7,
  /** The maximum length of a message in a list of runs, in characters. */
  messageLength: 90,
  /** The most event types that the text about a run lists. */
  eventTypes: 10,
  /** The most files or fields that the sentence of a guard names. */
  named: 3,
};
