import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import { invalid } from '../http/errors.ts';
import { issueToken } from '../tokens/token.ts';
import { readClaims, useOneTimeToken } from './one-time-token.ts';
import { addWelcomeBonus, claimWelcomeBonus } from './welcome-bonus.ts';

const refused = 'The token is invalid, has expired or was already used.';

type Account = Record<'account_id' | 'user_ref' | 'email', string>;

/**
 * Returns the initialized account of an address, in any letter case. Spec: silent on recovering an account that
 * was never initialized; such an account gets no mail, and its address can be registered again.
 */
export function findInitialized(db: Db, email: string) {
  return db
    .selectFrom('customer.account')
    .select(['account_id', 'email as recipient', 'name as user_name', 'recovered_at'])
    .where(sql`lower(email collate "C")`, '=', email.toLowerCase())
    .where('initialized_at', 'is not', null);
}

/** Makes a new Master Token for an account, and returns the account with the secret of the token. */
export async function openAccount(tx: Tx, { account_id, user_ref, email }: Account, now: Date) {
  const master = { account_id, kind: 'master', name: 'Master Token' } as const;
  const { plaintext, token_ref } = await issueToken(tx, master, now);
  return { user_ref, email, master_token: plaintext, token_ref };
}

/** Initializes an account: issues its Master Token and, if `isWelcome`, adds the welcome bonus. */
export async function startAccount(tx: Tx, account: Account, now: Date, isWelcome: boolean) {
  const { account_id } = account;
  await tx
    .updateTable('customer.account')
    .set({ initialized_at: now })
    .where('account_id', '=', account_id)
    .execute();
  if (isWelcome) await addWelcomeBonus(tx, account_id, now);
  return openAccount(tx, account, now);
}

/**
 * Exchanges the one-time token of a registration for the Master Token of its account.
 *
 * Spec: silent on an expired token; we answer the same 422 as for a used, replaced or forged token.
 */
export async function initializeAccount(options: Context, token: string) {
  const now = options.now();
  const claims = readClaims(options.secretKey, token, 'init', now);
  return options.db.transaction().execute(async (tx) => {
    const account = claims && (await useOneTimeToken(tx, claims, now));
    if (!account) throw invalid([['token', refused, 'invalid_token']]);
    const isWelcome = await claimWelcomeBonus(tx, options.secretKey, account, now);
    return { account: await startAccount(tx, account, now, isWelcome), isWelcome };
  });
}
