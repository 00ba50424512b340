import { sql } from 'kysely';
import { z } from 'zod';
import type { Context } from '../http/context.ts';
import { limits, submissionLimit } from '../figures/rate-limits.ts';
import { sizes } from '../figures/sizes.ts';
import { answersSuccess, model, preciseTime, text, time } from '../endpoint/answers.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import {
  checkPair,
  type CompanyName,
  digitsOf,
  nameOf,
  namingAny,
  namingOne,
  numberCheck,
  refuse,
  whenObject,
  writtenNumber,
} from '../companies/identifier.ts';
import { identifierType } from '../dictionaries/names.ts';
import { coded } from '../http/errors.ts';
import { referenceField } from '../http/field.ts';
import { pageMeta, pagingFields, viewPageMeta } from '../http/paging.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { readSubmissionEndpoint, submission } from './submission.ts';
import {
  addCompanies,
  isWatchOf,
  type RemovalOutcome,
  removeCompanies,
  selectPage,
  watchedFields,
  watchStates,
} from './watch-list.ts';

const common = { tag: 'Company monitor', auth: 'token' } as const;

/** Returns the schema of a list of up to 100 companies. */
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(sizes.items);

const numberList = listOf(writtenNumber);

// Spec: two names for each field, silent on which name counts; we accept both.
const spellings = [
  ['identifier_type', 'identifier_value'],
  ['name', 'value'],
] as const;

function checkCompanies(body: Record<string, unknown>, context: z.core.$RefinementCtx): void {
  const [given] = spellings.flat().filter((field) => body[field] !== undefined);
  if (body.identifiers !== undefined) {
    if (given) refuse(context, ['identifiers'], `must be given without ${given}`, 'conflict');
    return;
  }
  if (!given) for (const field of spellings[0]) refuse(context, [field], 'is required', 'required');
  for (const pair of spellings) checkPair(body, context, pair);
  if (context.issues.length > 0) return;
  // Two lists of the same numbers, in any order and spelling, give equal texts.
  const [first, other = first] = spellings
    .filter(([typeField]) => body[typeField] !== undefined)
    .map(([typeField, listField]) => {
      const digits = (body[listField] as string[]).map(digitsOf);
      return [body[typeField], ...new Set(digits.toSorted())].join(' ');
    });
  const wrong = 'must say the same as identifier_value, and name the same as identifier_type';
  if (other !== first) refuse(context, ['value'], wrong, 'conflict');
}

function countThat(count: number): string {
  return `${count} ${count === 1 ? 'is' : 'are'}`;
}

type Counts = Record<'ready' | 'queued' | 'failed' | 'added', number>;

function describeAddition({ ready, queued, failed, added }: Counts, notifies: boolean): string {
  const count = ready + queued + failed;
  const sentences = [`${ready} of ${count} ${count === 1 ? 'company' : 'companies'} ready.`];
  if (queued > 0) sentences.push(`${countThat(queued)} not known yet and will be imported.`);
  if (failed > 0) sentences.push(`${countThat(failed)} unknown.`);
  if (added === 0) sentences.push('Nothing new is on the list.');
  else if (notifies) sentences.push('An e-mail confirms when all are settled.');
  return sentences.join(' ');
}

type AdditionBody = z.output<typeof additionBody>;

const additionBody = z
  .strictObject({
    identifier_type: identifierType.optional(),
    identifier_value: numberList.optional(),
    identifiers: listOf(namingOne({ reference: referenceField.nullish() })).optional(),
  })
  .superRefine(checkCompanies, whenObject);

/** Returns the companies of a body, each once, with the text that names it and its last reference. */
function companiesOf({ identifier_type, identifier_value, identifiers }: AdditionBody) {
  const listed: { name: CompanyName; written: string; reference?: string | null | undefined }[] =
    identifiers?.map((item) => ({ ...item, name: nameOf(item), written: nameOf(item)[1] })) ??
    identifier_value!.map((written) => ({ name: [identifier_type!, digitsOf(written)], written }));
  return [...Map.groupBy(listed, ({ name }) => name.join(' ')).values()].map((same) => {
    const { name, written } = same[0]!;
    const last = same.findLast(({ reference }) => typeof reference === 'string');
    return { name, written, reference: last?.reference ?? null };
  });
}

