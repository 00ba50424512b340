import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { AppOptions } from '../app.ts';
import type { RequestLimit } from '../http/endpoint.ts';
import { clientAddressOf } from './authenticate.ts';
import { createLimitStore } from './rate-limit-store.ts';
import { readBearer } from './token-secret.ts';

/** The limit of every endpoint that has no limit of its own. */
export const generalLimit: RequestLimit = {
  name: 'general',
  request_count: 180,
  window_ms: 60_000,
};

/** The key of a token. A malformed token has none: its client is counted. */
export function tokenOf(request: Request): string | undefined {
  return readBearer(request).hash;
}

type LimitOptions = Pick<AppOptions, 'db' | 'logger' | 'now'>;

/**
 * Limits the requests of a client. A client is the key of `keyOf`, else an IPv4 address, or the first
 * 56 bits of an IPv6 address: one customer owns them. Answers 429 with `Retry-After`.
 * Every answer has the rest in `RateLimit`, `RateLimit-Policy` (draft 8) and `X-RateLimit-*`.
 *
 * @param beforeRefusal may throw another answer than the 429
 */
export function limitRequests(
  { db, logger, now }: LimitOptions,
  { name, request_count, window_ms }: RequestLimit,
  keyOf: (request: Request) => string | undefined = () => undefined,
  beforeRefusal?: (request: Request) => Promise<void>,
): RequestHandler {
  const limit = rateLimit({
    windowMs: window_ms,
    limit: request_count,
    standardHeaders: 'draft-8',
    legacyHeaders: true,
    keyGenerator: (request) =>
      keyOf(request) ?? ipKeyGenerator(clientAddressOf(request) ?? 'unknown', 56),
    store: createLimitStore({ db, now, window_ms, prefix: `${name}:` }),
    message: async (request: Request) => {
      await beforeRefusal?.(request);
      return { message: 'Too Many Attempts.' };
    },
    logger,
  });
  return (request, response, next) => {
    // The library adds to these headers: an answer has the limit that is counted last.
    response.removeHeader('RateLimit');
    response.removeHeader('RateLimit-Policy');
    return limit(request, response, next);
  };
}

/**
 * Limits by a key other than the client, such as a mail address.
 *
 * @returns counts one for a key, and resolves to whether the key is still within the limit
 */
export function createAllowance(
  { db, now }: Pick<LimitOptions, 'db' | 'now'>,
  { name, request_count, window_ms }: RequestLimit,
): (key: string) => Promise<boolean> {
  const store = createLimitStore({ db, now, window_ms, prefix: `${name}:` });
  return async (key) => (await store.increment(key)).totalHits <= request_count;
}
