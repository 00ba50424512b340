import { z } from 'zod';
import { createAccountLimit } from '../auth/rate-limit.ts';
import { companyRef } from '../companies/identifier.ts';
import { challengedField } from '../dictionaries/names.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import type { Context } from '../http/context.ts';
import { HttpError, invalid } from '../http/errors.ts';
import { countCharacters } from '../http/field.ts';
import { pageMeta, pageSize, pagingFields, viewPageMeta } from '../http/paging.ts';
import { formatOptional, formatTimestamp } from '../http/timestamp.ts';
import { findOwn, insertChallenge, lockOpen, readOwn } from './challenge.ts';

const challenge = z
  .strictObject({
    challenge_ref: z.string(),
    company_ref: z.string(),
    field: challengedField,
    value: z.string(),
    evidence: z.string(),
    state: z.enum(['open', 'accepted', 'declined', 'withdrawn']),
    answer: z.string().nullable(),
    created_at: z.iso.datetime({ offset: true }),
    ended_at: z.iso.datetime({ offset: true }).nullable(),
  })
  .meta({ id: 'Challenge', description: 'An objection to what is said of a company.' });

const example = {
  challenge_ref: '12',
  company_ref: '10482',
  field: 'address',
  value: 'ul. Polna 3, 00-001 Warszawa',
  evidence: 'The entry of 2026-11-02 in the register names the new seat.',
  state: 'open',
  answer: null,
  created_at: '2026-11-06T10:00:00+00:00',
  ended_at: null,
};

const common = { tag: 'Challenges', auth: 'token' } as const;
const companyParams = z.strictObject({ company_ref: companyRef });
const oneParams = companyParams.extend({
  challenge_ref: z
    .string()
    .regex(/^[1-9]\d{0,17}$/, { error: 'The challenge_ref field must be a number.' }),
});
const success = z.literal(true);
const oneAnswer = z.strictObject({ success, data: challenge });

const unknownOne = { message: 'There is no such challenge of this account.' };
const unknownErrors = {
  404: { description: 'The account has no such challenge.', example: unknownOne },
};
const unknownCompany = { message: 'No company has this reference.' };

/** Text that people wrote: trimmed, not blank, of so many characters at most. */
function textField(name: string, longest: number) {
  return z
    .string()
    .trim()
    .min(1)
    .refine((text) => countCharacters(text) <= longest, {
      error: `The ${name} field must not be longer than ${longest} characters.`,
    })
    .meta({ minLength: 1, maxLength: longest });
}

type Row = NonNullable<Awaited<ReturnType<typeof findOwn>>>;

function view(row: Row | undefined) {
  if (!row) throw new HttpError(404, unknownOne);
  const { created_at, ended_at } = row;
  return { ...row, created_at: formatTimestamp(created_at), ended_at: formatOptional(ended_at) };
}

function createOne({ db, now, bounds }: Context): Endpoint {
  const { CHALLENGES_PER_ACCOUNT: most, CHALLENGES_PER_DAY: request_count } = bounds;
  const limited = { name: 'challenges', request_count, window_ms: 86_400_000 };
  const perDay = createAccountLimit({ db, now }, limited, 'challenges a day');
  return endpoint(
    {
      ...common,
      isInTurn: true,
      method: 'post',
      path: '/companies/{company_ref}/challenges',
      summary: 'Contest what is said of a company',
      description: `(+) Names a part of the snapshot, what is right, and the evidence, in at most 2,000 characters. The operator accepts or declines it, and a mail brings the answer. An account has at most ${most} open ones, else 422, and makes at most ${request_count} a day, else 429.`,
      params: companyParams,
      body: z.strictObject({
        field: challengedField,
        value: textField('value', 500),
        evidence: textField('evidence', 2000),
      }),
      bodyExample: { field: example.field, value: example.value, evidence: example.evidence },
      status: 201,
      answer: oneAnswer,
      example: { success: true, data: example },
      errors: {
        404: { description: 'No company has the reference.', example: unknownCompany },
      },
    },
    async ({ params, body, caller: { account_id } }) => {
      await perDay.count(account_id);
      const own = { account_id, company_ref: params.company_ref };
      const data = await db.transaction().execute(async (tx) => {
        if ((await lockOpen(tx, account_id)) >= most) {
          throw invalid([['field', `An account has at most ${most} open challenges.`]]);
        }
        const made = await insertChallenge(tx, { ...own, ...body, now: now() });
        if (made === undefined) throw new HttpError(404, unknownCompany);
        return view(await findOwn(tx, own, made));
      });
      return { success: true, data };
    },
  );
}

function listOwn({ db }: Context): Endpoint {
  return endpoint(
    {
      ...common,
      method: 'get',
      path: '/companies/{company_ref}/challenges',
      summary: 'List the own challenges of a company',
      description: '(+) The newest first; those of other accounts are not shown.',
      params: companyParams,
      query: z.strictObject(pagingFields),
      answer: z.strictObject({ success, data: z.array(challenge), meta: pageMeta }),
      example: {
        success: true,
        data: [example],
        meta: viewPageMeta({ page: 1, per_page: pageSize }, 1),
      },
    },
    async ({ params: { company_ref }, query, caller: { account_id } }) => {
      const { total, challenges } = await readOwn(db, { account_id, company_ref }, query);
      return { success: true, data: challenges.map(view), meta: viewPageMeta(query, total) };
    },
  );
}

function readOne({ db }: Context): Endpoint {
  return endpoint(
    {
      ...common,
      method: 'get',
      path: '/companies/{company_ref}/challenges/{challenge_ref}',
      summary: 'Read an own challenge',
      params: oneParams,
      answer: oneAnswer,
      example: { success: true, data: example },
      errors: unknownErrors,
    },
    async ({ params: { company_ref, challenge_ref }, caller: { account_id } }) => ({
      success: true,
      data: view(await findOwn(db, { account_id, company_ref }, challenge_ref)),
    }),
  );
}

function withdrawOne({ db, now }: Context): Endpoint {
  return endpoint(
    {
      ...common,
      method: 'delete',
      path: '/companies/{company_ref}/challenges/{challenge_ref}',
      summary: 'Withdraw an own challenge',
      description: '(+) It stays in the list. One that is answered, or withdrawn, stays as it is.',
      params: oneParams,
      answer: oneAnswer,
      example: { success: true, data: { ...example, state: 'withdrawn' } },
      errors: unknownErrors,
    },
    async ({ params: { company_ref, challenge_ref }, caller: { account_id } }) => {
      const own = { account_id, company_ref };
      const { challenge_ref: challenge_id } = view(await findOwn(db, own, challenge_ref));
      await db
        .updateTable('customer.challenge')
        .set({ state: 'withdrawn', ended_at: now() })
        .where('challenge_id', '=', challenge_id)
        .where('state', '=', 'open')
        .execute();
      return { success: true, data: view(await findOwn(db, own, challenge_ref)) };
    },
  );
}

/** (+) Objections of accounts to what is said of companies, and what the operator answers. */
export function challengeEndpoints(options: Context): Endpoint[] {
  return [createOne(options), listOwn(options), readOne(options), withdrawOne(options)];
}
