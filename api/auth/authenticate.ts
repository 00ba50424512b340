import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import { createBatch } from '../http/batch.ts';
import { HttpError, unavailable } from '../http/errors.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { readBearer, type TokenKind } from './token-secret.ts';

/** The owner of the token of a request, and the token. */
export interface Caller {
  account_id: string;
  user_ref: string;
  user_name: string;
  token_id: string;
  token_ref: string;
  token_name: string;
  kind: TokenKind;
  /** Null: never. */
  expires_at: Date | null;
  /** Before this use. */
  last_used_at: Date | null;
  /** The newest snapshot at the time of the request: no answer to it is of an older one. */
  snapshot_no: number;
}

interface Use {
  /** SHA-256 of the secret, 64 hexadecimal digits. */
  hash: string;
  ip: string | null;
  /** 0: the token is looked up, and no use is counted. */
  use_count: 0 | 1;
}

interface KnownToken extends Caller {
  hash: string;
  /** `usable`: the use is not counted, because it has a count of 0 or the token is locked. */
  state: 'counted' | 'usable' | 'revoked' | 'expired';
}

/** Statements that count uses in parallel. One skips the tokens that another has locked. */
const mostCounting = 2;

/** Attempts to count the use of a token that another transaction has locked: about two seconds. */
const [mostAttempts, retry_ms] = [400, 5];

/** The 401 of the specification. */
export function unauthorized(error: string): HttpError {
  return new HttpError(401, { error, code: 'UNAUTHORIZED' }, { 'WWW-Authenticate': 'Bearer' });
}

/**
 * The IP address of a client; null when neither the proxy nor the socket gives one. A proxy may report
 * something else, such as an address with a port. An IPv4 client of an IPv6 socket has its IPv4 address.
 */
export function clientAddressOf(request: Request): string | null {
  const address = [request.ip, request.socket.remoteAddress].find((text) => text && isIP(text));
  return address?.split('%', 1)[0]?.replace(/^::ffff:(?=\d+\.)/i, '') ?? null;
}

export type Authentication = ReturnType<typeof createAuthentication>;

function refuseState({ state }: KnownToken): void {
  if (state === 'revoked') throw unauthorized('Token revoked');
  if (state === 'expired') throw unauthorized('Token expired');
}

/**
 * Finds the tokens of several uses in one statement, which counts the uses of valid tokens.
 *
 * @returns by use; undefined where no such token exists
 */
async function countUses(db: Db, uses: Use[], now: Date): Promise<(KnownToken | undefined)[]> {
  const asked = [...Map.groupBy(uses, ({ hash }) => hash)].map(([hash, ofToken]) => {
    const counted = ofToken.filter(({ use_count }) => use_count > 0);
    return { hash, use_count: counted.length, ip: counted.at(-1)?.ip };
  });
  const values = [JSON.stringify(asked), now];
  const rows = await runPrepared<KnownToken>(db, 'api/count_uses.sql', values);
  const known = new Map(rows.map((row) => [row.hash, row]));
  return uses.map(({ hash }) => known.get(hash));
}

/** Authenticates requests by their token. Requests of the same moment share a statement. */
export function createAuthentication({ db, now }: Pick<Context, 'db' | 'now'>) {
  const count = createBatch((uses: Use[]) => countUses(db, uses, now()), mostCounting);
  /** Hashes of tokens that were found: the next request need not ask. */
  const found = new LRUCache<string, true>({ max: 10_000 });

  /**
   * Counts the use of the token of a request. Throws the 401 of a token that is missing, malformed,
   * expired, revoked or unknown; a missing or malformed token costs no query.
   */
  async function authenticate(request: Request): Promise<Caller> {
    const { hash, error } = readBearer(request);
    if (hash === undefined) throw unauthorized(error);
    const use = { hash, ip: clientAddressOf(request), use_count: 1 } as const;
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const known = await count(use);
      if (!known) throw unauthorized('Invalid token');
      refuseState(known);
      if (known.state === 'counted') return known;
      // Another transaction has locked the token, such as one that revokes it.
      await delay(retry_ms);
    }
    throw unavailable();
  }

  /** Throws the 401 of a token that is expired or revoked; counts nothing. */
  async function refuseEnded(request: Request): Promise<void> {
    const { hash } = readBearer(request);
    const known = hash && (await count({ hash, ip: null, use_count: 0 }));
    if (known) refuseState(known);
  }

  /**
   * The key by which requests are counted; undefined without a token that an account has or had: each
   * guess would leave a row, so that guesses count for their address only.
   */
  async function findKey(request: Request): Promise<string | undefined> {
    const { hash } = readBearer(request);
    if (hash === undefined || found.has(hash)) return hash;
    if (!(await count({ hash, ip: null, use_count: 0 }))) return undefined;
    found.set(hash, true);
    return hash;
  }

  return { authenticate, refuseEnded, findKey };
}
