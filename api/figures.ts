/** The figures of the API. A name in capitals is the setting that changes a figure; the figure is then the default. */

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

export const [minute_ms, hour_ms, day_ms] = [60_000, 3_600_000, 86_400_000];

/** The prices of a page of search results and of a snapshot, in whole credits. */
export const prices = { SEARCH_CREDITS: 1, SNAPSHOT_CREDITS: 5 };

export const welcomeBonus = {
  credits: 200,
  /** The maximum number of welcome bonuses of a registered domain in 24 hours. */
  mostOfDomain: 20,
};

/** The bounds of one account, which protect other accounts. */
export const bounds = {
  /** The maximum number of companies on a watch list, whether ready, queued or failed. */
  WATCHES_PER_ACCOUNT: 10_000,
  /** The maximum number of company numbers of an account that wait for their import. */
  QUEUED_NUMBERS_PER_ACCOUNT: 1_000,
  /** The maximum number of API tokens that are neither revoked nor expired, and of ended tokens that are kept. */
  TOKENS_PER_ACCOUNT: 100,
  /** The maximum number of requests a day that add companies. Each request can cause a mail. */
  SUBMISSIONS_PER_DAY: 1_000,
  /** The maximum number of requests in progress in a process; without a token, per address. */
  REQUESTS_IN_FLIGHT: 8,
  /** The maximum number of searches in progress in one process. */
  SEARCHES_IN_FLIGHT: 2,
};

export type Bounds = typeof bounds;

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
  /** The limit per recovery link of confirmations: a reader of the mail may guess the password. */
  guessRecovery: limit('recover-guess', 10, day_ms),
  /** The limit per account of attempts to end it: a finder of the Master Token may guess the password. */
  endAccount: limit('end-account', 5, hour_ms, 'attempts an hour to end it'),
  /** The limit per account of histories, since clients could try every number as `company_ref`. */
  histories: limit('histories', 60, minute_ms, 'histories by company_ref a minute'),
  /** The limits per account of lookups of up to 100 companies: a client may not list a country by its numbers. */
  lookups: limit('lookups', 30, minute_ms, 'lookups a minute'),
  lookupsOfDay: limit('lookups-day', 200, day_ms, 'lookups a day'),
  stats: limit('stats', 10, minute_ms),
  /** The limit of the page of statistics, whose requests do not count for the limit `stats`. */
  statsPage: limit('stats-page', 60, minute_ms),
  quality: limit('quality', 30, minute_ms),
  /** The limit of downloads, since a reader of Parquet requests several parts of one file. */
  downloads: limit('downloads', 120, minute_ms),
  /** An account's registrations and changes of webhooks; each may cause a DNS query. */
  registerWebhook: limit('webhook-changes', 200, hour_ms, 'registrations and changes an hour'),
  /** An account's tests and replays together; each causes a call of a webhook. */
  callWebhook: limit('webhook-calls', 120, hour_ms, 'tests and replays an hour'),
  /** The limit per address of refused webhooks. Stripe, whose webhooks are not refused, repeats after a 429. */
  refusedWebhooks: limit('webhooks', 30, minute_ms),
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
 * for the message of the 429. 16 requests wait for each that runs: no pool of connections meets a refusal.
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

export const lifetimes = {
  /** The lifetime of a one-time token of a registration or a recovery, in s. */
  oneTimeToken_s: 24 * 3_600,
  /** The longest lifetime of an API token that expires, in days. */
  apiToken_days: 365,
  /** The lifetime in ms of an answer with an `Idempotency-Key`, after which `sql/mail/delete_done.sql` deletes it. */
  idempotentAnswer_ms: day_ms,
  /** The lifetime of a signature of Stripe, in s. */
  stripeSignature_s: 300,
  /** The lifetime in ms of a file of `/downloads` in memory and in caches. */
  download_ms: hour_ms,
};

