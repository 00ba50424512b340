/** The maximum sizes of requests and answers. */
export const sizes = {
  /** The maximum bytes of a JSON body; a hundred numbers with references in `\uXXXX` escapes need 47,000 bytes. */
  body_bytes: 65_536,
  /** The maximum bytes of a form that a page posts. */
  form_bytes: 16_384,
  /** The maximum bytes of an event that Stripe posts to the webhook; typical events have a few thousand bytes. */
  webhook_bytes: 262_144,
  /** The maximum nesting depth of lists and objects in a JSON body. */
  depth: 16,
  /** The maximum count of items of a list (such as numbers of a lookup) or of fields of an object. */
  items: 100,
  /** The maximum count of errors in the body of a 422. */
  errors: 100,
  page: 1_000_000_000_000,
  /** The maximum count of items on a page; `registry.page_items` in the database has the same figure. */
  perPage: 100,
  /** The maximum count of events in an answer of the feed, and of characters in a filter's list of words. */
  feed: 1_000,
  filter: 2_000,
  /** The minimum count of characters of a JSON answer that is compressed. */
  compressed: 1_024,
  /** The maximum count of events that one call delivers to a webhook. */
  delivery: 50,
  /** The minimum and maximum count of characters of an account's or token's name. */
  name: [3, 255],
  /** The maximum count of characters of a client's own reference for a company. */
  reference: 64,
  /** The minimum characters and the maximum bytes of a password; the maximum limits the work of its hash. */
  password: [8, 1_024],
  /** The maximum count of queued password hashes; a further request gets a 503. */
  waitingHashes: 100,
} as const;

/** The default count of items on a page. */
export const pageSize = 20;
