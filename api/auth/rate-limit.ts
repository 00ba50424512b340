import { isIP } from 'node:net';
import type { NextFunction, Request, RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Tables } from '../../sql/tables/tables.ts';
import type { RequestLimit } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { createLimitStore } from './rate-limit-store.ts';
import { readBearer } from './token-secret.ts';

/** What holds for every endpoint that has no limit of its own. */
export const generalLimit: RequestLimit = {
  name: 'general',
  request_count: 180,
  window_ms: 60_000,
};

interface LimitOptions {
  db: Kysely<Tables>;
  logger: Logger;
  now: () => Date;
}

// A proxy that reports something else than an address, such as one with a port, must not give each
// of its requests a count of its own: all that comes through it then shares one.
function addressOf(request: Request): string {
  const address = [request.ip, request.socket.remoteAddress].find((text) => text && isIP(text));
  return ipKeyGenerator((address ?? 'unknown').split('%', 1)[0] ?? '', 56);
}

// A token that cannot be one has no count of its own: its client has.
function tokenOf(request: Request): string | undefined {
  const bearer = readBearer(request);
  return typeof bearer === 'string' ? undefined : bearer.hash;
}

/**
 * Limits the requests of a client: by `keyOf`, else an IPv4 address, or the first 56 bits of an IPv6
 * address, which one customer of a provider owns whole. Answers 429 with `Retry-After`; every answer
 * tells what is left in `RateLimit`, `RateLimit-Policy` (draft 8) and `X-RateLimit-*`.
 *
 * @param beforeRefusal may throw another answer than the 429
 */
export function limitRequests(
  { db, logger, now }: LimitOptions,
  { name, request_count, window_ms }: RequestLimit,
  keyOf: (request: Request) => string | undefined = () => undefined,
  beforeRefusal?: (request: Request) => Promise<void>,
): RequestHandler {
  const refuse = async (request: Request, next: NextFunction): Promise<void> => {
    try {
      await beforeRefusal?.(request);
      next(new HttpError(429, { message: 'Too Many Attempts.' }));
    } catch (error) {
      next(error);
    }
  };
  const limit = rateLimit({
    windowMs: window_ms,
    limit: request_count,
    standardHeaders: 'draft-8',
    legacyHeaders: true,
    keyGenerator: (request) => keyOf(request) ?? addressOf(request),
    store: createLimitStore({ db, now, window_ms, prefix: `${name}:` }),
    handler: (request, _response, next) => void refuse(request, next),
    logger: {
      error: (error, message) => logger.error(error, message),
      warn: (error, message) => logger.warn(error, message),
    },
  });
  return (request, response, next) => {
    // The library adds to these: an answer tells the limit that is counted last.
    response.removeHeader('RateLimit');
    response.removeHeader('RateLimit-Policy');
    return limit(request, response, next);
  };
}

/**
 * The general limit, which counts by the token of a request where there is one: a token that is
 * revoked or expired gets its 401 whatever its count.
 */
export function limitByToken(
  options: LimitOptions,
  refuseEnded: (request: Request) => Promise<void>,
): RequestHandler {
  return limitRequests(options, generalLimit, tokenOf, refuseEnded);
}

/**
 * Counts what is limited by something else than the client, such as the mails to an address.
 *
 * @returns counts one for a key, and resolves to whether it is still within the limit
 */
export function createAllowance(
  { db, now }: Pick<LimitOptions, 'db' | 'now'>,
  { name, request_count, window_ms }: RequestLimit,
): (key: string) => Promise<boolean> {
  const store = createLimitStore({ db, now, window_ms, prefix: `${name}:` });
  return async (key) => (await store.increment(key)).totalHits <= request_count;
}
