/** The timeouts of the API, in ms. */
export const patience = {
  /** The time after which a request without an answer gets a 503. */
  answer_ms: 3_000,
  /** The time after which a request that needs another service or a password hash gets a 503. */
  slowAnswer_ms: 8_000,
  downloadAnswer_ms: 60_000,
  /** The maximum time that a search waits for a new snapshot to be loaded; then the previous snapshot answers. */
  search_ms: 50,
  /** The maximum wait for the end of an SQL statement, for a lock, or for a free session; less than `answer_ms`. */
  database_ms: 2_500,
  /** The maximum waits of a download: for a free database session, and for the end of its query. */
  downloadSession_ms: 10_000,
  downloadQuery_ms: 45_000,
  /** The timeout of the DNS query for the host of a webhook. */
  lookup_ms: 1_500,
  /** The timeout of one request to Stripe; two attempts together must fit into `slowAnswer_ms`. */
  stripe_ms: 3_000,
  /** The maximum times for receiving a whole request, and for receiving its headers. */
  request_ms: 30_000,
  headers_ms: 10_000,
  /** The time for which idle connections stay open: longer than in usual proxies, so that the proxy closes first. */
  idleConnection_ms: 65_000,
  /** The time that requests in progress get to finish when the process must stop. */
  stop_ms: 10_000,
};

/** If a charge gets no answer, its refund is tried once a second for an hour (the longest expected outage). */
export const giveBack = { retries: 3_600, minTimeout: 1_000 };
