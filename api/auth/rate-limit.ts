import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit, type IncrementResponse } from 'express-rate-limit';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Tables } from '../../sql/tables/tables.ts';
import type { Auth, RequestLimit } from '../http/endpoint.ts';
import { createLimitStore } from './rate-limit-store.ts';
import { readBearer } from './token-secret.ts';

/** What holds for every endpoint that has no limit of its own. */
export const generalLimit: RequestLimit = {
  name: 'general',
  request_count: 180,
  window_ms: 60_000,
};

const tooMany = { message: 'Too Many Attempts.' };

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

/** Counts a request elsewhere, under the same key; undefined for one that it does not count. */
export type CountRequest = (request: Request) => Promise<IncrementResponse> | undefined;

/**
 * Limits the requests of a client: by `keyOf`, else an IPv4 address, or the first 56 bits of an IPv6
 * address, which one customer of a provider owns whole. Answers 429 with `Retry-After`; every answer
 * tells what is left in `RateLimit`, `RateLimit-Policy` (draft 8) and `X-RateLimit-*`.
 */
export function limitRequests(
  { db, logger, now }: LimitOptions,
  { name, request_count, window_ms }: RequestLimit,
  keyOf: (request: Request) => string | undefined = () => undefined,
): RequestHandler {
  return rateLimit({
    windowMs: window_ms,
    limit: request_count,
    message: tooMany,
    standardHeaders: 'draft-8',
    legacyHeaders: true,
    keyGenerator: (request) => keyOf(request) ?? addressOf(request),
    store: createLimitStore({ db, now, window_ms, prefix: `${name}:` }),
    logger: {
      error: (error, message) => logger.error(error, message),
      warn: (error, message) => logger.warn(error, message),
    },
  });
}

// What the library says, without its questions to a store.
function tellLimit(
  response: Response,
  { request_count, window_ms }: RequestLimit,
  key: string,
  { totalHits, resetTime }: IncrementResponse,
): void {
  const reset_ms = resetTime?.getTime() ?? Date.now() + window_ms;
  const left = Math.max(0, request_count - totalHits);
  const reset_s = Math.max(0, Math.ceil((reset_ms - Date.now()) / 1000));
  const name = `"${request_count}-in-${window_ms / 60_000}min"`;
  const partition = Buffer.from(hash('sha256', key, 'hex').slice(0, 12)).toString('base64');
  response.setHeader('X-RateLimit-Limit', String(request_count));
  response.setHeader('X-RateLimit-Remaining', String(left));
  response.setHeader('X-RateLimit-Reset', String(Math.ceil(reset_ms / 1000)));
  response.setHeader('RateLimit', `${name}; r=${left}; t=${reset_s}`);
  response.setHeader(
    'RateLimit-Policy',
    `${name}; q=${request_count}; w=${window_ms / 1000}; pk=:${partition}:`,
  );
  if (totalHits > request_count) response.setHeader('Retry-After', String(reset_s));
}

/** Limits the requests that `count` counts under their token, and the others by `limitOthers`. */
function limitCounted(
  count: CountRequest,
  limit: RequestLimit,
  limitOthers: RequestHandler,
): RequestHandler {
  return async (request, response, next) => {
    const [key, counting] = [tokenOf(request), count(request)];
    if (!counting || key === undefined) {
      await limitOthers(request, response, next);
      return;
    }
    const counted = await counting;
    tellLimit(response, limit, key, counted);
    if (counted.totalHits > limit.request_count) response.status(429).json(tooMany);
    else next();
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
  const open = limitRequests(options, generalLimit, tokenOf);
  const general = { open, closed: limitCounted(count, generalLimit, open) };
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
