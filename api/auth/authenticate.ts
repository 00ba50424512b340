import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { memory } from '../figures.ts';
import type { Context } from '../http/context.ts';
import { createBatch } from '../http/batch.ts';
import { HttpError } from '../http/errors.ts';
import { clientAddressOf } from '../http/forwarded.ts';
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
  /**
   * The newest snapshot at the time of the request: no answer to it is of an older one, but for a search
   * while that snapshot is loaded.
   */
  snapshot_no: number;
}

interface KnownToken extends Caller {
  /** SHA-256 of the secret, 64 hexadecimal digits. */
  hash: string;
  state: 'usable' | 'revoked' | 'expired';
}

/** The 401 of the specification. */
export function unauthorized(error: string): HttpError {
  return new HttpError(401, { error, code: 'UNAUTHORIZED' }, { 'WWW-Authenticate': 'Bearer' });
}

export type Authentication = ReturnType<typeof createAuthentication>;

function refuseState({ state }: KnownToken): void {
  if (state === 'revoked') throw unauthorized('Token revoked');
  if (state === 'expired') throw unauthorized('Token expired');
}

/** The last use of a token: as the database has it, or as this process has seen it since. */
function latest(one: Date | null | undefined, other: Date | null): Date | null {
  return one && (!other || one > other) ? one : other;
}

/**
 * Authenticates requests by their token, which requests of the same moment look up in one statement. A
 * token is looked up for each request: one that is revoked is refused at the next request of any process.
 */
export function createAuthentication({
  gate,
  readers,
  uses,
  now,
}: Pick<Context, 'gate' | 'readers' | 'uses' | 'now'>) {
  /** Hashes of tokens that were found, and when this process has seen their last use. */
  const found = new LRUCache<string, { used_at?: Date }>({ max: memory.tokens });

  const find = createBatch(async (hashes: string[]): Promise<(KnownToken | undefined)[]> => {
    const keys = [...new Set(hashes)].map((hash) => Buffer.from(hash, 'hex'));
    const rows = await readers.readCustomer(
      (db) => runPrepared<KnownToken>(db, 'api/find_tokens.sql', [keys, now()]),
      gate,
    );
    const known = new Map(rows.map((row) => [row.hash, row]));
    return hashes.map((hash) => known.get(hash));
  });

  /**
   * Counts the use of the token of a request. Throws the 401 of a token that is missing, malformed,
   * expired, revoked or unknown; a missing or malformed token costs no query.
   */
  async function authenticate(request: Request): Promise<Caller> {
    const { hash, error } = readBearer(request);
    if (hash === undefined) throw unauthorized(error);
    const known = await find(hash);
    if (!known) throw unauthorized('Invalid token');
    refuseState(known);
    const last_used_at = latest(found.get(hash)?.used_at, known.last_used_at);
    const used_at = now();
    found.set(hash, { used_at });
    uses.count(hash, used_at, clientAddressOf(request));
    return { ...known, last_used_at };
  }

  /** Throws the 401 of a token that is expired or revoked; counts nothing. */
  async function refuseEnded(request: Request): Promise<void> {
    const { hash } = readBearer(request);
    const known = hash && (await find(hash));
    if (known) refuseState(known);
  }

  /**
   * The key by which requests are counted; undefined without a token that an account has or had: each
   * guess would leave a row, so that guesses count for their address only.
   */
  async function findKey(request: Request): Promise<string | undefined> {
    const { hash } = readBearer(request);
    if (hash === undefined || found.has(hash)) return hash;
    if (!(await find(hash))) return undefined;
    found.set(hash, {});
    return hash;
  }

  return { authenticate, refuseEnded, findKey };
}
