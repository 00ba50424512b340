import { z } from 'zod';
import type { Tx } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { changeAccount } from '../auth/change-account.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { lifetimes } from '../figures/lifetimes.ts';
import { invalid } from '../http/errors.ts';
import { nameField } from '../http/text-fields.ts';
import { answersWith, issueToken, newTokenData, viewAnswer } from './token.ts';
import { common } from './token-of-path.ts';

/** Returns the count of an account's usable API tokens; deletes its ended tokens, except the newest `most`. */
export async function countActive(
  tx: Tx,
  account_id: string,
  most: number,
  now: Date,
): Promise<number> {
  type Row = { active_count: number };
  const rows = await runPrepared<Row>(tx, 'api/count_tokens.sql', [account_id, most, now]);
  return rows[0]!.active_count;
}

const lifetimeField = z.int().min(1).max(lifetimes.apiToken_days);

export const create = endpoint(
  {
    ...common,
    method: 'post',
    isInTurn: true,
    path: '/tokens',
    summary: 'Create an API token',
    body: z.strictObject({ name: nameField, expires_in_days: lifetimeField.nullish() }),
    status: 201,
    ...answersWith(newTokenData),
  },
  async ({ body: { name, expires_in_days: lifetime_days }, caller, options }) => {
    const { db, now, TOKENS_PER_ACCOUNT: most } = options;
    const { account_id } = caller;
    const at = now();
    const token = await changeAccount(db, caller, async (tx) => {
      if ((await countActive(tx, account_id, most, at)) >= most) {
        const refusal = `An account has at most ${most} tokens that are neither revoked nor expired; revoke one first.`;
        throw invalid([['name', refusal, 'limit_exceeded']]);
      }
      return issueToken(tx, { account_id, kind: 'api', name, lifetime_days }, at);
    });
    return viewAnswer(token, at);
  },
);
