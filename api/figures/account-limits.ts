/** The limits of one account, which protect other accounts. The file rate-limits.ts has the limits per time window. */
export const bounds = {
  /** The maximum number of companies on a watch list, including queued and failed ones. */
  WATCHES_PER_ACCOUNT: 10_000,
  /** The maximum number of an account's company numbers that are queued for import. */
  QUEUED_NUMBERS_PER_ACCOUNT: 1_000,
  /** The maximum number of usable API tokens of an account, and of its ended tokens that are kept. */
  TOKENS_PER_ACCOUNT: 100,
  /** The maximum number of requests a day that add companies to a watch list, since each can cause a mail. */
  SUBMISSIONS_PER_DAY: 1_000,
  /** The maximum number of requests that an account (without a token: an address) runs in one process in parallel. */
  REQUESTS_IN_FLIGHT: 8,
  /** The maximum number of searches that an account runs in one process in parallel. */
  SEARCHES_IN_FLIGHT: 2,
};

export type Bounds = typeof bounds;

/** The maximum number of webhooks of an account. */
export const mostWebhooks = 10;
