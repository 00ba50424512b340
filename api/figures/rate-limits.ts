import { day_ms, hour_ms, minute_ms } from '../../sql/process/durations.ts';
import type { Bounds } from './account-limits.ts';

/** The limit of requests that one client may make in a window. */
export interface RequestLimit {
  /** The name of the limit; all requests under one name are counted together. */
  name: string;
  request_count: number;
  /** The length of the window in ms. A window opens with the first request of a client. */
  window_ms: number;
  /** The limited action of an account, in the plural, for the message of the 429. */
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

/** The limits of requests in a window. A limit counts per address, unless its comment names an account or a key. */
export const limits = {
  /** The general limit: per token, or per address for endpoints that need no token and have no other limit. */
  general: limit('general', 180, minute_ms),
  register: limit('register', 10, hour_ms),
  init: limit('init', 5, minute_ms),
  recover: limit('recover', 10, hour_ms),
  /** The limit of recovery confirmations, by the API and by the page of the mailed link together. */
  confirmRecovery: limit('recover-confirm', 10, hour_ms),
  /** The limit per recovery link of confirmations, since a reader of the mail could try to guess the password. */
  guessRecovery: limit('recover-guess', 10, day_ms),
  /** The limit per account of attempts to end it, since a thief of the Master Token could try to guess the password. */
  endAccount: limit('end-account', 5, hour_ms, 'attempts an hour to end it'),
  /** The limit per account of histories, since clients could try every number as `company_ref`. */
  histories: limit('histories', 60, minute_ms, 'histories by company_ref a minute'),
  /** The limits per account of lookups of up to 100 companies, so that no client lists a country by trying numbers. */
  lookups: limit('lookups', 30, minute_ms, 'lookups a minute'),
  lookupsOfDay: limit('lookups-day', 200, day_ms, 'lookups a day'),
  stats: limit('stats', 10, minute_ms),
  /** The limit of the page of statistics, whose requests do not count for the limit `stats`. */
  statsPage: limit('stats-page', 60, minute_ms),
  quality: limit('quality', 30, minute_ms),
  /** The limit of downloads, since a reader of Parquet requests several parts of one file. */
  downloads: limit('downloads', 120, minute_ms),
  /** The limit per account of registrations and changes of webhooks together; each may cause a DNS query. */
  registerWebhook: limit('webhook-changes', 200, hour_ms, 'registrations and changes an hour'),
  /** The limit per account of tests and replays of webhooks together; each causes a call of a webhook. */
  callWebhook: limit('webhook-calls', 120, hour_ms, 'tests and replays an hour'),
};

function limitMails(name: string, mostInHour: number, mostInDay: number) {
  return {
    hour: limit(`${name}-mail-hour`, mostInHour, hour_ms),
    day: limit(`${name}-mail-day`, mostInDay, day_ms),
  };
}

/** The limits of mails with one-time tokens: per mailbox, and per account since its last recovery. */
export const mailLimits = {
  init: limitMails('register', 3, 10),
  recover: limitMails('recover', 5, 10),
};

/** Returns the limit per account of requests that add companies. */
export function submissionLimit({ SUBMISSIONS_PER_DAY: request_count }: Bounds): RequestLimit {
  return limit('submissions', request_count, day_ms, 'submissions a day');
}

/**
 * Returns the limit of work that one client may have in progress in one process; `what` is the work in the plural,
 * for the message of the 429. For each that runs 16 may wait, so that a client's usual pool of connections fits.
 */
function workLimit(what: string, running_count: number) {
  return { what, running_count, waiting_count: running_count * 16 };
}

export type WorkLimit = ReturnType<typeof workLimit>;

/** Returns the limits of work in progress, per account or, without a token, per address. */
export function workLimits({ REQUESTS_IN_FLIGHT, SEARCHES_IN_FLIGHT }: Bounds) {
  return {
    requests: workLimit('requests', REQUESTS_IN_FLIGHT),
    searches: workLimit('searches', SEARCHES_IN_FLIGHT),
    /** The limit of changes that lock their account. The limit `requests` bounds the changes that wait. */
    changes: { what: 'changes', running_count: 1, waiting_count: Infinity },
    files: workLimit('files', 2),
  };
}

/** The number of prompt refusals of a key in a window; later refusals are delayed by `retryAfter_s.work`. */
export const promptRefusals = 10;

/** The seconds after which a client may retry, in `Retry-After`. */
export const retryAfter_s = {
  unavailable: 5,
  loading: 2,
  passwords: 10,
  switchedOff: 3_600,
  /** The seconds after a refusal of too much work; the refusal itself is delayed by the same time. */
  work: 1,
};
