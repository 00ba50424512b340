import type { Kysely } from 'kysely';
import { runPrepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import type { TokenKind } from './token-secret.ts';

/** Whose token a request showed. */
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
}

/** A token that a request showed. */
export interface Use {
  /** SHA-256 of the secret, 64 hexadecimal digits. */
  hash: string;
  ip: string | null;
  /** 0: the token is looked up, and no use is counted. */
  use_count: 0 | 1;
}

export interface KnownToken extends Caller {
  hash: string;
  /** `usable`: the use is not counted, because it has a count of 0 or the token is locked. */
  state: 'counted' | 'usable' | 'revoked' | 'expired';
}

/**
 * Finds the tokens of several uses and counts the uses of those that are neither revoked nor expired:
 * one statement, so that a use is counted exactly when it is let in.
 *
 * @returns by use; undefined where no such token exists
 */
export async function countUses(
  db: Kysely<Tables>,
  uses: Use[],
  now: Date,
): Promise<(KnownToken | undefined)[]> {
  const byHash = [...Map.groupBy(uses, ({ hash }) => hash)];
  const rows = await runPrepared<KnownToken>(db, 'api/count_uses.sql', [
    byHash.map(([hash]) => hash),
    byHash.map(([, ofToken]) => ofToken.reduce((sum, { use_count }) => sum + use_count, 0)),
    byHash.map(([, ofToken]) => ofToken.findLast(({ use_count }) => use_count > 0)?.ip ?? null),
    now,
  ]);
  const known = new Map(rows.map((row) => [row.hash, row]));
  return uses.map(({ hash }) => known.get(hash));
}
