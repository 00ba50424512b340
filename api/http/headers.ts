/** The headers of every answer, with their types. */
export const commonHeaders = {
  'X-Request-Id': 'string',
  'RateLimit-Policy': 'string',
  RateLimit: 'string',
  'X-RateLimit-Limit': 'integer',
  'X-RateLimit-Remaining': 'integer',
  'X-RateLimit-Reset': 'integer',
} as const;

/** All headers that an answer can have, with their types. */
export const headers = {
  ...commonHeaders,
  'Retry-After': 'integer',
  'WWW-Authenticate': 'string',
  'Idempotency-Replayed': 'string',
  'X-Credits-Charged': 'integer',
  'X-Credits-Balance': 'integer',
  ETag: 'string',
  'Cache-Control': 'string',
} as const;

export type Header = keyof typeof headers;

/** The headers that pages of another origin may read. Browsers expose `Cache-Control` without permission. */
export const exposedHeaders = Object.keys(headers)
  .filter((name) => name !== 'Cache-Control' && name !== 'WWW-Authenticate')
  .toSorted();
