/** The maximum sizes of requests and answers. */
export const sizes = {
  /** The maximum bytes of a JSON body: 100 companies with references in `\uXXXX` escapes need 47,000 bytes. */
  body_bytes: 65_536,
  /** The maximum bytes of a form that a page posts. */
  form_bytes: 16_384,
  /** The maximum bytes of an event that Stripe posts to the API; typical events have a few thousand bytes. */
  webhook_bytes: 262_144,
  /** The maximum nesting depth of lists and objects in a JSON body. */
  depth: 16,
  /** The maximum count of items in a list (such as companies in a lookup) or of fields in an object of a request. */
  items: 100,
  /** The maximum count of errors that the body of a 422 lists. */
  errors: 100,
  page: 1_000_000_000_000,
  /** The maximum count of items on one page of a list; `registry.page_items` in the database has the same figure. */
  perPage: 100,
  /** The maximum count of events in one answer of the event feed. */
  feed: 1_000,
  /** The maximum count of characters in a list of values of an event filter, such as its event types. */
  filter: 2_000,
  /** The maximum count of characters in a text filter of a search, such as `city`, and in a postal code. */
  textFilter: 150,
  postalCode: 20,
  /** A JSON answer with at least this count of characters is compressed. */
  compressed: 1_024,
  /** The maximum count of events in one call to a webhook. */
  delivery: 50,
  /** The minimum and maximum count of characters in the name of an account or token. */
  name: [3, 255],
  /** The maximum count of characters in a client's own reference for a watched company. */
  reference: 64,
  /** The minimum count of characters and the maximum count of bytes of a password. */
  password: [8, 1_024],
  /** The maximum count of queued password hashes; a request that needs a further hash gets a 503. */
  waitingHashes: 100,
} as const;

/** The default count of items on one page of a list. */
export const pageSize = 20;
