import { sql } from 'kysely';
import { z } from 'zod';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Caller } from '../auth/authenticate.ts';
import { changeAccount } from '../auth/change-account.ts';
import { answersSuccess, model, text, time } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { lifetimes } from '../figures/lifetimes.ts';
import { sizes } from '../figures/sizes.ts';
import { HttpError, invalid } from '../http/errors.ts';
import { nameField } from '../http/field.ts';
import {
  pageMetaFields,
  pagingFields,
  rowCount,
  skippedBy,
  viewPageMeta,
  wholeNumber,
} from '../http/paging.ts';
import { formatOptional, formatTimestamp } from '../http/timestamp.ts';
import {
  answersWith,
  issueToken,
  newTokenData,
  tokenData,
  viewAnswer,
  viewToken,
} from './token.ts';

const common = { tag: 'Tokens', auth: 'master' } as const;
const params = z.strictObject({ token_ref: text });
const one = { ...common, path: '/tokens/{token_ref}', params } as const;

// The 404 is byte for byte the same for an unknown token, a foreign token and a malformed token_ref.
const unknownToken = () =>
  new HttpError(404, { message: 'Token not found.', code: 'UNKNOWN_TOKEN' });

/** Selects the token that a path names, if it belongs to the account of the caller. */
function selectToken(db: Db, { account_id }: Caller, { token_ref }: z.output<typeof params>) {
  return db
    .selectFrom('customer.token')
    .selectAll()
    .where('account_id', '=', account_id)
    .where('token_ref', '=', token_ref);
}

/** Reads and locks the API token of a path. Throws a 404 for an unknown token, a 422 for the Master Token. */
async function lockApiToken(db: Db, caller: Caller, path: z.output<typeof params>, verb: string) {
  const token = await selectToken(db, caller, path)
    .forUpdate()
    .executeTakeFirstOrThrow(unknownToken);
  // Spec: silent on revoking or rotating the Master Token; we refuse it, since an account could not replace it.
  const message = `The Master Token cannot be ${verb}; account recovery replaces it.`;
  if (token.kind === 'master') throw invalid([['token_ref', message, 'not_allowed']]);
  return token;
}

/** Returns the count of usable API tokens of an account, and deletes ended tokens except the `most` last ones. */
async function countActive(tx: Tx, account_id: string, most: number, now: Date): Promise<number> {
  type Row = { active_count: number };
  const rows = await runPrepared<Row>(tx, 'api/count_tokens.sql', [account_id, most, now]);
  return rows[0]!.active_count;
}

const lifetimeField = z.int().min(1).max(lifetimes.apiToken_days);

const create = endpoint(
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

const list = endpoint(
  {
    ...common,
    method: 'get',
    path: '/tokens',
    summary: 'List the tokens of the account',
    // Spec: one list of tokens without pages. The default is the largest page, so that most accounts need one page.
    query: z.strictObject({
      ...pagingFields,
      per_page: wholeNumber(sizes.perPage, sizes.perPage),
    }),
    ...answersSuccess(z.array(tokenData), z.strictObject({ ...pageMetaFields, timestamp: time })),
  },
  // Spec: silent on the order of tokens; we list the newest first.
  async ({ query, caller, options: { db, uses, now } }) => {
    await uses.flush();
    const ofAccount = db.selectFrom('customer.token').where('account_id', '=', caller.account_id);
    const { total } = await ofAccount.select(rowCount).executeTakeFirstOrThrow();
    const tokens = await ofAccount
      .selectAll()
      .orderBy('token_id', 'desc')
      .limit(query.per_page)
      .offset(skippedBy(query))
      .execute();
    const meta = { ...viewPageMeta(query, total), timestamp: formatTimestamp(now()) };
    return { success: true, data: tokens.map(viewToken), meta };
  },
);

const answersOne = answersWith(tokenData);

const get = endpoint(
  { ...one, ...answersOne, method: 'get', summary: 'Get a token' },
  async ({ params: path, caller, options: { db, uses, now } }) => {
    await uses.flush();
    const token = await selectToken(db, caller, path).executeTakeFirstOrThrow(unknownToken);
    return viewAnswer(viewToken(token), now());
  },
);

const rename = endpoint(
  {
    ...one,
    ...answersOne,
    method: 'put',
    summary: 'Rename a token',
    body: z.strictObject({ name: nameField }),
  },
  // Tokens of either kind can be renamed, even revoked ones.
  async ({ params: { token_ref }, body, caller, options: { db, now } }) => {
    const token = await db
      .updateTable('customer.token')
      .set(body)
      .where('account_id', '=', caller.account_id)
      .where('token_ref', '=', token_ref)
      .returningAll()
      .executeTakeFirstOrThrow(unknownToken);
    return viewAnswer(viewToken(token), now());
  },
);

const revoked = 'The token is revoked.';

const revoke = endpoint(
  {
    ...one,
    method: 'delete',
    summary: 'Revoke an API token',
    answer: z.strictObject({
      success: z.literal(true),
      message: text,
      meta: z.strictObject({ revoked_at: time }),
    }),
    example: { message: revoked },
  },
  // Spec: silent on revoking a revoked token; the token keeps the time of its first revocation.
  async ({ params: path, caller, options: { db, now } }) => {
    const token = await lockApiToken(db, caller, path, 'revoked');
    const { revoked_at } = await db
      .updateTable('customer.token')
      .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${now()})` })
      .where('token_id', '=', token.token_id)
      .returning('revoked_at')
      .executeTakeFirstOrThrow();
    return { success: true, message: revoked, meta: { revoked_at: formatOptional(revoked_at) } };
  },
);

const rotated = z.strictObject({
  old_token: model('RevokedToken', {
    token_ref: text,
    name: text,
    revoked_at: time,
    is_active: z.literal(false),
  }),
  new_token: newTokenData,
});

const rotate = endpoint(
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

// Spec: silent on rotating a revoked or expired token; we answer 422, since a rotation would revive it. The lock
// lets only one of two parallel rotations make a new token.
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

const verified = model('VerifiedToken', {
  valid: z.literal(true),
  token_ref: text,
  token_name: text,
  user_ref: text,
  user_name: text,
  expires_at: time.nullable(),
  is_active: z.literal(true),
  last_used_at: time.nullable(),
});

const verify = endpoint(
  {
    ...common,
    method: 'post',
    path: '/tokens/verify',
    summary: 'Verify the token of the request',
    auth: 'token',
    ...answersWith(verified),
  },
  ({ caller, options: { now } }) => {
    const { token_ref, token_name, user_ref, user_name } = caller;
    const names = { token_ref, token_name, user_ref, user_name };
    const expires_at = formatOptional(caller.expires_at);
    const last_used_at = formatOptional(caller.last_used_at);
    const data = { valid: true, ...names, expires_at, is_active: true, last_used_at };
    return viewAnswer(data, now());
  },
);

/** The endpoints of tokens. All endpoints but `verify` need the Master Token. */
export const tokenEndpoints = [create, list, verify, get, rename, revoke, rotate];
