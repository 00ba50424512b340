/**
 * The figures of the API, each with its unit and meaning. A name in capitals is the setting that changes a figure,
 * which is then the default. The figures of the search index are in `search/`.
 */

/** Requests that one client may make in a window. */
export interface RequestLimit {
  /** Requests of one name are counted together. */
  name: string;
  request_count: number;
  /** The window opens with the first request of a client. */
  window_ms: number;
  /** What an account does, in the plural, for the message of the 429. */
  what?: string;
}

/** Work that one client may have in progress in one process. */
export interface WorkLimit {
  /** The work, in the plural, for the message of the 429. */
  what: string;
  running_count: number;
  waiting_count: number;
}

export const [minute_ms, hour_ms, day_ms] = [60_000, 3_600_000, 86_400_000];

/** Whole credits. */
export const prices = {
  /** A page of search results. */
  SEARCH_CREDITS: 1,
  /** A snapshot of a company. */
  SNAPSHOT_CREDITS: 5,
};

export const welcomeBonus = {
  credits: 200,
  /** Bonuses of a registered domain in 24 hours. */
  mostOfDomain: 20,
};

/** What one account may have or do, so that it takes nothing from others. */
export const bounds = {
  /** Companies on a watch list: ready, queued and failed. */
  WATCHES_PER_ACCOUNT: 10_000,
  /** Numbers that wait for their import. */
  QUEUED_NUMBERS_PER_ACCOUNT: 1_000,
  /** Tokens that are neither revoked nor expired, and as many that are. */
  TOKENS_PER_ACCOUNT: 100,
  /** Requests that add companies, each of which can cause a mail. */
  SUBMISSIONS_PER_DAY: 1_000,
  /** Requests in progress in one process, most of its ten sessions; also of an address without a token. */
  REQUESTS_IN_FLIGHT: 8,
  /** Of these, searches. */
  SEARCHES_IN_FLIGHT: 2,
};

export type Bounds = typeof bounds;

/** Requests in a window, by name: of an address, unless a comment names an account or a key. */
export const limits = {
  /** Of a token, else of an address: all requests without a limit of their own. */
  general: { name: 'general', request_count: 180, window_ms: minute_ms },
  register: { name: 'register', request_count: 10, window_ms: hour_ms },
  init: { name: 'init', request_count: 5, window_ms: minute_ms },
  recover: { name: 'recover', request_count: 10, window_ms: hour_ms },
  /** By the API and by the page of the mailed link. */
  confirmRecovery: { name: 'recover-confirm', request_count: 10, window_ms: hour_ms },
  /** Of a mailed link: passwords that a reader of the mail tries. */
  guessRecovery: { name: 'recover-guess', request_count: 10, window_ms: day_ms },
  /** Of a mailbox: mails for the initialization. */
  registrationMailHour: { name: 'register-mail-hour', request_count: 3, window_ms: hour_ms },
  registrationMailDay: { name: 'register-mail-day', request_count: 10, window_ms: day_ms },
  /** Of an account: passwords that a finder of the Master Token tries. */
  endAccount: {
    name: 'end-account',
    request_count: 5,
    window_ms: hour_ms,
    what: 'attempts an hour to end it',
  },
  /** Of an account: `company_ref` is a number that can be counted through. */
  histories: {
    name: 'histories',
    request_count: 60,
    window_ms: minute_ms,
    what: 'histories by company_ref a minute',
  },
  stats: { name: 'stats', request_count: 10, window_ms: minute_ms },
  /** A visitor who looks around leaves the limit `stats` alone. */
  statsPage: { name: 'stats-page', request_count: 60, window_ms: minute_ms },
  quality: { name: 'quality', request_count: 30, window_ms: minute_ms },
  /** A reader of Parquet asks several times for parts of one file. */
  downloads: { name: 'downloads', request_count: 120, window_ms: minute_ms },
  /** Webhooks that are refused: Stripe's are not refused, and Stripe repeats a request that gets a 429. */
  refusedWebhooks: { name: 'webhooks', request_count: 30, window_ms: minute_ms },
} satisfies Record<string, RequestLimit>;

/** Returns the limit of requests that add companies, of an account. */
export function submissionLimit({ SUBMISSIONS_PER_DAY: request_count }: Bounds): RequestLimit {
  return { name: 'submissions', request_count, window_ms: day_ms, what: 'submissions a day' };
}

/** Work of which 16 wait for each that runs: a client with a pool of connections meets no refusal. */
function workLimit(what: string, running_count: number): WorkLimit {
  return { what, running_count, waiting_count: running_count * 16 };
}

