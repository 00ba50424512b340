/** Headers of every answer, as the OpenAPI document describes them. */
export const commonHeaders = {
  'X-Request-Id': ['Name of the request in the log: the one you sent, else a new one.', 'string'],
  'RateLimit-Policy': ['The limit and its window (draft 8 of the HTTP working group).', 'string'],
  RateLimit: ['What is left of the limit, and the seconds until its window ends.', 'string'],
  'X-RateLimit-Limit': ['Requests per window.', 'integer'],
  'X-RateLimit-Remaining': ['What is left of them.', 'integer'],
  'X-RateLimit-Reset': ['When the window ends, in seconds since 1970.', 'integer'],
} as const;

/** All headers that an answer can have, as the OpenAPI document describes them. */
export const headers = {
  ...commonHeaders,
  'Retry-After': ['Seconds to wait.', 'integer'],
  'WWW-Authenticate': ['`Bearer`: a token is needed.', 'string'],
  'Idempotency-Replayed': [
    '`true` where an earlier request with the same key got this answer.',
    'string',
  ],
  'X-Credits-Charged': ['Credits that this request cost.', 'integer'],
  'X-Credits-Balance': ['Credits that are left in the wallet.', 'integer'],
  ETag: ['Validator for `If-None-Match`.', 'string'],
  'Cache-Control': ['How long the answer may be kept.', 'string'],
} as const;

export type Header = keyof typeof headers;

/** The headers that pages of another origin may read. Browsers expose `Cache-Control` without permission. */
export const exposedHeaders = Object.keys(headers)
  .filter((name) => name !== 'Cache-Control' && name !== 'WWW-Authenticate')
  .toSorted();
