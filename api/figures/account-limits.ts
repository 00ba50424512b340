/** The limits of what one account may store or run; the file rate-limits.ts has the limits per time window. */
export const bounds = {
  /** The maximum number of companies on a watch list, including companies whose import is queued or failed. */
  WATCHES_PER_ACCOUNT: 10_000,
  /** The maximum number of company numbers of one account that are queued for import. */
  QUEUED_NUMBERS_PER_ACCOUNT: 1_000,
  /** The maximum number of usable API tokens of an account, and also of its stored revoked or expired tokens. */
  TOKENS_PER_ACCOUNT: 100,
  /** The maximum number of requests a day that add companies to a watch list, since each request can cause a mail. */
  SUBMISSIONS_PER_DAY: 1_000,
  /** The maximum number of parallel requests of an account (without a token: of an address) in one API process. */
  REQUESTS_IN_FLIGHT: 8,
  /** The maximum number of parallel searches of an account in one API process. */
  SEARCHES_IN_FLIGHT: 2,
};

export type Bounds = typeof bounds;

/** The maximum number of webhooks of an account. */
export const mostWebhooks = 10;
