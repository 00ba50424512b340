/**
 * The figures of the pipeline, each with its unit and meaning. A name in capitals is the setting that changes a
 * figure, which is then the default. The pace of a registry stands in its fetcher, the limit of a guard in its file
 * of `sql/check/`, a figure of an SQL function in `sql/function/02_figures.sql`.
 */

export const [second_ms, minute_ms, hour_ms, day_ms] = [1_000, 60_000, 3_600_000, 86_400_000];

/** Days until data is deleted or loses its text. `CLOSED_PERSON_DAYS` and `INBOX_DAYS` have no default. */
export const retention = {
  /** Sent mails and used one-time tokens. */
  MAIL_DAYS: 30,
  /** The text of rejected rows. */
  REJECT_DAYS: 90,
  /** Addresses from which tokens were used. */
  IP_DAYS: 90,
  /** Ledgers of ended accounts. */
  LEDGER_DAYS: 2190,
};

/** Rows of a kind that one transaction of the retention changes. */
export const retainedRows = 10_000;

/** Imports of numbers that customers wait for; `customer.watch_days` is the longest wait. */
export const imports = {
  /** Numbers that are asked for before their answers are written. */
  batch: 20,
  /** Numbers that are asked for in parallel, and numbers of one account in a batch. */
  width: 4,
  /** Attempts without an answer until a number fails. */
  attempts: 5,
  /** From the first attempt to the second. */
  firstWait_ms: minute_ms,
  /** Each later wait is so many times as long as the one before. */
  waitFactor: 5,
  /** Between two attempts to write answers while another night runs. */
  pause_ms: second_ms,
  /** Until the next attempt at a number that only the next dumps may bring. */
  secondLook_ms: day_ms,
  /** Of a request to a registry, since a customer waits. */
  service: {
    retry: { retries: 2, minTimeout: 250, maxTimeout: 5_000 },
    longest_break_ms: 10_000,
    timeout_ms: 20_000,
  },
};

/** Requests of the fetchers to a registry. */
export const fetching = {
  service: {
    /** Each wait is randomized up to twice as long, and doubles with each retry. */
    retry: { retries: 5, minTimeout: 500, maxTimeout: 30_000 },
    /** The longest pause that a registry may ask for. */
    longest_break_ms: 15 * minute_ms,
    timeout_ms: minute_ms,
  },
  /** Failures in a row after which a service counts as down. */
  failuresInARow: 12,
  /** So few missing numbers never refuse a day, however short its list. */
  toleratedCount: 3,
  /** Share of a day's numbers that may be missing. */
  toleratedShare: 0.01,
};

/** The worker of mails and imports. */
export const worker = {
  /** Between two sweeps of jobs and mails that a lost worker has left. */
  sweep_ms: 10_000,
  /** Between two sweeps of watched companies that are awaited. */
  watchSweep_ms: minute_ms,
  /** Before the queue is tried again after a fault. */
  pause_ms: 5_000,
  /** The longest wait for mails under way when the worker ends. */
  grace_ms: 20_000,
  /** The same when the queue gives up: a mail under way has lost its session, or locks its row. */
  faultGrace_ms: 2_000,
  /** The longest wait for the sessions of the worker at its end. */
  closing_ms: 5_000,
  /** For a session of the database. */
  patience_ms: 10_000,
  /** Between two attempts to take the lock of a living worker. */
  retry_ms: second_ms,
  /** Until the log has the same complaint again. */
  complaint_ms: minute_ms,
};

/**
 * Patiences with the server of mails. `customer.mail_attempts` is the number of attempts; the pauses between them are
 * graphile-worker's: e, e², … seconds, at most e¹⁰ (six hours).
 */
export const smtp = {
  connectionTimeout: 30_000,
  greetingTimeout: 30_000,
  dnsTimeout: 30_000,
  /** A server may take its time to check a mail: RFC 5321 grants it ten minutes. */
  socketTimeout: 10 * minute_ms,
};

/** A night, its schedule and its command. */
export const nights = {
  /** Between two looks at a night that another process runs. */
  turn_ms: second_ms,
  /** Between two attempts to take the lock of a source. */
  lockPause_ms: 100,
  /** The session of a killed process, and its lock, end within this time. */
  lockPatience_ms: 3_000,
  /** Before a database that is away is asked again; each pause is twice as long as the one before. */
  pause_ms: 2_000,
  longestPause_ms: 5 * minute_ms,
  /** The longest wait for a server that hangs when a signal ends the process. */
  grace_ms: 10_000,
};

/** What a dump may hold. */
export const reads = {
  /** Unreadable rows of a file. A file of another kind could fill the disk with them. */
  unreadableRows: 100_000,
  /** Unreadable rows in a row. More mean an open quote, or a file without rows. */
  unreadableInARow: 1_000,
  /** Rejected rows that are saved together. */
  rejectBatch: 1_000,
  /** Characters of a rejected record that are kept; `reject.sql` has the same limit. */
  rawLength: 4_000,
};

/** What commands show. */
export const shown = {
  /** Days for which failed mails and failed companies are shown. */
  failureDays: 7,
  /** Characters of a message in a list of runs. */
  messageLength: 90,
  /** Event types of a run. */
  eventTypes: 10,
  /** Files or fields that the sentence of a guard names. */
  named: 3,
};
