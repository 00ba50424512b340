import { setTimeout as delay } from 'node:timers/promises';
import type { Request, RequestHandler } from 'express';
import { type IncrementResponse, ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Db } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Readers } from '../../sql/connection/readers.ts';
import {
  batches,
  memory,
  promptRefusals,
  type RequestLimit,
  retryAfter_s,
  type WorkLimit,
} from '../figures.ts';
import { createBatch } from './batch.ts';
import { tooMany } from './errors.ts';
import { clientAddressOf } from './forwarded.ts';

interface LimiterOptions {
  gate: Db;
  readers: Readers;
  now: () => Date;
  logger: Logger;
}

/** Bounds what clients do; the limits are in `figures.ts`. */
export type Limiter = ReturnType<typeof createLimiter>;

/** Requests of a key in its window, the end of the window, and how often this process has refused the key in it. */
type Counted = IncrementResponse & { resetTime: Date; refusals?: number };

type Hit = { limit_key: string; reset_at: Date };

function refusalOf({ request_count, what }: RequestLimit): string {
  return what ? `An account has at most ${request_count} ${what}.` : 'Too Many Attempts.';
}

/** Returns the key of a client without a token: its IPv4 address, or the first 56 bits of its IPv6 address. */
export function addressKeyOf(request: Request): string {
  return ipKeyGenerator(clientAddressOf(request) ?? 'unknown', 56);
}

// The library wants these methods, and calls them only with options that are not set here.
function unsupported(): never {
  throw new Error('Hits are not taken back');
}

/**
 * Counts requests in Postgres, so that all processes share one count and a restart forgets nothing. Keys
 * are stored as `name:key`. The worker deletes closed windows (`sql/mail/delete_done.sql`). While the writer
 * is away and standbys are there, each process counts on for itself.
 */
