import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { companyRef, unknownCompany, unknownCompanyErrors } from '../companies/identifier.ts';
import { challengedField } from '../dictionaries/names.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import type { Context } from '../http/context.ts';
import { HttpError, invalid } from '../http/errors.ts';
import { countCharacters } from '../http/field.ts';
import { pageMeta, pagingFields, rowCount, skippedBy, viewPageMeta } from '../http/paging.ts';
import { formatOptional, formatTimestamp } from '../http/timestamp.ts';
import examples from './examples.json' with { type: 'json' };

const moment = z.iso.datetime({ offset: true });

const challenge = z
  .strictObject({
    challenge_ref: z.string(),
    company_ref: z.string(),
    field: challengedField,
    value: z.string(),
    evidence: z.string(),
    state: z.enum(['open', 'accepted', 'declined']),
    answer: z.string().nullable(),
    created_at: moment,
    ended_at: moment.nullable(),
  })
  .meta({ id: 'Challenge', description: 'An objection to what is said of a company.' });

// The operator reads it in a terminal.
const control = /(?![\n\t])\p{Cc}/u;

/** Text that people wrote: trimmed, not blank, of so many characters at most. */
function textField(name: string, longest: number) {
  const error = `The ${name} field must not be longer than ${longest} characters.`;
  return z
    .string()
    .overwrite((text) => text.replaceAll('\r\n', '\n').trim())
    .min(1)
    .refine((text) => !control.test(text), {
      error: `The ${name} field must not contain control characters.`,
    })
    .refine((text) => countCharacters(text) <= longest, { error })
    .meta({ minLength: 1, maxLength: longest });
}

const body = z.strictObject({
  field: challengedField,
  value: textField('value', 500),
  evidence: textField('evidence', 2000),
});

const success = z.literal(true);

const common = {
  tag: 'Challenges',
  auth: 'token',
  path: '/companies/{company_ref}/challenges',
  params: z.strictObject({ company_ref: companyRef }),
} as const;

/** An account and a company that it contests something of. */
interface Own {
  account_id: string;
  company_ref: string;
}

function selectOwn(db: Db, { account_id, company_ref }: Own) {
  return db
    .selectFrom('customer.challenge')
    .where('account_id', '=', account_id)
    .where('company_id', '=', sql<string>`registry.current_company(${company_ref})`);
}

async function readOwn(db: Db, own: Own, limit: number, skipped: number) {
  const rows = await selectOwn(db, own)
    .select([
      'challenge_id as challenge_ref',
      'company_id as company_ref',
      'field',
      'right_value as value',
      'evidence',
      'state',
      'answer',
      'created_at',
      'ended_at',
    ])
    .orderBy('challenge_id', 'desc')
    .limit(limit)
    .offset(skipped)
    .execute();
  return rows.map(({ created_at, ended_at, ...row }) => ({
    ...row,
    created_at: formatTimestamp(created_at),
    ended_at: formatOptional(ended_at),
  }));
}

/**
 * Opens a challenge of an account that has fewer than `most` open ones. The account is locked by the
 * transaction, so that it neither has more nor ends meanwhile.
 */
async function openChallenge(
  tx: Db,
  own: Own,
  asked: z.output<typeof body>,
  most: number,
  now: Date,
) {
  const { account_id, company_ref } = own;
  await sql`select customer.lock_accounts(array[${account_id}::bigint])`.execute(tx);
  const { rows } = await sql<{ is_known: boolean; is_opened: boolean }>`
    with named as (
        select registry.current_company(${company_ref}) as company_id
    ),
    opened as (
        insert into customer.challenge (
            account_id, company_id, field, right_value, evidence, created_at
        )
        select account_id, company_id, ${asked.field}, ${asked.value}, ${asked.evidence}, ${now}
        from customer.account
        join named on company_id is not null
        where account_id = ${account_id} and ended_at is null
            and ${most} > (
                select count(*) from customer.challenge as other
                where other.account_id = account.account_id and state = 'open'
            )
        returning challenge_id
    )
    select company_id is not null as is_known, exists (select from opened) as is_opened
    from named
  `.execute(tx);
  const { is_known, is_opened } = rows[0]!;
  if (!is_known) throw new HttpError(404, unknownCompany);
  if (!is_opened) throw invalid([['field', `An account has at most ${most} open challenges.`]]);
}

/** (+) Objections of accounts to what is said of companies, and what the operator answers. */
export function challengeEndpoints({ db, now, bounds }: Context): Endpoint[] {
  const { CHALLENGES_PER_ACCOUNT: most } = bounds;

  const create = endpoint(
    {
      ...common,
      isInTurn: true,
      method: 'post',
      summary: 'Contest what is said of a company',
      description: `(+) Names a part of the snapshot, what is right, and the evidence, in at most 2,000 characters. The operator accepts or declines it, and a mail brings the answer. An account has at most ${most} open ones, else 422.`,
      body,
      bodyExample: examples.body,
      status: 201,
      answer: z.strictObject({ success, data: challenge }),
      example: { success: true, data: examples.challenge },
      errors: unknownCompanyErrors,
    },
    async ({ params: { company_ref }, body: asked, caller: { account_id } }) => {
      const own = { account_id, company_ref };
      const data = await db.transaction().execute(async (tx) => {
        await openChallenge(tx, own, asked, most, now());
        const [opened] = await readOwn(tx, own, 1, 0);
        return opened!;
      });
      return { success: true, data };
    },
  );

  const list = endpoint(
    {
      ...common,
      method: 'get',
      summary: 'List the own challenges of a company',
      description: '(+) The newest first; those of other accounts are not shown.',
      query: z.strictObject(pagingFields),
      answer: z.strictObject({ success, data: z.array(challenge), meta: pageMeta }),
      example: { success: true, data: [examples.challenge], meta: examples.meta },
    },
    async ({ params: { company_ref }, query, caller: { account_id } }) => {
      const own = { account_id, company_ref };
      const { total } = await selectOwn(db, own).select(rowCount).executeTakeFirstOrThrow();
      const data = await readOwn(db, own, query.per_page, skippedBy(query));
      return { success: true, data, meta: viewPageMeta(query, total) };
    },
  );
  return [create, list];
}