/** Returns the limits of work in progress: of an account, else of an address. */
export function workLimits({ REQUESTS_IN_FLIGHT, SEARCHES_IN_FLIGHT }: Bounds) {
  return {
    requests: workLimit('requests', REQUESTS_IN_FLIGHT),
    searches: workLimit('searches', SEARCHES_IN_FLIGHT),
    /** Changes that lock the account. The limit of requests bounds how many wait. */
    changes: { what: 'changes', running_count: 1, waiting_count: Infinity },
    files: workLimit('files', 2),
  };
}

export const lifetimes = {
  /** A one-time token of a registration or a recovery. */
  oneTimeToken_s: 24 * 3_600,
  /** The longest of an API token that expires. */
  apiToken_days: 365,
  /** An answer that is kept for its `Idempotency-Key`; `sql/mail/delete_done.sql` deletes it then. */
  idempotentAnswer_ms: day_ms,
  /** A signature of Stripe. */
  stripeSignature_s: 300,
  /** A file of `/downloads` in memory, as in caches. */
  download_ms: hour_ms,
};

/** Recovery mails to an account since its last recovery: so many in so long. The longest window is the lifetime of a link. */
export const recoveryMails = [
  [5, hour_ms],
  [10, day_ms],
] as const;

/** How long is waited before something is given up. */
export const patience = {
  /** An answer: its deadline, then a 503. */
  answer_ms: 3_000,
  /** The same where other services or the hash of a password are waited for. */
  slowAnswer_ms: 8_000,
  downloadAnswer_ms: 60_000,
  /** The snapshot that was just published: a search is then answered from the one before. */
  search_ms: 50,
  /** A statement, a lock or a session; less than `answer_ms`. */
  database_ms: 2_500,
  /** A session for a download, and its longest query. */
  downloadSession_ms: 10_000,
  downloadQuery_ms: 45_000,
  /** One of two attempts at Stripe, which both end before `slowAnswer_ms`. */
  stripe_ms: 3_000,
  /** A request that arrives, and its headers. */
  request_ms: 30_000,
  headers_ms: 10_000,
  /** An idle connection: longer than proxies keep it, which then end it first. */
  idleConnection_ms: 65_000,
  /** Requests in progress when the process is asked to stop. */
  stop_ms: 10_000,
};

/** The API tries to give back a charge without an answer for an hour, as long as a database may be away. */
export const giveBack = { retries: 3_600, minTimeout: 1_000 };

/** Sessions of a process on the writer. */
export const sessions = {
  /** For limits and tokens: a few statements count and check for all requests. */
  gate: 3,
  /** For downloads, which take none of other requests. */
  downloads: 2,
};

/** Refusals of a key in a window that come at once; the further ones come `retryAfter_s.work` late. */
export const promptRefusals = 10;

/** Seconds after which a client may ask again: `Retry-After`. */
export const retryAfter_s = {
  unavailable: 5,
  loading: 2,
  passwords: 10,
  switchedOff: 3_600,
  /** Too much work in progress; the refusal itself comes so late. */
  work: 1,
};

/** The most of what a request or an answer has. */
export const sizes = {
  /** A hundred numbers of fifty characters, given twice, are 11,000 bytes. */
  body_bytes: 16_384,
  /** The events of Stripe have a few thousand bytes. */
  webhook_bytes: 262_144,
  /** Levels of lists and objects in a body. */
  depth: 16,
  /** Items of a list, and fields of an object. */
  items: 100,
  /** Errors of a 422. */
  errors: 100,
  page: 1_000_000_000_000,
  /** Items of the largest page; also the limit in `sql/api/read_feed_page.sql`. */
  perPage: 100,
  /** Characters of the name of an account or a token: the fewest, and the most. */
  name: [3, 255],
  /** Characters, and bytes, which bound the work of a hash. */
  password: [8, 1_024],
  /** Hashes of passwords that wait; then 503. */
  waitingHashes: 100,
} as const;

/** Items of a page, unless a request asks for another number. */
export const pageSize = 20;

/** What a process remembers of clients. */
export const memory = {
  windows: 10_000,
  tokens: 10_000,
  /** Tokens whose uses wait for the writer. Uses of further tokens are lost. */
  uses: 10_000,
};

/** Calls that share a statement. */
export const batches = {
  /** After a batch of so many calls the next one waits, so that more calls share it. */
  large: 6,
  /**
   * With 64 clients the writer takes a third less CPU for each search, and a sixth more searches are answered.
   * Few clients wait for nothing.
   */
  pause_ms: 5,
  /** The pause between two writes of the uses of tokens. */
  uses_ms: 250,
  /** Parallel statements that count requests. Statements with the same key wait for each other. */
  counting: 2,
};