function add(options: Context): Endpoint {
  const { db, limiter, now } = options;
  const limit = submissionLimit(options);

  return endpoint(
    {
      ...common,
      isInTurn: true,
      method: 'post',
      path: '/companies/add',
      summary: 'Add companies to the watch list',
      description: `A company that a registry has listed is watched at once. The others are imported first, which fails when no registry has the number within seven days. An e-mail reports each submission when its last company is ready or has failed, unless \`PATCH /watchlist/alerts\` has switched it off. A company that is watched already changes nothing, also under another or a former number; a submission that changes nothing sends no mail. An account has at most ${options.WATCHES_PER_ACCOUNT} companies on its list and ${options.QUEUED_NUMBERS_PER_ACCOUNT} numbers that wait for their import, else 422; ${limit.request_count} submissions a day, else 429. A submission with a \`company_ref\` also counts as one of the ${limits.lookupsOfDay.request_count} lookups a day.`,
      body: additionBody,
      check: numberCheck,
      status: 202,
      answer: z.strictObject({ success: z.literal(true), message: text, data: submission }),
      example: {
        message: describeAddition({ ready: 1, queued: 1, failed: 1, added: 2 }, true),
      },
    },
    async ({ body, caller }) => {
      const { account_id } = caller;
      await limiter.count(limit, account_id);
      // An addition by reference returns names of companies, so it counts as a lookup.
      const isByReference = body.identifiers?.some(({ company_ref }) => company_ref !== undefined);
      if (isByReference) await limiter.count(limits.lookupsOfDay, account_id);
      const field = body.identifiers ? 'identifiers' : 'identifier_value';
      const submitted = { caller, items: companiesOf(body), now: now(), field };
      const { data, added, notifies } = await addCompanies(db, submitted, options);
      const [ready, queued, failed] = [data.ready.length, data.queued.length, data.failed.length];
      const message = describeAddition({ ready, queued, failed, added }, notifies);
      return { success: true, message, data };
    },
  );
}

const watchEntry = model('WatchEntry', {
  ...watchedFields,
  watched_since: z.iso.date(),
  last_event_at: preciseTime.nullable(),
  events_count: z.int(),
  state: z.enum(watchStates),
  failure: text.nullable(),
  has_custom_settings: z.boolean(),
});

const known: readonly string[] = watchStates;
const isState = coded('unknown_value', `must be one of ${known.join(', ')}.`);

const list = endpoint(
  {
    ...common,
    method: 'get',
    path: '/companies/watched',
    summary: 'List the watched companies',
    query: namingAny({
      state: z
        .string()
        .max(50)
        .transform((states) => states.split(','))
        .refine((states) => states.every((one) => known.includes(one)), isState)
        .optional()
        .meta({ type: 'string' }),
      reference: referenceField.optional(),
      ...pagingFields,
    }),
    check: numberCheck,
    ...answersSuccess(z.array(watchEntry), pageMeta),
  },
  async ({ query, caller, options: { db } }) => {
    const { state = null, reference = null, company_ref, identifier_value } = query;
    const isNamed = (company_ref ?? identifier_value) !== undefined;
    const isAsked = sql<boolean>`
      (${state}::text[] is null or state = any(${state}))
      and (${reference}::text is null or coalesce(reference, '') = ${reference})
      and ${isNamed ? isWatchOf(nameOf(query)) : sql`true`}
    `;
    const { total, page } = await selectPage(db, caller.account_id, query, isAsked);
    const data = await page
      .select([
        sql`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`.as('watched_since'),
        sql`to_char(last_event_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as(
          'last_event_at',
        ),
        sql`events_count::int`.as('events_count'),
        sql`failure ->> 'sentence'`.as('failure'),
      ])
      .select(['state', 'has_custom_settings'])
      .execute();
    return { success: true, data, meta: viewPageMeta(query, total) };
  },
);

const outcomes = ['removed', 'not_found', 'not_watched'] as const;

/** Returns an object with a value for each outcome of a number. */
function byOutcome<Value>(valueOf: (outcome: RemovalOutcome) => Value) {
  return Object.fromEntries(outcomes.map((outcome) => [outcome, valueOf(outcome)]));
}

const remove = endpoint(
  {
    ...common,
    isInTurn: true,
    method: 'delete',
    path: '/companies/watched',
    summary: 'Remove companies from the watch list',
    body: z
      .strictObject({
        identifier_type: identifierType.optional(),
        identifier_value: numberList.optional(),
        name: identifierType.optional(),
        value: numberList.optional(),
        identifiers: listOf(namingOne({})).optional(),
      })
      .superRefine(checkCompanies, whenObject),
    check: (options) => numberCheck(options, [...spellings]),
    ...answersSuccess(
      z.strictObject(byOutcome(() => z.array(text))),
      z.strictObject({ total: z.int(), ...byOutcome(() => z.int()), removed_at: time }),
    ),
  },
  async ({ body, caller, options: { db, now } }) => {
    const { identifiers, identifier_type = body.name, identifier_value = body.value } = body;
    const companies = companiesOf({ identifiers, identifier_type, identifier_value });
    const at = now();
    const names = companies.map(({ name }) => name);
    const found = await removeCompanies(db, { caller, names, now: at });
    const of = Map.groupBy(companies, (_, place) => found[place]!);
    const data = byOutcome((outcome) => (of.get(outcome) ?? []).map(({ written }) => written));
    const counts = byOutcome((outcome) => of.get(outcome)?.length ?? 0);
    const meta = { total: found.length, ...counts, removed_at: formatTimestamp(at) };
    return { success: true, data, meta };
  },
);

export function watchlistEndpoints(options: Context): Endpoint[] {
  return [add(options), readSubmissionEndpoint, list, remove];
}
