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
  /** The number of the newest snapshot when the request arrives. The answer comes from this snapshot or a newer one. */
  snapshot_no: number;
}

/** A token that the database has. */
export interface KnownToken extends Caller {
  /** The SHA-256 of the secret of the token, as 64 hexadecimal digits. */
  hash: string;
  state: 'usable' | 'revoked' | 'expired';
}

/** Makes the 401 of the specification with the given `error`, which is its `message` too, as in other errors. */
export function unauthorized(error: string): HttpError {
  return new HttpError(401, { error, message: error }, { 'WWW-Authenticate': 'Bearer' });
}

/** Returns the hash of the token in the header `Authorization`, or the `error` of the 401 for another header. */
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
 * Throws the 403 for an API token where an operation needs the Master Token. ../endpoint/mount.ts calls it for
 * endpoints with `auth: 'master'`: all of tokens/, and the changes of an account by accounts/profile.ts and
 * accounts/end.ts.
 */
export function requireMaster({ kind }: Caller): void {
  if (kind === 'master') return;
  throw new HttpError(403, { message: 'This operation needs the Master Token.' });
}

/** Returns the last use of a token: the later of the time in this process and the time in the database. */
function latest(one: Date | undefined, other: Date | null): Date | null {
  return one && (!other || one > other) ? one : other;
}

/**
 * Returns the functions that authenticate requests by token. Every request looks up its token once, parallel requests
 * in one statement, so that all processes refuse a revoked token at once.
 */
export function createAuthentication({
  gate,
  readers,
  uses,
  now,
}: Pick<Context, 'gate' | 'readers' | 'uses' | 'now'>) {
  /** The last use of each token in this process, by the hash of the token. */
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

  /** Returns the token of a request; undefined for a missing, malformed or unknown token. Counts no use. */
  async function find(request: Request): Promise<KnownToken | undefined> {
    const { hash } = readBearer(request);
    return hash === undefined ? undefined : findHash(hash);
  }

  /**
   * Counts a use of the token that `find` returned for a request, and returns its caller. Throws a 401 without a valid
   * token.
   */
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
