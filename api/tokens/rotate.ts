import { z } from 'zod';
import type { Tx } from '../../sql/connection/kysely.ts';
import type { Caller } from '../auth/authenticate.ts';
import { changeAccount } from '../auth/change-account.ts';
import { model, text, time } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { sizes } from '../figures/sizes.ts';
import { invalid } from '../http/errors.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { countActive } from './create.ts';
import { answersWith, issueToken, newTokenData, viewAnswer } from './token.ts';
import { lockApiToken, one, type params } from './token-of-path.ts';

const rotated = z.strictObject({
  old_token: model('RevokedToken', {
    token_ref: text,
    name: text,
    revoked_at: time,
    is_active: z.literal(false),
  }),
  new_token: newTokenData,
});

export const rotate = endpoint(
  {
    ...one,
    method: 'post',
    isInTurn: true,
    path: '/tokens/{token_ref}/rotate',
    summary: 'Rotate an API token',
    ...answersWith(rotated),
  },
  async ({ params: path, caller, options: { db, now, TOKENS_PER_ACCOUNT } }) => {
    const at = now();
    const data = await changeAccount(db, caller, async (tx) => {
      const tokens = await rotateToken(tx, caller, path, at);
      await countActive(tx, caller.account_id, TOKENS_PER_ACCOUNT, at);
      return tokens;
    });
    return viewAnswer(data, at);
  },
);

// Spec: silent on rotating a revoked or expired token; we answer 422, since a rotation would revive the token. Since
// the token is locked, one of two parallel rotations fails. The new token has the old token's lifetime, counted from
// now; `issueToken` of token.ts sets `expires_at`.
async function rotateToken(tx: Tx, caller: Caller, path: z.output<typeof params>, now: Date) {
  const old = await lockApiToken(tx, caller, path, 'rotated');
  if (old.revoked_at || (old.expires_at && old.expires_at <= now)) {
    const state = old.revoked_at ? 'revoked' : 'expired';
    const message = `The token is ${state} and cannot be rotated.`;
    throw invalid([['token_ref', message, 'not_allowed']]);
  }
  await tx
    .updateTable('customer.token')
    .set({ revoked_at: now })
    .where('token_id', '=', old.token_id)
    .execute();
  const { account_id, kind, lifetime_days, token_ref } = old;
  const suffix = ' (rotated)';
  const most = sizes.name[1] - suffix.length;
  const name = Array.from(old.name).slice(0, most).join('') + suffix;
  const new_token = await issueToken(tx, { account_id, kind, name, lifetime_days }, now);
  const revoked_at = formatTimestamp(now);
  return { old_token: { token_ref, name: old.name, revoked_at, is_active: false }, new_token };
}
