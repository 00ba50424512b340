import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Request } from 'express';
import type { Kysely } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { createBatch } from '../http/batch.ts';
import { HttpError, unavailable } from '../http/errors.ts';
import { readBearer } from './token-secret.ts';
import { countUses, type Caller, type KnownToken, type Use } from './token-use.ts';

export type { Caller };

/** Statements that count uses at once; those of one token wait for each other. */
const mostCounting = 2;

/** Attempts to count the use of a token that another transaction has locked: about two seconds. */
const [mostAttempts, retry_ms] = [400, 5];

/** The 401 of the specification. */
export function unauthorized(error: string): HttpError {
  const headers = { 'WWW-Authenticate': 'Bearer' };
  return new HttpError(401, { error, code: 'UNAUTHORIZED' }, headers);
}

/** The 401 of a token that has the right form, but that no account ever had. */
export class UnknownToken extends HttpError {
  constructor() {
    const { status, body, headers } = unauthorized('Invalid token');
    super(status, body, headers);
  }
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
   * Lets a request in and counts the use of its token. Throws the 401 of a token that is missing,
   * malformed, unknown, expired or revoked; a missing or malformed one costs no query.
   */
  authenticate: (request: Request) => Promise<Caller>;
  /** Throws the 401 of a token that is expired or revoked; counts nothing. */
  refuseEnded: (request: Request) => Promise<void>;
}

function refuseState({ state }: KnownToken): void {
  if (state === 'revoked') throw unauthorized('Token revoked');
  if (state === 'expired') throw unauthorized('Token expired');
}

/** Makes what lets requests in by their token. Requests of the same moment share a statement. */
export function createAuthentication({ db, now }: AuthenticationOptions): Authentication {
  const count = createBatch((uses: Use[]) => countUses(db, uses, now()), mostCounting);

  return {
    async authenticate(request) {
      const bearer = readBearer(request);
      if (bearer === 'missing') throw unauthorized('Missing API token');
      if (bearer === 'malformed') throw unauthorized('Malformed token format');
      const use = { hash: bearer.hash, ip: clientAddressOf(request), use_count: 1 } as const;
      for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
        const known = await count(use);
        if (!known) throw new UnknownToken();
        refuseState(known);
        if (known.state === 'counted') return known;
        // Another transaction has locked the token, such as one that revokes it.
        await delay(retry_ms);
      }
      throw unavailable();
    },
    async refuseEnded(request) {
      const bearer = readBearer(request);
      if (typeof bearer === 'string') return;
      const known = await count({ hash: bearer.hash, ip: null, use_count: 0 });
      if (known) refuseState(known);
    },
  };
}
