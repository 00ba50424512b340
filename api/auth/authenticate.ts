import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { memory } from '../figures/resources.ts';
import type { Context } from '../http/context.ts';
import { createBatch } from '../http/batch.ts';
import { HttpError } from '../http/errors.ts';
import { clientAddressOf } from '../http/forwarded.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { hashSecret, isSecret, type TokenKind } from './token-secret.ts';

/** The token that a request sends, and the account that owns the token. */
export interface Caller {
  account_id: string;
  user_ref: string;
  user_name: string;
  token_id: string;
  token_ref: string;
  token_name: string;
  kind: TokenKind;
  /** The time at which the token expires; null: the token never expires. */
  expires_at: Date | null;
  /** The time of the token's last use before this request; null: the token was never used. */
  last_used_at: Date | null;
  /** The number of the last snapshot that was published before the request; the answer uses no older snapshot. */
  snapshot_no: number;
}

/** A token that the database knows by its hash; the token may be usable, revoked or expired. */
export interface KnownToken extends Caller {
  /** The SHA-256 of the token's secret, as 64 hexadecimal digits. */
  hash: string;
  state: 'usable' | 'revoked' | 'expired';
}

/** Returns a 401 error, whose body has the same text in `error` and in `message`, as the specification requires. */
export function unauthorized(error: string): HttpError {
  return new HttpError(401, { error, message: error }, { 'WWW-Authenticate': 'Bearer' });
}

/** Returns the hash of the token in the header `Authorization`, or the error text for a missing or malformed token. */
export function readBearer(request: IncomingMessage) {
  const header = request.headers.authorization?.trim() ?? '';
  if (header === '' || /^bearer$/i.test(header)) return { error: 'Missing API token' };
  const secret = /^bearer +(\S+)$/i.exec(header)?.[1] ?? '';
  return isSecret(secret) ? { hash: hashSecret(secret) } : { error: 'Malformed token format' };
}

/** Throws a 401 for a revoked or expired token. */
export function refuseEnded(token: KnownToken | undefined): void {
  if (token?.state === 'revoked') throw unauthorized('Token revoked');
  if (token?.state === 'expired') throw unauthorized('Token expired');
}

/**
 * Throws a 403 when an API token is used for an operation that needs the Master Token. The file ../endpoint/mount.ts
 * calls this function for endpoints with `auth: 'master'`: all of tokens/, changes in accounts/profile.ts and end.ts.
 */
export function requireMaster({ kind }: Caller): void {
  if (kind === 'master') return;
  throw new HttpError(403, { message: 'This operation needs the Master Token.' });
}

/** Returns the later of two times: a token's last use in this process, and its last use according to the database. */
function latest(one: Date | undefined, other: Date | null): Date | null {
  return one && (!other || one > other) ? one : other;
}

/**
 * Returns the functions that authenticate a request by its token. Each request looks up its token in the database, so
 * that all processes refuse a revoked token at once. Parallel requests look up their tokens in one SQL statement.
 */
export function createAuthentication({
  gate,
  readers,
  uses,
  now,
}: Pick<Context, 'gate' | 'readers' | 'uses' | 'now'>) {
  /** The time at which each token was last used in this process; the keys are hashes of tokens. */
  const used = new LRUCache<string, Date>({ max: memory.tokens });

  const findHash = createBatch(async (hashes: string[]): Promise<(KnownToken | undefined)[]> => {
    const keys = [...new Set(hashes)].map((hash) => Buffer.from(hash, 'hex'));
    const rows = await readers.readCustomer(
      (db) => runPrepared<KnownToken>(db, 'api/find_tokens.sql', [keys, now()]),
      gate,
    );
    const known = new Map(rows.map((row) => [row.hash, row]));
    return hashes.map((hash) => known.get(hash));
  });

  /** Returns the token of a request; undefined for a missing, malformed or unknown token. */
  async function find(request: Request): Promise<KnownToken | undefined> {
    const { hash } = readBearer(request);
    return hash === undefined ? undefined : findHash(hash);
  }

  /** Counts a use of the token that `find` returned, and returns its caller. Throws a 401 for an unusable token. */
  function admit(request: Request, token: KnownToken | undefined): Caller {
    if (!token) throw unauthorized(readBearer(request).error ?? 'Invalid token');
    refuseEnded(token);
    const { hash } = token;
    const last_used_at = latest(used.get(hash), token.last_used_at);
    const used_at = now();
    used.set(hash, used_at);
    uses.count(hash, used_at, clientAddressOf(request));
    return { ...token, last_used_at };
  }

  return { find, admit };
}
