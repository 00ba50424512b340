import { day_ms, hour_ms, minute_ms } from '../../sql/process/durations.ts';
import type { Bounds } from './account-limits.ts';

/** The maximum number of requests that one client may make in a time window. */
export interface RequestLimit {
  /** The name of the rate limit; requests to endpoints with the same name are counted together. */
  name: string;
  request_count: number;
  /** The length in ms of the time window, which starts with a client's first request. */
  window_ms: number;
  /** What is limited, for the message of the 429 (`lookups a minute`); undefined for limits per client address. */
  what?: string | undefined;
}

function limit(
  name: string,
  request_count: number,
  window_ms: number,
  what?: string,
): RequestLimit {
  return { name, request_count, window_ms, what };
}

/** The rate limits count requests by client address, or by the account, token or link that a limit's comment names. */
export const limits = {
  /** The general limit is per token; for requests without a token it is per client address. */
  general: limit('general', 180, minute_ms),
  register: limit('register', 10, hour_ms),
  init: limit('init', 5, minute_ms),
  recover: limit('recover', 10, hour_ms),
  /** Confirmations of a recovery through the API and through the page `/recover` are counted together. */
  confirmRecovery: limit('recover-confirm', 10, hour_ms),
  /** Confirmations of a recovery are limited per link, since a stranger who reads the mail could try passwords. */
  guessRecovery: limit('recover-guess', 10, day_ms),
  /** Attempts to delete an account are limited per account: a thief of the Master Token could try passwords. */
  endAccount: limit('end-account', 5, hour_ms, 'attempts an hour to end it'),
  /** Event histories by `company_ref` are limited per account, since a client could try all references. */
  histories: limit('histories', 60, minute_ms, 'histories by company_ref a minute'),
  /** Lookups of up to 100 companies are limited per account, since a client could try all numbers of a country. */
  lookups: limit('lookups', 30, minute_ms, 'lookups a minute'),
  lookupsOfDay: limit('lookups-day', 200, day_ms, 'lookups a day'),
  stats: limit('stats', 10, minute_ms),
  /** The page of statistics has a limit of its own: requests for this page do not count for the limit `stats`. */
  statsPage: limit('stats-page', 60, minute_ms),
  quality: limit('quality', 30, minute_ms),
  /** Downloads have a limit of their own, since a program that reads Parquet requests several parts of a file. */
  downloads: limit('downloads', 120, minute_ms),
  /** Registrations and changes of webhooks are counted together per account, since each may cause a DNS query. */
  registerWebhook: limit('webhook-changes', 200, hour_ms, 'registrations and changes an hour'),
  /** Tests of webhooks and replays of deliveries are counted together per account, since each calls a webhook. */
  callWebhook: limit('webhook-calls', 120, hour_ms, 'tests and replays an hour'),
};

function limitMails(name: string, mostInHour: number, mostInDay: number) {
  return {
    hour: limit(`${name}-mail-hour`, mostInHour, hour_ms),
    day: limit(`${name}-mail-day`, mostInDay, day_ms),
  };
}

/** The limits of mails with a one-time token: `init` per mailbox, `recover` per account. */
export const mailLimits = {
  init: limitMails('register', 3, 10),
  recover: limitMails('recover', 5, 10),
};

/** Returns the limit per account of requests that add companies to a watch list. */
export function submissionLimit({ SUBMISSIONS_PER_DAY: request_count }: Bounds): RequestLimit {
  return limit('submissions', request_count, day_ms, 'submissions a day');
}

/**
 * Returns the limit of a client's parallel tasks in one process; `what` names the tasks in the message of the 429. For
 * each permitted parallel task, 16 tasks may be queued, so that clients with usual connection pools get no 429.
 */
function workLimit(what: string, running_count: number) {
  return { what, running_count, waiting_count: running_count * 16 };
}

export type WorkLimit = ReturnType<typeof workLimit>;

/** Returns the limits of parallel tasks, which are per account or, without a token, per client address. */
export function workLimits({ REQUESTS_IN_FLIGHT, SEARCHES_IN_FLIGHT }: Bounds) {
  return {
    requests: workLimit('requests', REQUESTS_IN_FLIGHT),
    searches: workLimit('searches', SEARCHES_IN_FLIGHT),
    /** An account's changes run one after another; the limit `requests` also limits how many changes are queued. */
    changes: { what: 'changes', running_count: 1, waiting_count: Infinity },
    files: workLimit('files', 2),
  };
}

/** The number of a client's 429 answers in a time window after which its further 429 answers are delayed. */
export const promptRefusals = 10;

/** The values in seconds of the header `Retry-After`, by the reason of the refusal. */
export const retryAfter_s = {
  unavailable: 5,
  loading: 2,
  passwords: 10,
  switchedOff: 3_600,
  /** The seconds of `Retry-After` in a 429 for too many parallel tasks, and of the delay before this 429 is sent. */
  work: 1,
};
