/** The largest sizes of requests and answers. */
export const sizes = {
  /** The maximum number of bytes of a body; a hundred numbers with references in `\uXXXX` fit with 47,000 bytes. */
  body_bytes: 65_536,
  /** The maximum number of bytes of a posted form of a page. */
  form_bytes: 16_384,
  /** The maximum number of bytes of a webhook; the events of Stripe have a few thousand bytes. */
  webhook_bytes: 262_144,
  /** The maximum number of levels of lists and objects in a body. */
  depth: 16,
  /** The maximum number of items of a list, such as the numbers of a lookup or an add, or fields of an object. */
  items: 100,
  /** The maximum number of errors of a 422. */
  errors: 100,
  page: 1_000_000_000_000,
  /** The maximum number of items of a page; `registry.page_items` of the database is the same figure. */
  perPage: 100,
  /** The maximum number of events in an answer of the feed, and of characters in a filter's list of words. */
  feed: 1_000,
  filter: 2_000,
  /** The maximum number of events in a delivery of a webhook. */
  delivery: 50,
  /** The fewest and the most characters of the name of an account or a token. */
  name: [3, 255],
  /** The maximum length, in characters, of a client's own reference for a company. */
  reference: 64,
  /** The fewest characters and the most bytes of a password; the bytes bound the work of its hash. */
  password: [8, 1_024],
  /** The maximum number of hashes of passwords that wait; a further request gets a 503. */
  waitingHashes: 100,
} as const;

/** The items of a page, unless a request asks for another count. */
export const pageSize = 20;
