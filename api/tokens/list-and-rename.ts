import { z } from 'zod';
import { answersSuccess, time } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { sizes } from '../figures/sizes.ts';
import { nameField } from '../http/text-fields.ts';
import {
  pageMetaFields,
  pagingFields,
  rowCount,
  skippedBy,
  viewPageMeta,
  wholeNumber,
} from '../http/page-numbers.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { answersWith, tokenData, viewAnswer, viewToken } from './token.ts';
import { common, one, selectToken, unknownToken } from './token-of-path.ts';

export const list = endpoint(
  {
    ...common,
    method: 'get',
    path: '/tokens',
    summary: 'List the tokens of the account',
    // Spec: one list of tokens without pages; so by default a page has 100 tokens, which is enough for most accounts.
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

export const get = endpoint(
  { ...one, ...answersOne, method: 'get', summary: 'Get a token' },
  async ({ params: path, caller, options: { db, uses, now } }) => {
    await uses.flush();
    const token = await selectToken(db, caller, path).executeTakeFirstOrThrow(unknownToken);
    return viewAnswer(viewToken(token), now());
  },
);

export const rename = endpoint(
  {
    ...one,
    ...answersOne,
    method: 'put',
    summary: 'Rename a token',
    body: z.strictObject({ name: nameField }),
  },
  // API tokens and Master Tokens can be renamed, even if they are revoked.
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
