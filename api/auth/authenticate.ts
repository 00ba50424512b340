import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { memory } from '../figures/resources.ts';
import type { Context } from '../http/context.ts';
import { createBatch } from '../http/batch.ts';
import { HttpError } from '../http/errors.ts';
import { clientAddressOf } from '../http/forwarded.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { readBearer, type TokenKind } from './token-secret.ts';

/** The token of a request, and the account that owns the token. */
export interface Caller {
  account_id: string;
  user_ref: string;
  user_name: string;
  token_id: string;
  token_ref: string;
  token_name: string;
  kind: TokenKind;
  /** The time at which the token expires; null: never. */
  expires_at: Date | null;
  /** The last use of the token before this request; null: never used. */
  last_used_at: Date | null;
  /** The number of the newest snapshot when the request arrives, from which an answer comes, or from a newer one. */
  snapshot_no: number;
}

interface KnownToken extends Caller {
  /** The SHA-256 of the secret of the token, as 64 hexadecimal digits. */
  hash: string;
  state: 'usable' | 'revoked' | 'expired';
}

/** Makes the 401 of the specification with the given `error`, which is its `message` too, as in other errors. */
export function unauthorized(error: string): HttpError {
  return new HttpError(401, { error, message: error }, { 'WWW-Authenticate': 'Bearer' });
}

export type Authentication = ReturnType<typeof createAuthentication>;

function refuseState({ state }: KnownToken): void {
  if (state === 'revoked') throw unauthorized('Token revoked');
  if (state === 'expired') throw unauthorized('Token expired');
}

/** Returns the last use of a token: the later of the time in this process and the time in the database. */
function latest(one: Date | null | undefined, other: Date | null): Date | null {
  return one && (!other || one > other) ? one : other;
}

/**
 * Returns the functions that authenticate requests by token. Every request looks up its token, parallel requests
 * in one statement, so that all processes refuse a revoked token at once.
 */
export function createAuthentication({
  gate,
  readers,
  uses,
  now,
}: Pick<Context, 'gate' | 'readers' | 'uses' | 'now'>) {
  /** The last use of each token that this process has found, by the hash of the token. */
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

  /** Returns the caller of a request, and counts the use of its token. Throws a 401 without a valid token. */
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

  /** Throws a 401 when the token of a request is expired or revoked; does not count the use. */
  async function refuseEnded(request: Request): Promise<void> {
    const { hash } = readBearer(request);
    const known = hash && (await find(hash));
    if (known) refuseState(known);
  }

  /**
   * Returns the key under which the requests of a token are counted; undefined for a missing or unknown token.
   * Guessed tokens count only for their address, since each would leave a row.
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
