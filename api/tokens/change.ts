import { sql, type Kysely, type Transaction } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { type Caller, unauthorized } from '../auth/authenticate.ts';
import { suffixName } from '../http/field.ts';
import { HttpError, invalid } from '../http/errors.ts';
import { issueToken, type IssuedToken } from './record.ts';

type Db = Kysely<Tables>;

/** A token as it is shown; its secret is not among it. */
export interface TokenRow {
  token_ref: string;
  name: string;
  expires_at: Date | null;
  last_used_at: Date | null;
  last_used_ip: string | null;
  usage_count: string;
  revoked_at: Date | null;
  created_at: Date;
}

const shown = [
  'token_ref',
  'name',
  'expires_at',
  'last_used_at',
  'last_used_ip',
  'usage_count',
  'revoked_at',
  'created_at',
] as const;

// Byte for byte the same for a token that is not there, is another account's, or cannot be one.
function unknownToken(): HttpError {
  return new HttpError(404, { message: 'Token not found.' });
}

// What is no token_ref is in no row.
function requireForm(token_ref: string): void {
  if (!/^[0-9A-Z]{12}$/.test(token_ref)) throw unknownToken();
}

/**
 * Makes tokens only while the Master Token that asks for them is good: a recovery, which locks the
 * account, has either seen the new token and revoked it, or has revoked the Master Token. Throws 401.
 */
async function requireMaster(tx: Transaction<Tables>, caller: Caller): Promise<void> {
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

/** All tokens of an account, the revoked and the Master Tokens too. Spec: silent on the order; newest first. */
export function listTokens(db: Db, { account_id }: Caller): Promise<TokenRow[]> {
  return db
    .selectFrom('customer.token')
    .select(shown)
    .where('account_id', '=', account_id)
    .orderBy('token_id', 'desc')
    .execute();
}

/** Throws the 404 when the caller's account has no such token. */
export async function findToken(db: Db, caller: Caller, token_ref: string): Promise<TokenRow> {
  requireForm(token_ref);
  const token = await db
    .selectFrom('customer.token')
    .select(shown)
    .where('account_id', '=', caller.account_id)
    .where('token_ref', '=', token_ref)
    .executeTakeFirst();
  if (!token) throw unknownToken();
  return token;
}

/** Renames a token of either kind, also one that is revoked. Throws the 404. */
export async function renameToken(
  db: Db,
  caller: Caller,
  token_ref: string,
  name: string,
): Promise<TokenRow> {
  requireForm(token_ref);
  const token = await db
    .updateTable('customer.token')
    .set({ name })
    .where('account_id', '=', caller.account_id)
    .where('token_ref', '=', token_ref)
    .returning(shown)
    .executeTakeFirst();
  if (!token) throw unknownToken();
  return token;
}

// Spec: silent on the Master Token here. An account without one could do nothing about it.
function refuseMaster(verb: string): HttpError {
  const message = `The Master Token cannot be ${verb}; account recovery replaces it.`;
  return invalid([['token_ref', message]]);
}

/**
 * Revokes an API token. Spec: silent on one that is revoked already; it stays revoked since then.
 *
 * @returns since when it is revoked. Throws the 404, and a 422 for the Master Token.
 */
export async function revokeToken(
  db: Db,
  caller: Caller,
  token_ref: string,
  now: Date,
): Promise<Date> {
  requireForm(token_ref);
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

/** A token that was revoked for another to take its place. */
export interface Rotation {
  old_token: { token_ref: string; name: string; revoked_at: Date };
  new_token: IssuedToken;
}

/**
 * Revokes an API token and makes one that lives as long from now on. Spec: silent on one that is
 * revoked or expired already; its rotation would bring it back to life: throws a 422, as for the
 * Master Token, and the 404. Of two rotations at once, one gets the new token.
 */
export function rotateToken(
  db: Db,
  caller: Caller,
  token_ref: string,
  now: Date,
): Promise<Rotation> {
  requireForm(token_ref);
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
    if (!old) throw await explainRotation(tx, caller, token_ref);
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

async function explainRotation(
  tx: Transaction<Tables>,
  caller: Caller,
  token_ref: string,
): Promise<HttpError> {
  const token = await tx
    .selectFrom('customer.token')
    .select(['kind', 'revoked_at'])
    .where('account_id', '=', caller.account_id)
    .where('token_ref', '=', token_ref)
    .executeTakeFirst();
  if (!token) return unknownToken();
  if (token.kind === 'master') return refuseMaster('rotated');
  const state = token.revoked_at ? 'revoked' : 'expired';
  return invalid([['token_ref', `The token is ${state} and cannot be rotated.`]]);
}
