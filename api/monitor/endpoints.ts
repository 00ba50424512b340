import { sql } from 'kysely';
import { z } from 'zod';
import type { Context } from '../http/context.ts';
import { submissionLimit } from '../figures.ts';
import { answersSuccess, model, preciseTime, text, time } from '../endpoint/answers.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import {
  checkPair,
  digitsOf,
  numberCheck,
  refuse,
  whenObject,
  writtenNumber,
} from '../companies/identifier.ts';
import { identifierType } from '../dictionaries/names.ts';
import { pageMeta, pagingFields, viewPageMeta } from '../http/paging.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import examples from './examples.json' with { type: 'json' };
import {
  addCompanies,
  type RemovalOutcome,
  removeCompanies,
  selectPage,
  watchedFields,
} from './watch-list.ts';

const common = { tag: 'Company monitor', auth: 'token' } as const;

const numberList = z.array(writtenNumber).min(1).max(100);

type Addition = Awaited<ReturnType<typeof addCompanies>>;

function describeAddition({ ready, queued, added, notifies }: Addition): string {
  const count = ready + queued;
  const sentences = [`${ready} of ${count} ${count === 1 ? 'company' : 'companies'} ready.`];
  const are = queued === 1 ? 'is' : 'are';
  if (queued > 0) sentences.push(`${queued} ${are} not known yet and will be imported.`);
  if (added === 0) sentences.push('Nothing new is on the list.');
  else if (notifies) sentences.push('An e-mail confirms when all are settled.');
  return sentences.join(' ');
}

function add({ db, limiter, now, bounds }: Context): Endpoint {
  const limit = submissionLimit(bounds);

  return endpoint(
    {
      ...common,
      isInTurn: true,
      method: 'post',
      path: '/companies/add',
      summary: 'Add companies to the watch list',
      description: `A company that a registry has listed is watched at once. The others are imported first, which fails when no registry has the number within seven days. An e-mail reports each submission when its last company is ready or has failed, unless \`PATCH /watchlist/alerts\` has switched it off. A company that is watched already changes nothing, also under another or a former number; a submission that changes nothing sends no mail. An account has at most ${bounds.WATCHES_PER_ACCOUNT} companies on its list and ${bounds.QUEUED_NUMBERS_PER_ACCOUNT} numbers that wait for their import, else 422; ${limit.request_count} submissions a day, else 429.`,
      body: z.strictObject({ identifier_type: identifierType, identifier_value: numberList }),
      check: numberCheck,
      bodyExample: examples.numbers,
      status: 202,
      answer: z.strictObject({ success: z.literal(true), message: text }),
      example: {
        success: true,
        message: describeAddition({ ready: 1, queued: 1, added: 2, notifies: true }),
      },
    },
    async ({ body: { identifier_type, identifier_value }, caller: { account_id } }) => {
      const values = [...new Set(identifier_value.map(digitsOf))];
      await limiter.count(limit, account_id);
      const submission = { account_id, identifier_type, values, now: now() };
      const added = await addCompanies(db, submission, bounds);
      return { success: true, message: describeAddition(added) };
    },
  );
}

const watchEntry = model('WatchEntry', {
  ...watchedFields,
  watched_since: z.iso.date(),
  last_event_at: preciseTime.nullable(),
  events_count: z.int(),
  state: z.enum(['queued', 'ready', 'failed']),
  failure: text.nullable(),
  has_custom_settings: z.boolean(),
});

const list = endpoint(
  {
    ...common,
    method: 'get',
    path: '/companies/watched',
    summary: 'List the watched companies',
    query: z.strictObject(pagingFields),
    ...answersSuccess([z.array(watchEntry), [examples.watch]], [pageMeta, examples.meta]),
  },
  async ({ query, caller, options: { db } }) => {
    const { total, page } = await selectPage(db, caller.account_id, query);
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

// Spec: two names for each field, silent on which name counts; we accept both.
const spellings = [
  ['identifier_type', 'identifier_value'],
  ['name', 'value'],
] as const;

function checkRemoval(body: Record<string, unknown>, context: z.core.$RefinementCtx) {
  const isEmpty = spellings.flat().every((field) => body[field] === undefined);
  if (isEmpty)
    for (const field of spellings[0]) refuse(context, [field], 'is required', 'required');
  for (const pair of spellings) checkPair(body, context, pair);
  if (context.issues.length > 0) return;
  // Two lists of the same numbers, in any order and spelling, give equal texts.
  const texts = spellings
    .filter(([typeField]) => body[typeField] !== undefined)
    .map(([typeField, listField]) => {
      const digits = (body[listField] as string[]).map(digitsOf);
      return [body[typeField], ...new Set(digits.toSorted())].join(' ');
    });
  if (new Set(texts).size > 1) {
    const wrong = 'must say the same as identifier_value, and name the same as identifier_type';
    refuse(context, ['value'], wrong, 'conflict');
  }
}

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
      })
      .superRefine(checkRemoval, whenObject),
    check: (options) => numberCheck(options, [...spellings]),
    bodyExample: examples.removal,
    ...answersSuccess(
      [z.strictObject(byOutcome(() => z.array(text))), examples.removed],
      [
        z.strictObject({ total: z.int(), ...byOutcome(() => z.int()), removed_at: time }),
        examples.removal_meta,
      ],
    ),
  },
  async ({ body, caller: { account_id }, options: { db, now } }) => {
    const identifier_type = (body.identifier_type ?? body.name)!;
    const submitted = Map.groupBy((body.identifier_value ?? body.value)!, digitsOf);
    const values = [...submitted.keys()];
    const at = now();
    const found = await removeCompanies(db, { account_id, identifier_type, values, now: at });
    const of = Map.groupBy(found, ({ outcome }) => outcome);
    const data = byOutcome((outcome) =>
      (of.get(outcome) ?? []).map(({ value }) => submitted.get(value)![0]!),
    );
    const counts = byOutcome((outcome) => of.get(outcome)?.length ?? 0);
    const meta = { total: found.length, ...counts, removed_at: formatTimestamp(at) };
    return { success: true, data, meta };
  },
);

export function watchlistEndpoints(options: Context): Endpoint[] {
  return [add(options), list, remove];
}
