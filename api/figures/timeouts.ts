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
  /** The longest wait for the DNS answer about the host of a webhook. */
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

/** The retries that give back an unanswered charge: one a second for an hour, the longest expected outage. */
export const giveBack = { retries: 3_600, minTimeout: 1_000 };
