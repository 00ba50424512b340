// This file lists the headers of answers; `html/page.ts` sets the headers for language and caching of pages.
import type { HelmetOptions } from 'helmet';

/**
 * The security headers of every answer, such as `Content-Security-Policy`. With these headers, a page loads files from
 * this service only, posts forms to this service only, and runs no inline script or style. `upgrade-insecure-requests`
 * is omitted, since pages on localhost could not load their files. Headers for obsolete browsers are omitted too.
 */
export const security: HelmetOptions = {
  frameguard: { action: 'deny' },
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
  },
};

/** The headers, with their types, that the OpenAPI document lists for every answer. */
export const commonHeaders = {
  'X-Request-Id': 'string',
  'RateLimit-Policy': 'string',
  RateLimit: 'string',
  'X-RateLimit-Limit': 'integer',
  'X-RateLimit-Remaining': 'integer',
  'X-RateLimit-Reset': 'integer',
} as const;

/** All headers, with their types, that the OpenAPI document lists for at least one answer. */
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

/** The headers that pages of other websites may read. `Cache-Control` is omitted: browsers always expose it. */
export const exposedHeaders = Object.keys(headers)
  .filter((name) => name !== 'Cache-Control' && name !== 'WWW-Authenticate')
  .toSorted();