export function createLimiter({ gate, readers, now, logger }: LimiterOptions) {
  /** The windows of the last clients, as this process has counted last. */
  const windows = new LRUCache<string, Counted>({ max: memory.windows });
  const working = new Map<string, { count: number; waiting: (() => void)[] }>();

  const findOpen = (limit_key: string) => {
    const counted = windows.get(limit_key);
    return counted && counted.resetTime > now() ? counted : undefined;
  };

  /** Counts the hits of one key together, and gives each its own count; undefined while the writer is away. */
  async function countHits(hits: Hit[]): Promise<(Counted | undefined)[]> {
    const keys = hits.map(({ limit_key }) => limit_key);
    const values = [keys, now(), hits.map(({ reset_at }) => reset_at)];
    type Row = { limit_key: string; hit_count: string; reset_at: Date };
    const rows = await readers.askWriter(() =>
      runPrepared<Row>(gate, 'api/count_hits.sql', values),
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

  // Hits that arrive while a statement runs share the next statement.
  const countHit = createBatch(countHits, batches.counting);

  /**
   * Returns the window of a key that this process has seen full. The call is a refusal: after the first ones
   * it comes late, since a client that asks again at once must not take the processor from others.
   */
  async function meetFull(
    { name, request_count }: RequestLimit,
    key: string,
  ): Promise<Counted | undefined> {
    const seen = findOpen(`${name}:${key}`);
    if (!seen || seen.totalHits <= request_count) return undefined;
    seen.refusals = (seen.refusals ?? 0) + 1;
    if (seen.refusals > promptRefusals) await delay(retryAfter_s.work * 1_000);
    return seen;
  }

  /** Counts a request, unless this process has seen that the window is full. */
  async function hit(limited: RequestLimit, key: string): Promise<Counted> {
    const full = await meetFull(limited, key);
    if (full) return full;
    const limit_key = `${limited.name}:${key}`;
    const reset_at = new Date(now().getTime() + limited.window_ms);
    let counted = await countHit({ limit_key, reset_at });
    if (!counted) {
      const { totalHits, resetTime } = findOpen(limit_key) ?? { totalHits: 0, resetTime: reset_at };
      counted = { totalHits: totalHits + 1, resetTime };
    }
    windows.set(limit_key, counted);
    return counted;
  }

  /** Throws the 429 of a window that is full. */
  function refuse(limited: RequestLimit, { totalHits, resetTime }: Counted): void {
    const { name, request_count, window_ms } = limited;
    if (totalHits <= request_count) return;
    const wait_s = Math.ceil((resetTime.getTime() - now().getTime()) / 1_000);
    throw tooMany(refusalOf(limited), wait_s, {
      'RateLimit-Policy': `"${name}"; q=${request_count}; w=${window_ms / 1_000}`,
      RateLimit: `"${name}"; r=0; t=${wait_s}`,
    });
  }

  return {
    hit,

    /**
     * Makes what limits the requests of a client: the key of `keyOf`, else an IPv4 address, or the first 56
     * bits of an IPv6 address, which one customer owns. Answers 429 with `Retry-After`.
     * Every answer has the rest in `RateLimit`, `RateLimit-Policy` (draft 8) and `X-RateLimit-*`.
     *
     * @param beforeRefusal may throw another answer than the 429
     */
    limitRequests(
      limited: RequestLimit,
      keyOf: (request: Request) => Promise<string | undefined> = () => Promise.resolve(undefined),
      beforeRefusal?: (request: Request) => Promise<void>,
    ): RequestHandler {
      const limit = rateLimit({
        windowMs: limited.window_ms,
        limit: limited.request_count,
        standardHeaders: 'draft-8',
        legacyHeaders: true,
        keyGenerator: async (request) => (await keyOf(request)) ?? addressKeyOf(request),
        store: {
          prefix: limited.name,
          increment: (key) => hit(limited, key),
          decrement: unsupported,
          resetKey: unsupported,
        },
        message: async (request: Request) => {
          await beforeRefusal?.(request);
          return { message: refusalOf(limited) };
        },
        logger,
      });
      return (request, response, next) => {
        // The library adds to these headers: an answer has the limit that is counted last.
        response.removeHeader('RateLimit');
        response.removeHeader('RateLimit-Policy');
        return limit(request, response, next);
      };
    },

    /** Counts one for a key other than a client, such as a mailbox. Returns whether it is in the limit. */
    async isAllowed(limited: RequestLimit, key: string): Promise<boolean> {
      return (await hit(limited, key)).totalHits <= limited.request_count;
    },

    /** Counts one beside the requests of a client. Throws the 429 beyond the limit. */
    async count(limited: RequestLimit, key: string): Promise<void> {
      refuse(limited, await hit(limited, key));
    },

    /** Throws the 429 of a window that this process has seen full; counts nothing. */
    async refuseFull(limited: RequestLimit, key: string): Promise<void> {
      const full = await meetFull(limited, key);
      if (full) refuse(limited, full);
    },

    /**
     * Does the work of a client in its turn, so that sessions are left to others. Throws the 429 where too much
     * work of the client waits. Work counts until it ends, also when its request got its answer before.
     */
    async inTurn<Result>(
      { what, running_count, waiting_count }: WorkLimit,
      client: string,
      work: () => Promise<Result>,
    ): Promise<Result> {
      const key = `${what}:${client}`;
      const own = working.get(key) ?? { count: 0, waiting: [] };
      if (own.count >= running_count + waiting_count) {
        // A client that asks again at once must not take the processor from others.
        await delay(retryAfter_s.work * 1_000);
        const message = `At most ${running_count} ${what} may be under way at a time, and ${waiting_count} wait.`;
        throw tooMany(message, retryAfter_s.work);
      }
      working.set(key, own);
      own.count += 1;
      if (own.count > running_count) await new Promise<void>((next) => own.waiting.push(next));
      try {
        return await work();
      } finally {
        own.count -= 1;
        if (own.count === 0) working.delete(key);
        own.waiting.shift()?.();
      }
    },
  };
}
