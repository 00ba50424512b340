import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { IncrementResponse } from 'express-rate-limit';
import type { Kysely } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { createBatch } from '../http/batch.ts';
import { HttpError } from '../http/errors.ts';
import { generalLimit } from './rate-limit.ts';
import { createSweep } from './rate-limit-store.ts';
import { readBearer } from './token-secret.ts';
import {
  countLimitedUses,
  countUses,
  type Caller,
  type KnownToken,
  type Lane,
  type LimitedUse,
  type Use,
} from './token-use.ts';

export type { Caller };

/** Statements that count requests at once; those of one token wait for each other. */
const mostCounting = 2;

/** Tokens of which it is remembered that they were let in. */
const mostExpected = 10_000;

/** The 401 of the specification. */
export function unauthorized(error: string): HttpError {
  const headers = { 'WWW-Authenticate': 'Bearer' };
  return new HttpError(401, { error, code: 'UNAUTHORIZED' }, headers);
}

// An IPv4 client of a socket that speaks IPv6 too is that IPv4 address. What a proxy reports may be
// no address at all.
function clientAddressOf(request: Request): string | null {
  const address = [request.ip, request.socket.remoteAddress].find((text) => text && isIP(text));
  return address?.split('%', 1)[0]?.replace(/^::ffff:(?=\d+\.)/i, '') ?? null;
}

interface AuthenticationOptions {
  db: Kysely<Tables>;
  now: () => Date;
}

/** What lets requests in by their token. */
export interface Authentication {
  /**
   * Counts a request against the general limit of the token that it shows, and the use of the token
   * when it is within the limit: together, in one statement. What that finds of the token is kept for
   * `authenticate`. Undefined for a request without a token that could be one.
   */
  countRequest: (request: Request) => Promise<IncrementResponse> | undefined;
  /**
   * Whether a request is likely to be let in: its token was, by this process, in the window of the limit
   * that is still open, and has requests left in it.
   */
  isExpected: (request: Request) => boolean;
  /**
   * Lets a request in, and counts the use where that has not been done. Throws the 401 of a token that
   * is missing, malformed, unknown, expired or revoked; a malformed one costs no query.
   */
  authenticate: (request: Request) => Promise<Caller>;
}

/**
 * Makes what lets requests in by their token.
 *
 * Requests share statements. A token that somebody has locked, such as by revoking it this moment,
 * waits in a lane of its own, so that it holds up no other.
 */
export function createAuthentication({ db, now }: AuthenticationOptions): Authentication {
  const { window_ms } = generalLimit;
  const sweep = createSweep({ db, now, window_ms });
  const countLimited = createBatch(async (uses: Use[]) => {
    await sweep();
    return countLimitedUses(db, uses, now(), generalLimit);
  }, mostCounting);
  const createLane = (lane: Lane) => createBatch((uses: Use[]) => countUses(db, uses, now(), lane));
  const [pass, wait] = [createLane('passing'), createLane('waiting')];
  const found = new WeakMap<IncomingMessage, { known: KnownToken | undefined }>();

  // By the hashes of tokens that were let in, when their windows close.
  const expected = new Map<string, Date>();

  function expect({ hash }: Use, { known, hit_count, reset_at }: LimitedUse): void {
    expected.delete(hash);
    if (known?.state !== 'counted' || hit_count >= generalLimit.request_count) return;
    if (expected.size >= mostExpected) expected.clear();
    expected.set(hash, reset_at);
  }

  async function countUse(request: Request, use: Use): Promise<IncrementResponse> {
    const counted = await countLimited(use);
    const { known, hit_count, reset_at } = counted;
    found.set(request, { known });
    expect(use, counted);
    return { totalHits: hit_count, resetTime: reset_at };
  }

  return {
    countRequest(request) {
      const bearer = readBearer(request);
      if (typeof bearer === 'string') return undefined;
      return countUse(request, { hash: bearer.hash, ip: clientAddressOf(request) });
    },
    isExpected(request) {
      const bearer = readBearer(request);
      const reset_at = typeof bearer === 'string' ? undefined : expected.get(bearer.hash);
      return reset_at !== undefined && reset_at > now();
    },
    async authenticate(request) {
      const bearer = readBearer(request);
      if (bearer === 'missing') throw unauthorized('Missing API token');
      if (bearer === 'malformed') throw unauthorized('Malformed token format');
      const use = { hash: bearer.hash, ip: clientAddressOf(request) };
      const counted = found.get(request) ?? { known: await pass(use) };
      const known = counted.known?.state === 'locked' ? await wait(use) : counted.known;
      if (!known) throw unauthorized('Invalid token');
      if (known.state === 'expired') throw unauthorized('Token expired');
      // One that was still locked when its turn came was revoked by whoever held it.
      if (known.state !== 'counted') throw unauthorized('Token revoked');
      return known;
    },
  };
}
