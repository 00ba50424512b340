import type { Tx } from '../../sql/connection/kysely.ts';
import { model, text } from '../endpoint/answers.ts';
import { issueToken } from '../tokens/token.ts';

/** The end of the message of an answer with a Master Token. */
export const storeToken = 'Store the Master Token now: it will not be shown again.';

const openedAccount = model('OpenedAccount', {
  user_ref: text,
  email: text,
  master_token: text,
  token_ref: text,
  message: text,
});

/** Returns the description of an answer with a new Master Token. */
export const opens = (message: string) => ({
  answer: openedAccount,
  example: { message },
});

/** The account for which a Master Token is made. */
export type Account = Record<'account_id' | 'user_ref' | 'email', string>;

/** Makes a new Master Token for an account, and returns the account with the secret of the token. */
export async function openAccount(tx: Tx, { account_id, user_ref, email }: Account, now: Date) {
  const master = { account_id, kind: 'master', name: 'Master Token' } as const;
  const { plaintext, token_ref } = await issueToken(tx, master, now);
  return { user_ref, email, master_token: plaintext, token_ref };
}
