import { day_ms, hour_ms, minute_ms } from '../../sql/process/durations.ts';
import type { Bounds } from './account-limits.ts';

/** The maximum number of requests that one client may make in a time window. */
export interface RequestLimit {
  /** The name of the rate limit; requests under the same name are counted together. */
  name: string;
  request_count: number;
  /** The length of the time window in ms; the window starts with a client's first request. */
  window_ms: number;
  /** The limited action in the plural, for the message of the 429; only limits per account name an action. */
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

/** A rate limit counts per client address, unless its comment says per account, per token or per link. */
export const limits = {
  /** The general limit is per token; for public endpoints without a limit of their own it is per address. */
  general: limit('general', 180, minute_ms),
  register: limit('register', 10, hour_ms),
  init: limit('init', 5, minute_ms),
  recover: limit('recover', 10, hour_ms),
  /** Confirmations of recoveries by the API and by the page of the recovery link are counted together. */
  confirmRecovery: limit('recover-confirm', 10, hour_ms),
  /** Confirmations are limited per recovery link, since a reader of the mail could guess the password. */
  guessRecovery: limit('recover-guess', 10, day_ms),
  /** Attempts to delete an account are limited, since a thief of the Master Token could guess the password. */
  endAccount: limit('end-account', 5, hour_ms, 'attempts an hour to end it'),
  /** Histories are limited per account, since clients could try every number as `company_ref`. */
  histories: limit('histories', 60, minute_ms, 'histories by company_ref a minute'),
  /** Lookups of up to 100 companies are limited per account, so that no client lists a country by trying numbers. */
  lookups: limit('lookups', 30, minute_ms, 'lookups a minute'),
  lookupsOfDay: limit('lookups-day', 200, day_ms, 'lookups a day'),
  stats: limit('stats', 10, minute_ms),
  /** The page of statistics has its own limit; its requests do not count for the limit `stats`. */
  statsPage: limit('stats-page', 60, minute_ms),
  quality: limit('quality', 30, minute_ms),
  /** Downloads have their own limit, since a reader of Parquet requests several parts of one file. */
  downloads: limit('downloads', 120, minute_ms),
  /** Registrations and changes of webhooks are limited together per account, since each may cause a DNS query. */
  registerWebhook: limit('webhook-changes', 200, hour_ms, 'registrations and changes an hour'),
  /** Tests and replays of webhooks are limited together per account, since each calls a webhook. */
  callWebhook: limit('webhook-calls', 120, hour_ms, 'tests and replays an hour'),
};

function limitMails(name: string, mostInHour: number, mostInDay: number) {
  return {
    hour: limit(`${name}-mail-hour`, mostInHour, hour_ms),
    day: limit(`${name}-mail-day`, mostInDay, day_ms),
  };
}

/** The limits of mails with a one-time token: per mailbox for registrations, per account for recoveries. */
export const mailLimits = {
  init: limitMails('register', 3, 10),
  recover: limitMails('recover', 5, 10),
};

/** Returns the limit per account of requests that add companies to a watch list. */
export function submissionLimit({ SUBMISSIONS_PER_DAY: request_count }: Bounds): RequestLimit {
  return limit('submissions', request_count, day_ms, 'submissions a day');
}

/**
 * Returns the limit of tasks that a client may run in parallel in one process; `what` names the tasks in the 429. For
 * each running task, 16 tasks may be queued, so that a client's usual connection pool is accepted.
 */
function workLimit(what: string, running_count: number) {
  return { what, running_count, waiting_count: running_count * 16 };
}

export type WorkLimit = ReturnType<typeof workLimit>;

/** Returns the limits of parallel tasks, per account or, without a token, per address. */
export function workLimits({ REQUESTS_IN_FLIGHT, SEARCHES_IN_FLIGHT }: Bounds) {
  return {
    requests: workLimit('requests', REQUESTS_IN_FLIGHT),
    searches: workLimit('searches', SEARCHES_IN_FLIGHT),
    /** Changes that lock their account run one after another; `requests` also limits the queued changes. */
    changes: { what: 'changes', running_count: 1, waiting_count: Infinity },
    files: workLimit('files', 2),
  };
}

/** The number of refusals in a window that are sent at once; later refusals are delayed by `retryAfter_s.work`. */
export const promptRefusals = 10;

/** The seconds in the header `Retry-After`, after which a client may retry. */
export const retryAfter_s = {
  unavailable: 5,
  loading: 2,
  passwords: 10,
  switchedOff: 3_600,
  /** The seconds after a refusal of too many parallel tasks, and the delay of the refusal itself. */
  work: 1,
};
