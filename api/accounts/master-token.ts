import type { Tx } from '../../sql/connection/kysely.ts';
import { model, text } from '../endpoint/answers.ts';
import { issueToken } from '../tokens/token.ts';

/** The last sentence in the `message` of every answer that contains a new Master Token. */
export const storeToken = 'Store the Master Token now: it will not be shown again.';

const openedAccount = model('OpenedAccount', {
  user_ref: text,
  email: text,
  master_token: text,
  token_ref: text,
  message: text,
});

/** Returns the answer schema and example of an endpoint that issues a Master Token. */
export const opens = (message: string) => ({
  answer: openedAccount,
  example: { message },
});

/** Identifies the account for which a Master Token is issued. */
export type Account = Record<'account_id' | 'user_ref' | 'email', string>;

/** Issues a Master Token, and returns its secret and its reference, with reference and address of the account. */
export async function openAccount(tx: Tx, { account_id, user_ref, email }: Account, now: Date) {
  const master = { account_id, kind: 'master', name: 'Master Token' } as const;
  const { plaintext, token_ref } = await issueToken(tx, master, now);
  return { user_ref, email, master_token: plaintext, token_ref };
}
