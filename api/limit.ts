import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit, type IncrementResponse, type Store } from 'express-rate-limit';
import { sql, type Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Tables } from '../sql/tables.ts';

interface LimitStoreOptions {
  db: Kysely<Tables>;
  now: () => Date;
  window_ms: number;
  prefix: string;
}

/**
 * Counts hits in Postgres, so that all processes share one count and a restart forgets nothing. A
 * client's window opens with its first hit and lasts `window_ms`; keys are kept as `prefix` + key.
 */
export function createLimitStore({ db, now, window_ms, prefix }: LimitStoreOptions): Store {
  const limit = sql.table('customer.rate_limit');
  let swept_at = 0;

  async function increment(key: string): Promise<IncrementResponse> {
    const hit_at = now();
    const reset_at = new Date(hit_at.getTime() + window_ms);
    await sweep(hit_at);
    const { rows } = await sql<{ hit_count: string; reset_at: Date }>`
      insert into ${limit} as counter (limit_key, hit_count, reset_at)
      values (${prefix + key}, 1, ${reset_at})
      on conflict (limit_key) do update set
          hit_count = case when counter.reset_at <= ${hit_at} then 1 else counter.hit_count + 1 end,
          reset_at = case when counter.reset_at <= ${hit_at} then excluded.reset_at else counter.reset_at end
      returning hit_count, reset_at
    `.execute(db);
    const counter = rows[0];
    if (!counter) throw new Error(`The hit of ${prefix}${key} was not counted`);
    return { totalHits: Number(counter.hit_count), resetTime: counter.reset_at };
  }

  // Once a window and process. Rows stay for one more window, because the clock of another machine
  // may be behind ours; rows that are being counted, or swept by another process, are passed over.
  async function sweep(hit_at: Date): Promise<void> {
    if (hit_at.getTime() - swept_at < window_ms) return;
    swept_at = hit_at.getTime();
    await sql`
      delete from ${limit}
      where limit_key in (
          select limit_key from ${limit}
          where reset_at <= ${new Date(hit_at.getTime() - window_ms)}
          for update skip locked
      )
    `.execute(db);
  }

  async function decrement(key: string): Promise<void> {
    await db
      .updateTable('customer.rate_limit')
      .set({ hit_count: sql`greatest(hit_count - 1, 0)` })
      .where('limit_key', '=', prefix + key)
      .where('reset_at', '>', now())
      .execute();
  }

  async function resetKey(key: string): Promise<void> {
    await db
      .deleteFrom('customer.rate_limit')
      .where('limit_key', '=', prefix + key)
      .execute();
  }

  return { prefix, increment, decrement, resetKey };
}

// A proxy that reports something else than an address, such as one with a port, must not give each
// of its requests a count of its own: all that comes through it then shares one.
function addressOf(request: Request): string {
  const address = [request.ip, request.socket.remoteAddress].find((text) => text && isIP(text));
  return ipKeyGenerator((address ?? 'unknown').split('%', 1)[0] ?? '', 56);
}

export interface LimitOptions {
  db: Kysely<Tables>;
  logger: Logger;
  now: () => Date;
  /** What is limited; routes that share a name share their counts. */
  name: string;
  /** Requests that are let through per window and client. */
  request_count: number;
  window_ms: number;
}

/**
 * Limits the requests of a client: an IPv4 address, or the first 56 bits of an IPv6 address, which
 * one customer of a provider owns whole. Answers 429 with `Retry-After`; every answer tells what is
 * left in `RateLimit`, `RateLimit-Policy` (draft 8) and `X-RateLimit-*`.
 */
export function limitRequests(options: LimitOptions): RequestHandler {
  const { db, logger, now, name, request_count, window_ms } = options;
  return rateLimit({
    windowMs: window_ms,
    limit: request_count,
    message: { message: 'Too Many Attempts.' },
    standardHeaders: 'draft-8',
    legacyHeaders: true,
    keyGenerator: addressOf,
    store: createLimitStore({ db, now, window_ms, prefix: `${name}:` }),
    logger: {
      error: (error, message) => logger.error(error, message),
      warn: (error, message) => logger.warn(error, message),
    },
  });
}