export const webhooks = {
  /** The maximum number of webhooks of an account. */
  most: 10,
  /** The maximum number of events in a delivery. */
  maxEvents: 50,
  /** The time after a rotation in which the replaced secret still signs, in ms. */
  previousSecret_ms: day_ms,
};

/** The longest waits of the API, in ms. */
export const patience = {
  /** The deadline of an answer, after which the client gets a 503. */
  answer_ms: 3_000,
  /** The deadline of an answer that waits for another service or for the hash of a password. */
  slowAnswer_ms: 8_000,
  downloadAnswer_ms: 60_000,
  /** The longest wait of a search for a just published snapshot; then the previous snapshot answers. */
  search_ms: 50,
  /** The longest wait for a statement, a lock or a session of the database; less than `answer_ms`. */
  database_ms: 2_500,
  /** The longest wait for a session of a download, and the longest query of a download. */
  downloadSession_ms: 10_000,
  downloadQuery_ms: 45_000,
  /** The longest wait for the addresses of the name of a webhook. */
  lookup_ms: 1_500,
  /** The longest wait for one of two attempts at Stripe, which both end before `slowAnswer_ms`. */
  stripe_ms: 3_000,
  /** The longest wait for a whole request, and for the headers of a request. */
  request_ms: 30_000,
  headers_ms: 10_000,
  /** The lifetime of an idle connection, longer than in proxies, so that the proxy closes the connection first. */
  idleConnection_ms: 65_000,
  /** The grace period of requests in progress when the process must stop. */
  stop_ms: 10_000,
};

/** The retries that give back an unanswered charge: one a second for an hour, as long as a database may be away. */
export const giveBack = { retries: 3_600, minTimeout: 1_000 };

/** The numbers of sessions of a process on a database server. */
export const sessions = {
  /** The number of sessions for limits and tokens: a few statements count and check for all requests. */
  gate: 3,
  /** The number of sessions for downloads, which take no session from other requests. */
  downloads: 2,
};

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

/** The largest sizes of requests and answers. */
export const sizes = {
  /** The maximum number of bytes of a body: a hundred numbers with references in `\uXXXX` take 47,000 bytes. */
  body_bytes: 65_536,
  /** The maximum number of bytes of a posted form of a page. */
  form_bytes: 16_384,
  /** The maximum number of bytes of a webhook; the events of Stripe have a few thousand bytes. */
  webhook_bytes: 262_144,
  /** The maximum number of levels of lists and objects in a body. */
  depth: 16,
  /** The maximum number of items of a list, or fields of an object. */
  items: 100,
  /** The maximum number of errors of a 422. */
  errors: 100,
  page: 1_000_000_000_000,
  /** The maximum number of items of a page; `registry.page_items` of the database is the same figure. */
  perPage: 100,
  /** The maximum number of events of a part of a feed, and of characters of a filter, which lists words. */
  feed: 1_000,
  filter: 2_000,
  /** The fewest and the most characters of the name of an account or a token. */
  name: [3, 255],
  /** The most characters of a client's reference of a company. */
  reference: 64,
  /** The fewest characters and the most bytes of a password; the bytes bound the work of its hash. */
  password: [8, 1_024],
  /** The maximum number of hashes of passwords that wait; a further request gets a 503. */
  waitingHashes: 100,
} as const;

/** The items of a page, unless a request asks for another count. */
export const pageSize = 20;

/** The maximum number of entries about clients in the memory of a process. */
export const memory = {
  windows: 10_000,
  tokens: 10_000,
  /** The maximum number of tokens whose uses wait for the writer; uses of further tokens are lost. */
  uses: 10_000,
};

/** The figures of batches; the calls of a batch share one statement. */
export const batches = {
  /** The count of calls from which a batch delays the next batch, so that more calls share it. */
  large: 6,
  /** The delay after a large batch, in ms. With 64 clients the writer takes a third less CPU for each search. */
  pause_ms: 5,
  /** The pause between two writes of the uses of tokens, in ms. */
  uses_ms: 250,
  /** The maximum number of parallel statements that count requests. Statements that count one key wait in turn. */
  counting: 2,
};
