import { setTimeout as delay } from 'node:timers/promises';
import type { Request, RequestHandler } from 'express';
import { type IncrementResponse, ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Logger } from 'pino';
import type { Db } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Readers } from '../../sql/connection/readers.ts';
import {
  promptRefusals,
  type RequestLimit,
  retryAfter_s,
  type WorkLimit,
} from '../figures/rate-limits.ts';
import { memory } from '../figures/resources.ts';
import { createBatch } from './batch.ts';
import { tooMany, withCode } from './errors.ts';
import { clientAddressOf } from './forwarded.ts';

interface Options {
  gate: Db;
  readers: Readers;
  now: () => Date;
  logger: Logger;
}

/** Limits the requests and the parallel work of clients; `figures/rate-limits.ts` has the limits. */
export type Limiter = ReturnType<typeof createLimiter>;

/** A client's count of requests in a time window, the window's end, and the count of refusals by this process. */
type Counted = IncrementResponse & { resetTime: Date; refusals?: number };

function refusalOf({ request_count, what }: RequestLimit): string {
  return what ? `An account has at most ${request_count} ${what}.` : 'Too Many Attempts.';
}

/** Returns the key by which requests of a client without a token are counted: IPv4 address, or IPv6 network (/56). */
export function addressKeyOf(request: Request): string {
  return ipKeyGenerator(clientAddressOf(request) ?? 'unknown', 56);
}

/**
 * Returns the limiter. All processes count requests in one table of PostgreSQL; `sql/retention/delete_done.sql` deletes
 * ended windows. While the primary server is unavailable, each process counts only its own requests.
 */
export function createLimiter({ gate, readers, now, logger }: Options) {
  /** The time windows of the last clients, with the counts that this process last read from the database. */
  const windows = new LRUCache<string, Counted>({ max: memory.windows });
  const queues = new Map<string, LimitFunction>();

  const findOpen = (limit_key: string) => {
    const counted = windows.get(limit_key);
    return counted && counted.resetTime > now() ? counted : undefined;
  };

  /** Counts requests, and returns the count of each in its window; undefined without the primary server. */
  async function countHits(
    hits: { limit_key: string; reset_at: Date }[],
  ): Promise<(Counted | undefined)[]> {
    const keys = hits.map(({ limit_key }) => limit_key);
    const values = [keys, now(), hits.map(({ reset_at }) => reset_at)];
    type Row = { limit_key: string; hit_count: string; reset_at: Date };
    const rows = await readers.askWriter(() =>
      runPrepared<Row>(gate, 'api/count_limit_hits.sql', values),
    );
    if (!rows) return hits.map(() => undefined);
    const counters = new Map(rows.map((row) => [row.limit_key, row]));
    const later = Map.groupBy(keys, (key) => key);
    return keys.map((key) => {
      const { hit_count, reset_at: resetTime } = counters.get(key)!;
      later.get(key)!.pop();
      return { totalHits: Number(hit_count) - later.get(key)!.length, resetTime };
    });
  }

  const countHit = createBatch(countHits);

  /**
   * Counts a request, and returns the count of requests in its time window and the end of this window. If the count is
   * known to exceed the limit, the request is not counted, and repeated refusals are delayed.
   */
  async function hit(limited: RequestLimit, key: string): Promise<Counted> {
    const limit_key = `${limited.name}:${key}`;
    const known = findOpen(limit_key);
    if (known && known.totalHits > limited.request_count) {
      known.refusals = (known.refusals ?? 0) + 1;
      if (known.refusals > promptRefusals) await delay(retryAfter_s.work * 1_000);
      return known;
    }
    const reset_at = new Date(now().getTime() + limited.window_ms);
    let counted = await countHit({ limit_key, reset_at });
    if (!counted) {
      const { totalHits, resetTime } = findOpen(limit_key) ?? { totalHits: 0, resetTime: reset_at };
      counted = { totalHits: totalHits + 1, resetTime };
    }
    windows.set(limit_key, counted);
    return counted;
  }

  return {
    hit,

    /**
     * Returns a middleware that limits the requests with the same key: the result of `keyOf` or else the client's
     * address. The headers `RateLimit`, `RateLimit-Policy` (draft 8) and `X-RateLimit-*` of every answer report the
     * remaining requests. The function `beforeRefusal` may throw another error instead of the 429.
     */
    limitRequests(
      limited: RequestLimit,
      keyOf?: (request: Request) => string | undefined,
      beforeRefusal?: (request: Request) => void,
    ): RequestHandler {
      const limit = rateLimit({
        windowMs: limited.window_ms,
        limit: limited.request_count,
        standardHeaders: 'draft-8',
        legacyHeaders: true,
        keyGenerator: (request) => keyOf?.(request) ?? addressKeyOf(request),
        store: {
          prefix: limited.name,
          increment: (key) => hit(limited, key),
          // express-rate-limit would call `decrement` and `resetKey` only with options that this code omits.
          decrement: () => undefined,
          resetKey: () => undefined,
        },
        message: (request: Request) => {
          beforeRefusal?.(request);
          return withCode({ message: refusalOf(limited) }, 429);
        },
        logger,
      });
      return (request, response, next) => {
        // An answer reports only the last checked limit; express-rate-limit would append this limit to earlier limits.
        response.removeHeader('RateLimit');
        response.removeHeader('RateLimit-Policy');
        return limit(request, response, next);
      };
    },

    /** Counts one request or mail under a key (such as a mailbox). Returns whether the count is within the limit. */
    async isAllowed(limited: RequestLimit, key: string): Promise<boolean> {
      return (await hit(limited, key)).totalHits <= limited.request_count;
    },

    /** Counts one request under a key (such as an account). Throws a 429 if the count then exceeds the limit. */
    async count(limited: RequestLimit, key: string): Promise<void> {
      const { name, request_count, window_ms } = limited;
      const { totalHits, resetTime } = await hit(limited, key);
      if (totalHits <= request_count) return;
      const wait_s = Math.ceil((resetTime.getTime() - now().getTime()) / 1_000);
      throw tooMany(refusalOf(limited), wait_s, {
        'RateLimit-Policy': `"${name}"; q=${request_count}; w=${window_ms / 1_000}`,
        RateLimit: `"${name}"; r=0; t=${wait_s}`,
      });
    },

    /**
     * Runs a task of a client, or queues it while too many tasks of the client run; throws a 429 if this queue is full.
     * A task is counted until it ends, even if its request has been answered before.
     */
    async inTurn<Result>(
      { what, running_count, waiting_count }: WorkLimit,
      client: string,
      work: () => Promise<Result>,
    ): Promise<Result> {
      const key = `${what}:${client}`;
      const own = queues.get(key) ?? pLimit(running_count);
      if (own.activeCount + own.pendingCount >= running_count + waiting_count) {
        // The 429 is delayed, so that a client that retries immediately takes little CPU time from other clients.
        await delay(retryAfter_s.work * 1_000);
        const message = `At most ${running_count} ${what} may be under way at a time, and ${waiting_count} wait.`;
        throw tooMany(message, retryAfter_s.work, {}, 'TOO_MANY_AT_ONCE');
      }
      queues.set(key, own);
      try {
        return await own(work);
      } finally {
        if (own.activeCount === 0) queues.delete(key);
      }
    },
  };
}
