import { AsyncLocalStorage } from 'node:async_hooks';
import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit, type IncrementResponse } from 'express-rate-limit';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Tables } from '../sql/tables.ts';
import type { Auth, RequestLimit } from './endpoint.ts';
import { createLimitStore } from './limit-store.ts';
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

interface LimitChoice {
  /** What requests are counted by; undefined: by their address, as without it. */
  keyOf?: (request: Request) => string | undefined;
  /** Counts the requests for which it gives something, which are then not counted here. */
  count?: CountRequest;
}

/** Counts a request elsewhere, under the same key; undefined for one that it does not count. */
export type CountRequest = (request: Request) => Promise<IncrementResponse> | undefined;

// The library asks a store by a key alone.
const counted = new AsyncLocalStorage<Request>();

/**
 * Limits the requests of a client: by `keyOf`, else an IPv4 address, or the first 56 bits of an IPv6
 * address, which one customer of a provider owns whole. Answers 429 with `Retry-After`; every answer
 * tells what is left in `RateLimit`, `RateLimit-Policy` (draft 8) and `X-RateLimit-*`.
 */
export function limitRequests(
  { db, logger, now }: LimitOptions,
  { name, request_count, window_ms }: RequestLimit,
  { keyOf = () => undefined, count }: LimitChoice = {},
): RequestHandler {
  const store = createLimitStore({ db, now, window_ms, prefix: `${name}:` });
  const increment = (key: string) => {
    const request = counted.getStore();
    return (request && count?.(request)) ?? store.increment(key);
  };
  const limiter = rateLimit({
    windowMs: window_ms,
    limit: request_count,
    message: { message: 'Too Many Attempts.' },
    standardHeaders: 'draft-8',
    legacyHeaders: true,
    keyGenerator: (request) => keyOf(request) ?? addressOf(request),
    store: { ...store, increment },
    logger: {
      error: (error, message) => logger.error(error, message),
      warn: (error, message) => logger.warn(error, message),
    },
  });
  if (!count) return limiter;
  return (request, response, next) => {
    counted.run(request, () => void limiter(request, response, next));
  };
}

/**
 * Makes the limits of endpoints: those that share the name of a limit share its count. Without a
 * limit of its own an endpoint has the general one, which counts by token where there is one.
 *
 * @param count of endpoints that need a token and have no limit of their own
 */
export function createLimits(
  options: LimitOptions,
  count: CountRequest,
): (limit: RequestLimit | undefined, auth: Auth) => RequestHandler {
  const byName = new Map<string, RequestHandler>();
  const general = {
    open: limitRequests(options, generalLimit, { keyOf: tokenOf }),
    closed: limitRequests(options, generalLimit, { keyOf: tokenOf, count }),
  };
  return (limit, auth) => {
    if (!limit) return auth === 'none' ? general.open : general.closed;
    const made = byName.get(limit.name) ?? limitRequests(options, limit);
    byName.set(limit.name, made);
    return made;
  };
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
