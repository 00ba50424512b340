import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { invalid } from '../http/errors.ts';
import { grant } from '../wallet/ledger.ts';
import { readClaim, useOneTimeToken } from './one-time-token.ts';
import { issueMasterToken, type IssuedToken } from '../tokens/record.ts';

const WELCOME_CREDITS = 200;

/** What an account gets once: its Master Token, and the welcome bonus in its wallet. */
export async function startAccount(
  tx: Transaction<Tables>,
  account_id: string,
  now: Date,
): Promise<IssuedToken> {
  await tx
    .updateTable('customer.account')
    .set({ initialized_at: now })
    .where('account_id', '=', account_id)
    .execute();
  await grant(tx, {
    account_id,
    amount: WELCOME_CREDITS,
    type: 'start',
    description: 'Welcome bonus',
    operation_key: 'welcome bonus',
    now,
  });
  return issueMasterToken(tx, account_id, now);
}

/** An account whose Master Token is shown this once. */
export interface OpenedAccount {
  user_ref: string;
  email: string;
  master_token: string;
  token_ref: string;
}

interface InitOptions {
  db: Kysely<Tables>;
  now: () => Date;
  secretKey: string;
}

/**
 * Exchanges the one-time token of a registration for the Master Token.
 *
 * Spec: silent on a token that has expired. It gets the 422 of one that was used, replaced or forged.
 */
export async function initializeAccount(
  options: InitOptions,
  text: string,
): Promise<OpenedAccount> {
  const now = options.now();
  const claim = readClaim(options.secretKey, text, 'init', now);
  if (!claim) throw refusedToken();
  return options.db.transaction().execute(async (tx) => {
    const account = await useOneTimeToken(tx, claim, now);
    if (!account) throw refusedToken();
    const { user_ref, email } = account;
    const { plaintext, token_ref } = await startAccount(tx, account.account_id, now);
    return { user_ref, email, master_token: plaintext, token_ref };
  });
}

function refusedToken() {
  return invalid([['token', 'The token is invalid, has expired or was already used.']]);
}
