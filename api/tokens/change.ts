import { sql, type Selectable } from 'kysely';
import type { CustomerTables } from '../../sql/tables/customer.ts';
import type { Db, Tx } from '../../sql/kysely.ts';
import { type Caller, unauthorized } from '../auth/authenticate.ts';
import { suffixName } from '../http/field.ts';
import { HttpError, invalid } from '../http/errors.ts';
import { issueToken, type IssuedToken } from './record.ts';

const columns = [
  'kind',
  'token_ref',
  'name',
  'expires_at',
  'last_used_at',
  'last_used_ip',
  'usage_count',
  'revoked_at',
  'created_at',
] as const;

export type TokenRow = Pick<Selectable<CustomerTables['customer.token']>, (typeof columns)[number]>;

// Byte for byte the same for an unknown token, a token of another account, and a malformed token_ref.
function unknownToken(): HttpError {
  return new HttpError(404, { message: 'Token not found.' });
}

/**
 * Throws the 401 when the Master Token of the caller is revoked. A recovery also locks the account: it
 * either revokes the token that this transaction makes, or has revoked the Master Token before.
 */
async function requireMaster(tx: Tx, caller: Caller): Promise<void> {
  await tx
    .selectFrom('customer.account')
    .select('account_id')
    .where('account_id', '=', caller.account_id)
    .forKeyShare()
    .execute();
  const master = await tx
    .selectFrom('customer.token')
    .select('token_id')
    .where('token_id', '=', caller.token_id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (!master) throw unauthorized('Token revoked');
}

/** Makes an API token. Throws the 401 when the Master Token was revoked meanwhile. */
export function createToken(
  db: Db,
  caller: Caller,
  { name, expires_in_days = null }: { name: string; expires_in_days?: number | null | undefined },
  now: Date,
): Promise<IssuedToken> {
  const { account_id } = caller;
  return db.transaction().execute(async (tx) => {
    await requireMaster(tx, caller);
    return issueToken(tx, { account_id, kind: 'api', name, lifetime_days: expires_in_days, now });
  });
}

/** All tokens of an account. Spec: silent on the order; we give the newest first. */
export function listTokens(db: Db, { account_id }: Caller): Promise<TokenRow[]> {
  return db
    .selectFrom('customer.token')
    .select(columns)
    .where('account_id', '=', account_id)
    .orderBy('token_id', 'desc')
    .execute();
}

/** Throws the 404 when the caller's account has no such token. */
export async function findToken(db: Db, caller: Caller, token_ref: string): Promise<TokenRow> {
  const token = await db
    .selectFrom('customer.token')
    .select(columns)
    .where('account_id', '=', caller.account_id)
    .where('token_ref', '=', token_ref)
    .executeTakeFirst();
  if (!token) throw unknownToken();
  return token;
}

/** Renames a token of either kind, also a revoked one. Throws the 404. */
export async function renameToken(
  db: Db,
  caller: Caller,
  token_ref: string,
  name: string,
): Promise<TokenRow> {
  const token = await db
    .updateTable('customer.token')
    .set({ name })
    .where('account_id', '=', caller.account_id)
    .where('token_ref', '=', token_ref)
    .returning(columns)
    .executeTakeFirst();
  if (!token) throw unknownToken();
  return token;
}

// Spec: silent on the Master Token here. An account could not replace it.
function refuseMaster(verb: string): HttpError {
  const message = `The Master Token cannot be ${verb}; account recovery replaces it.`;
  return invalid([['token_ref', message]]);
}

/**
 * Revokes an API token. Spec: silent on a revoked token; it keeps the time of its revocation. Throws
 * the 404, and a 422 for the Master Token.
 *
 * @returns when the token was revoked
 */
export async function revokeToken(
  db: Db,
  caller: Caller,
  token_ref: string,
  now: Date,
): Promise<Date> {
  const token = await db
    .updateTable('customer.token')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${now})` })
    .where('account_id', '=', caller.account_id)
    .where('token_ref', '=', token_ref)
    .where('kind', '=', 'api')
    .returning('revoked_at')
    .executeTakeFirst();
  if (token?.revoked_at) return token.revoked_at;
  await findToken(db, caller, token_ref);
  throw refuseMaster('revoked');
}

/**
 * Revokes an API token and makes one with the same lifetime. Throws the 404, and a 422 for the Master
 * Token. Spec: silent on a revoked or expired token; it gets a 422, since a rotation would bring it
 * back to life. Of two parallel rotations, one gets the new token.
 */
export function rotateToken(db: Db, caller: Caller, token_ref: string, now: Date) {
  return db.transaction().execute(async (tx) => {
    await requireMaster(tx, caller);
    const old = await tx
      .updateTable('customer.token')
      .set({ revoked_at: now })
      .where('account_id', '=', caller.account_id)
      .where('token_ref', '=', token_ref)
      .where('kind', '=', 'api')
      .where('revoked_at', 'is', null)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
      .returning(['name', 'lifetime_days'])
      .executeTakeFirst();
    if (!old) throw explainRotation(await findToken(tx, caller, token_ref));
    const new_token = await issueToken(tx, {
      account_id: caller.account_id,
      kind: 'api',
      name: suffixName(old.name, ' (rotated)'),
      lifetime_days: old.lifetime_days,
      now,
    });
    return { old_token: { token_ref, name: old.name, revoked_at: now }, new_token };
  });
}

function explainRotation({ kind, revoked_at }: TokenRow): HttpError {
  if (kind === 'master') return refuseMaster('rotated');
  const state = revoked_at ? 'revoked' : 'expired';
  return invalid([['token_ref', `The token is ${state} and cannot be rotated.`]]);
}
