import type { Insertable } from 'kysely';
import type { Tx } from '../../sql/kysely.ts';
import type { CustomerTables } from '../../sql/tables/customer.ts';
import { createRef, createSecret, hashSecret } from '../auth/token-secret.ts';

const day_ms = 86_400_000;

type TokenRow = Insertable<CustomerTables['customer.token']>;

type Issue = Pick<TokenRow, 'account_id' | 'kind' | 'name' | 'lifetime_days'> & { now: Date };

/** A new token with its secret, which is not stored. */
export type IssuedToken = Awaited<ReturnType<typeof issueToken>>;

/** Makes a token and stores the hash of its secret. Without `lifetime_days` it never expires. */
export async function issueToken(tx: Tx, { now, ...token }: Issue) {
  const plaintext = createSecret(token.kind);
  const secret_hash = Buffer.from(hashSecret(plaintext), 'hex');
  const token_ref = createRef();
  const { name, lifetime_days } = token;
  const expires_at = lifetime_days ? new Date(now.getTime() + lifetime_days * day_ms) : null;
  await tx
    .insertInto('customer.token')
    .values({ ...token, token_ref, secret_hash, created_at: now, expires_at })
    .execute();
  return { token_ref, name, expires_at, plaintext };
}
