/** The bounds of one account, which protect other accounts. rate-limits.ts has the limits by time, also of mails. */
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

/** The maximum number of webhooks of an account. */
export const mostWebhooks = 10;
