import type { Tx } from '../../sql/kysely.ts';
import { createRef, createSecret, hashSecret, type TokenKind } from '../auth/token-secret.ts';

const day_ms = 86_400_000;

interface Issue {
  account_id: string;
  kind: TokenKind;
  name: string;
  /** Null: it never expires. */
  lifetime_days: number | null;
  now: Date;
}

/** A new token with its secret, which is not stored. */
export interface IssuedToken {
  token_ref: string;
  name: string;
  expires_at: Date | null;
  plaintext: string;
}

/** Makes a token and stores the hash of its secret. */
export async function issueToken(tx: Tx, { now, ...token }: Issue): Promise<IssuedToken> {
  const plaintext = createSecret(token.kind);
  const secret_hash = Buffer.from(hashSecret(plaintext), 'hex');
  const token_ref = createRef();
  const { name, lifetime_days } = token;
  const expires_at =
    lifetime_days === null ? null : new Date(now.getTime() + lifetime_days * day_ms);
  await tx
    .insertInto('customer.token')
    .values({ ...token, token_ref, secret_hash, created_at: now, expires_at })
    .execute();
  return { token_ref, name, expires_at, plaintext };
}
