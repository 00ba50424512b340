/** The timeouts of the API, in ms. */
export const patience = {
  /** The deadline of an answer; after the deadline the client gets a 503. */
  answer_ms: 3_000,
  /** The deadline of an answer that needs another service or the hash of a password. */
  slowAnswer_ms: 8_000,
  downloadAnswer_ms: 60_000,
  /** The maximum wait of a search for a new snapshot to load; then the search uses the previous snapshot. */
  search_ms: 50,
  /** The timeout of a statement, a lock or a session of the database; less than `answer_ms`. */
  database_ms: 2_500,
  /** The timeouts of a download: for a database session, and for its query. */
  downloadSession_ms: 10_000,
  downloadQuery_ms: 45_000,
  /** The timeout of the DNS query for the host of a webhook. */
  lookup_ms: 1_500,
  /** The timeout of one request to Stripe; two attempts together must fit into `slowAnswer_ms`. */
  stripe_ms: 3_000,
  /** The timeouts for receiving a whole request, and its headers. */
  request_ms: 30_000,
  headers_ms: 10_000,
  /** Idle connections stay open longer than proxies keep them, so that the proxy closes the connection first. */
  idleConnection_ms: 65_000,
  /** The time in which requests in progress may finish when the process must stop. */
  stop_ms: 10_000,
};

/** An unanswered charge is refunded by retries, one a second for an hour (the longest expected outage). */
export const giveBack = { retries: 3_600, minTimeout: 1_000 };
