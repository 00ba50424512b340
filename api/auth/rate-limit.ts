import { setTimeout as delay } from 'node:timers/promises';
import type { Request, RequestHandler } from 'express';
import { type IncrementResponse, ipKeyGenerator, rateLimit, type Store } from 'express-rate-limit';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Context } from '../http/context.ts';
import { createBatch } from '../http/batch.ts';
import { tooMany } from '../http/errors.ts';
import { clientAddressOf } from './authenticate.ts';

/** Requests that one client may make in a window; endpoints that share a `name` share the count. */
export interface RequestLimit {
  name: string;
  request_count: number;
  window_ms: number;
  /** What accounts do, in the plural, for the message of the 429. */
  what?: string;
}

/** The limit of every endpoint that has no limit of its own. */
export const generalLimit = { name: 'general', request_count: 180, window_ms: 60_000 };

function refusalOf({ request_count, what }: RequestLimit): string {
  return what ? `An account has at most ${request_count} ${what}.` : 'Too Many Attempts.';
}

/** The key of a client without a token: its IPv4 address, or the first 56 bits of its IPv6 address. */
export function addressKeyOf(request: Request): string {
  return ipKeyGenerator(clientAddressOf(request) ?? 'unknown', 56);
}

type LimitOptions = Pick<Context, 'gate' | 'now'> & Partial<Pick<Context, 'readers'>>;

type Counter = { limit_key: string; hit_count: string | number; reset_at: Date };

type Counted = IncrementResponse & { resetTime: Date };

/**
 * So many refusals of a client come at once, the others of its window so late: a client that asks again at
 * once must not take the processor from others.
 */
const [promptRefusals, refusal_ms] = [10, 1_000];

/** Full windows that a process remembers. */
const mostFull = 10_000;

/** Statements that count hits in parallel. Statements with the same key wait for each other. */
const mostCounting = 2;

// The library wants these methods, and calls them only with options that are not set here.
function unsupported(): never {
  throw new Error('Hits are not taken back');
}

/**
 * Counts hits in Postgres, so that all processes share one count and a restart forgets nothing. The
 * window of a client opens with its first hit and lasts `window_ms`. Keys are stored as `name:key`.
 * The worker deletes closed windows (`sql/mail/delete_done.sql`).
 *
 * While the writer is away and standbys are there, each process counts for itself.
 *
 * Hits that arrive while a statement runs share the next statement, and each gets its own count. A hit on
 * a window that this process has seen full costs no statement, and is not counted.
 */
export function createLimitStore(
  { gate, readers, now }: LimitOptions,
  { name, window_ms, request_count }: RequestLimit,
) {
  const prefix = `${name}:`;
  const full = new Map<string, Counted & { refusals: number }>();
  const here = new Map<string, Counter & { hit_count: number }>();

  /** Counts the hits of one key together, and gives each its own count. */
  async function countHits(keys: string[]): Promise<Counted[]> {
    const hit_at = now();
    const reset_at = new Date(hit_at.getTime() + window_ms);
    const values = [keys, hit_at, reset_at];
    const ask = () => runPrepared<Counter>(gate, 'api/count_hits.sql', values);
    const counted = await (readers ? readers.askWriter(ask) : ask());
    const rows = counted ?? countHere(keys, hit_at, reset_at);
    const counters = new Map(rows.map((row) => [row.limit_key, row]));
    const later = Map.groupBy(keys, (key) => key);
    return keys.map((key) => {
      const { hit_count, reset_at: resetTime } = counters.get(key)!;
      later.get(key)!.pop();
      return { totalHits: Number(hit_count) - later.get(key)!.length, resetTime };
    });
  }

  /** Counts hits in this process alone, while the writer is away. */
  function countHere(keys: string[], hit_at: Date, reset_at: Date): Counter[] {
    if (here.size >= mostFull) here.clear();
    return [...Map.groupBy(keys, (key) => key)].map(([limit_key, hits]) => {
      const known = here.get(limit_key);
      const open = known && known.reset_at > hit_at ? known : { hit_count: 0, reset_at };
      const counter = { ...open, limit_key, hit_count: open.hit_count + hits.length };
      here.set(limit_key, counter);
      return counter;
    });
  }

  const countHit = createBatch(countHits, mostCounting);

  /** The count of a key, where this process has seen its window full; the call is a refusal. */
  async function meetFull(key: string): Promise<Counted | undefined> {
    const seen = full.get(key);
    if (!seen || seen.resetTime <= now()) return undefined;
    seen.refusals += 1;
    if (seen.refusals > promptRefusals) await delay(refusal_ms);
    return seen;
  }

  return {
    prefix,
    meetFull,
    increment: async (key: string) => {
      const seen = await meetFull(key);
      if (seen) return seen;
      const counted = await countHit(prefix + key);
      if (full.size >= mostFull) full.clear();
      if (counted.totalHits > request_count) full.set(key, { ...counted, refusals: 0 });
      return counted;
    },
    decrement: unsupported,
    resetKey: unsupported,
  } satisfies Store & { meetFull: typeof meetFull };
}

/**
 * Limits the requests of a client. A client is the key of `keyOf`, else an IPv4 address, or the first
 * 56 bits of an IPv6 address: one customer owns them. Answers 429 with `Retry-After`.
 * Every answer has the rest in `RateLimit`, `RateLimit-Policy` (draft 8) and `X-RateLimit-*`.
 *
 * @param beforeRefusal may throw another answer than the 429
 */
export function limitRequests(
  options: Context,
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
    store: createLimitStore(options, limited),
    message: async (request: Request) => {
      await beforeRefusal?.(request);
      return { message: refusalOf(limited) };
    },
    logger: options.logger,
  });
  return (request, response, next) => {
    // The library adds to these headers: an answer has the limit that is counted last.
    response.removeHeader('RateLimit');
    response.removeHeader('RateLimit-Policy');
    return limit(request, response, next);
  };
}

/** Counts one for a key other than a client, such as a mail address. Returns whether it is in the limit. */
export async function isAllowed(
  options: LimitOptions,
  limited: RequestLimit,
  key: string,
): Promise<boolean> {
  const { totalHits } = await createLimitStore(options, limited).increment(key);
  return totalHits <= limited.request_count;
}

/** Limits something that accounts or addresses do now and then, beside the limit of their requests. */
export function createOwnLimit(options: LimitOptions, limited: RequestLimit) {
  const { name, request_count, window_ms } = limited;
  const store = createLimitStore(options, limited);

  function refusal({ resetTime }: Counted) {
    const wait_s = Math.ceil((resetTime.getTime() - options.now().getTime()) / 1000);
    return tooMany(refusalOf(limited), wait_s, {
      'RateLimit-Policy': `"${name}"; q=${request_count}; w=${window_ms / 1000}`,
      RateLimit: `"${name}"; r=0; t=${wait_s}`,
    });
  }

  return {
    /** Throws the 429 where this process has seen that the window is full; counts nothing. */
    async refuse(key: string): Promise<void> {
      const seen = await store.meetFull(key);
      if (seen) throw refusal(seen);
    },
    /** Counts one. Throws the 429 beyond the limit. */
    async count(key: string): Promise<void> {
      const counted = await store.increment(key);
      if (counted.totalHits > request_count) throw refusal(counted);
    },
  };
}
