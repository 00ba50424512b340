import { sql } from 'kysely';
import { z } from 'zod';
import { createAccountLimit } from '../auth/rate-limit.ts';
import { companyRef } from '../companies/identifier.ts';
import { challengedField } from '../dictionaries/names.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import type { Context } from '../http/context.ts';
import { HttpError, invalid } from '../http/errors.ts';
import { countCharacters } from '../http/field.ts';
import {
  pageMeta,
  pageSize,
  pagingFields,
  rowCount,
  skippedBy,
  viewPageMeta,
} from '../http/paging.ts';
import { formatOptional, formatTimestamp } from '../http/timestamp.ts';
import { openChallenge, type Own, selectOwn, shown } from './challenge.ts';

const moment = z.iso.datetime({ offset: true });

const challenge = z
  .strictObject({
    challenge_ref: z.string(),
    company_ref: z.string(),
    field: challengedField,
    value: z.string(),
    evidence: z.string(),
    state: z.enum(['open', 'accepted', 'declined', 'withdrawn']),
    answer: z.string().nullable(),
    created_at: moment,
    ended_at: moment.nullable(),
  })
  .meta({ id: 'Challenge', description: 'An objection to what is said of a company.' });

const body = {
  field: 'address',
  value: 'ul. Polna 3, 00-001 Warszawa',
  evidence: 'The entry of 2026-11-02 in the register names the new seat.',
};

const example = {
  challenge_ref: '12',
  company_ref: '10482',
  ...body,
  state: 'open',
  answer: null,
  created_at: '2026-11-06T10:00:00+00:00',
  ended_at: null,
};

const success = z.literal(true);
const ofCompany = {
  tag: 'Challenges',
  auth: 'token',
  path: '/companies/{company_ref}/challenges',
  params: z.strictObject({ company_ref: companyRef }),
} as const;
const unknownCompany = { message: 'No company has this reference.' };
const unknownOne = { message: 'There is no such challenge of this account.' };
const answerOne = {
  answer: z.strictObject({ success, data: challenge }),
  example: { success: true, data: example },
};
const ofOne = {
  ...ofCompany,
  ...answerOne,
  path: '/companies/{company_ref}/challenges/{challenge_ref}',
  params: ofCompany.params.extend({
    challenge_ref: z
      .string()
      .regex(/^[1-9]\d{0,17}$/, { error: 'The challenge_ref field must be a number.' }),
  }),
  errors: { 404: { description: 'The account has no such challenge.', example: unknownOne } },
} as const;

/** Text that people wrote: trimmed, not blank, of so many characters at most. */
function textField(name: string, longest: number) {
  const error = `The ${name} field must not be longer than ${longest} characters.`;
  return z
    .string()
    .trim()
    .min(1)
    .refine((text) => countCharacters(text) <= longest, { error })
    .meta({ minLength: 1, maxLength: longest });
}

/** (+) Objections of accounts to what is said of companies, and what the operator answers. */
export function challengeEndpoints({ db, now, bounds }: Context): Endpoint[] {
  const { CHALLENGES_PER_ACCOUNT: most, CHALLENGES_PER_DAY: request_count } = bounds;
  const limited = { name: 'challenges', request_count, window_ms: 86_400_000 };
  const perDay = createAccountLimit({ db, now }, limited, 'challenges a day');

  const readRows = async (own: Own, skipped = 0, limit = 1, challenge_ref?: string) => {
    const rows = await selectOwn(db, own)
      .$if(challenge_ref !== undefined, (all) => all.where('challenge_id', '=', challenge_ref!))
      .select(shown)
      .orderBy('challenge_id', 'desc')
      .limit(limit)
      .offset(skipped)
      .execute();
    return rows.map(({ created_at, ended_at, ...row }) => ({
      ...row,
      created_at: formatTimestamp(created_at),
      ended_at: formatOptional(ended_at),
    }));
  };
  const readOne = async (own: Own, challenge_ref: string) => {
    const [data] = await readRows(own, 0, 1, challenge_ref);
    if (!data) throw new HttpError(404, unknownOne);
    return { success: true, data };
  };

  const create = endpoint(
    {
      ...ofCompany,
      ...answerOne,
      isInTurn: true,
      method: 'post',
      summary: 'Contest what is said of a company',
      description: `(+) Names a part of the snapshot, what is right, and the evidence, in at most 2,000 characters. The operator accepts or declines it, and a mail brings the answer. An account has at most ${most} open ones, else 422, and makes at most ${request_count} a day, else 429.`,
      body: z.strictObject({
        field: challengedField,
        value: textField('value', 500),
        evidence: textField('evidence', 2000),
      }),
      bodyExample: body,
      status: 201,
      errors: {
        404: { description: 'No company has the reference.', example: unknownCompany },
      },
    },
    async ({ params: { company_ref }, body: asked, caller: { account_id } }) => {
      await perDay.count(account_id);
      const own = { account_id, company_ref };
      const { is_known, challenge_ref } = await db
        .transaction()
        .execute((tx) => openChallenge(tx, { ...own, ...asked }, most, now()));
      if (!is_known) throw new HttpError(404, unknownCompany);
      if (challenge_ref === null)
        throw invalid([['field', `An account has at most ${most} open challenges.`]]);
      return readOne(own, challenge_ref);
    },
  );

  const list = endpoint(
    {
      ...ofCompany,
      method: 'get',
      summary: 'List the own challenges of a company',
      description: '(+) The newest first; those of other accounts are not shown.',
      query: z.strictObject(pagingFields),
      answer: z.strictObject({ success, data: z.array(challenge), meta: pageMeta }),
      example: {
        success: true,
        data: [example],
        meta: viewPageMeta({ page: 1, per_page: pageSize }, 1),
      },
    },
    async ({ params: { company_ref }, query, caller: { account_id } }) => {
      const own = { account_id, company_ref };
      const { total } = await selectOwn(db, own).select(rowCount).executeTakeFirstOrThrow();
      const data = await readRows(own, skippedBy(query), query.per_page);
      return { success: true, data, meta: viewPageMeta(query, total) };
    },
  );

  const read = endpoint(
    { ...ofOne, method: 'get', summary: 'Read an own challenge' },
    ({ params: { challenge_ref, ...named }, caller: { account_id } }) =>
      readOne({ account_id, ...named }, challenge_ref),
  );

  const withdraw = endpoint(
    {
      ...ofOne,
      method: 'delete',
      summary: 'Withdraw an own challenge',
      description: '(+) It stays in the list. One that is answered, or withdrawn, stays as it is.',
    },
    async ({ params: { challenge_ref, ...named }, caller: { account_id } }) => {
      await db
        .updateTable('customer.challenge')
        .set({ state: 'withdrawn', ended_at: now() })
        .where('account_id', '=', account_id)
        .where('company_id', '=', sql<string>`registry.current_company(${named.company_ref})`)
        .where('challenge_id', '=', challenge_ref)
        .where('state', '=', 'open')
        .execute();
      return readOne({ account_id, ...named }, challenge_ref);
    },
  );
  return [create, list, read, withdraw];
}
