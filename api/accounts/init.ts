import { sql } from 'kysely';
import { z } from 'zod';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { text } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { welcomeBonus } from '../figures/prices-and-bonus.ts';
import { limits } from '../figures/rate-limits.ts';
import type { Context } from '../http/context.ts';
import { invalid } from '../http/errors.ts';
import { type Account, openAccount, opens, storeToken } from './master-token.ts';
import { readClaims, useOneTimeToken } from './one-time-token.ts';
import { addWelcomeBonus, claimWelcomeBonus } from './welcome-bonus.ts';

const refused = 'The token is invalid, has expired or was already used.';

/**
 * Returns the query for the initialized account of a mail address; ignores the letter case of the address. Spec: silent
 * on the recovery of an account that was never initialized; we send no recovery mail to such an account.
 */
export function findInitialized(db: Db, email: string) {
  return db
    .selectFrom('customer.account')
    .select(['account_id', 'email as recipient', 'name as user_name', 'recovered_at'])
    .where(sql`lower(email collate "C")`, '=', email.toLowerCase())
    .where('initialized_at', 'is not', null);
}

/** Initializes an account: issues its Master Token and, if `isWelcome`, adds the welcome bonus to its wallet. */
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
 * Accepts the one-time token from a registration mail, and issues the Master Token of the registered account. Spec:
 * silent on an expired one-time token; we answer 422, as for a used, replaced or forged one-time token.
 */
async function initializeAccount(options: Context, token: string) {
  const now = options.now();
  const claims = readClaims(options.secretKey, token, 'init', now);
  return options.db.transaction().execute(async (tx) => {
    const account = claims && (await useOneTimeToken(tx, claims, now));
    if (!account) throw invalid([['token', refused, 'invalid_token']]);
    const isWelcome = await claimWelcomeBonus(tx, options.secretKey, account, now);
    return { account: await startAccount(tx, account, now, isWelcome), isWelcome };
  });
}

const initialized = `The account is initialized. ${storeToken}`;
const unwelcome =
  'No welcome bonus was added: the mailbox has had one, or its domain has had all of the day.';

export const init = endpoint(
  {
    method: 'post',
    tag: 'Accounts',
    auth: 'none',
    ...opens(initialized),
    path: '/auth/init',
    summary: 'Exchange the one-time token for the Master Token',
    description: `The Master Token is shown this once. ${welcomeBonus.credits} credits are added to the wallet: once per mailbox, and ${welcomeBonus.mostOfDomain} times a day per domain.`,
    limit: limits.init,
    body: z.strictObject({ token: text }),
  },
  async ({ body, options }) => {
    const { account, isWelcome } = await initializeAccount(options, body.token);
    return { ...account, message: isWelcome ? initialized : `${initialized} ${unwelcome}` };
  },
);
