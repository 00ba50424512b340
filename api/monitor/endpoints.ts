import { z } from 'zod';
import type { AppOptions } from '../app.ts';
import { endpoint, type Endpoint } from '../http/endpoint.ts';
import {
  checkPair,
  identifierType,
  type IdentifierType,
  identifierValue,
  normalizeIdentifier,
  validIdentifiers,
  whenObject,
} from '../companies/identifier.ts';
import { pageMeta, pageSize, pagingFields, viewPageMeta } from '../http/paging.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { addCompanies, findWatched, type RemovalOutcome, removeCompanies } from './watch-list.ts';

// What the descriptions share.
const common = { tag: 'Company monitor', auth: 'token' } as const;

const success = z.literal(true);
const [type, value] = ['NIP', '1000201006'] as const;

const numberList = z.array(identifierValue).min(1).max(100);

/** The spellings of each number, by its digits. */
function groupSpellings(ofType: IdentifierType, submitted: readonly string[]) {
  return Map.groupBy(submitted, (spelling) => normalizeIdentifier(ofType, spelling)!);
}

function describeAddition({ ready, queued }: { ready: number; queued: number }): string {
  const awaited =
    queued === 0
      ? ''
      : ` ${queued} ${queued === 1 ? 'is' : 'are'} not known yet and will be imported.`;
  return `${ready} of ${ready + queued} ${ready + queued === 1 ? 'company' : 'companies'} ready.${awaited} An e-mail confirms when all are settled.`;
}

function add({ db, now }: AppOptions): Endpoint {
  return endpoint(
    {
      ...common,
      method: 'post',
      path: '/companies/add',
      summary: 'Add companies to the watch list',
      description:
        'A company that a registry has told of is watched at once; the others are imported first, which fails when no registry knows the number within seven days. An e-mail tells of each submission when its last company is ready or has failed. Companies that are watched already change nothing, also under another of their numbers, or one that they had before.',
      body: z
        .strictObject({ identifier_type: identifierType, identifier_value: numberList })
        .superRefine(...validIdentifiers),
      bodyExample: { identifier_type: type, identifier_value: [value, '100-020-50-04'] },
      status: 202,
      answer: z.strictObject({ success, message: z.string() }),
      example: { success: true, message: describeAddition({ ready: 1, queued: 1 }) },
    },
    async ({ body, caller }) => {
      const { identifier_type, identifier_value } = body;
      const values = [...groupSpellings(identifier_type, identifier_value).keys()];
      const { account_id } = caller;
      const added = await addCompanies(db, { account_id, identifier_type, values, now: now() });
      return { success: true, message: describeAddition(added) };
    },
  );
}

const watchEntry = z
  .strictObject({
    primary_identifier: z.string(),
    identifier_type: identifierType,
    submitted_identifier: z.string(),
    company_ref: z.string().nullable(),
    name: z.string(),
    watched_since: z.iso.date(),
    last_event_at: z.iso.datetime({ precision: 6 }).nullable(),
    events_count: z.int(),
    state: z.enum(['queued', 'ready', 'failed']),
    failure: z.string().nullable(),
    has_custom_settings: z.boolean(),
  })
  .meta({ id: 'WatchEntry', description: 'A company of the watch list.' });

function list({ db }: AppOptions): Endpoint {
  return endpoint(
    {
      ...common,
      method: 'get',
      path: '/companies/watched',
      summary: 'List the watched companies',
      description:
        'The newest first. A company is listed under its NIP, else its REGON, else its KRS number, as they are today; while it is `queued`, or when it has `failed`, under the number that was submitted.',
      query: z.strictObject(pagingFields),
      answer: z.strictObject({ success, data: z.array(watchEntry), meta: pageMeta }),
      example: {
        success: true,
        data: [
          {
            primary_identifier: value,
            identifier_type: type,
            submitted_identifier: '990200011',
            company_ref: '10482',
            name: 'Piekarnia Pod Wieżą Anna Nowak',
            watched_since: '2026-05-01',
            last_event_at: '2026-05-04T03:10:22.123000Z',
            events_count: 3,
            state: 'ready',
            failure: null,
            has_custom_settings: false,
          },
        ],
        meta: { total: 1, per_page: pageSize, current_page: 1, last_page: 1 },
      },
    },
    async ({ query, caller }) => {
      const { total, watched } = await findWatched(db, caller.account_id, query);
      return { success: true, data: watched, meta: viewPageMeta(query, total) };
    },
  );
}

// Spec: two names of each field, silent on which one holds; both do.
const spellings = [
  ['identifier_type', 'identifier_value'],
  ['name', 'value'],
] as const;

/** The body of `DELETE /companies/watched`. */
const removal = z
  .strictObject({
    identifier_type: identifierType.optional(),
    identifier_value: numberList.optional(),
    name: identifierType.optional(),
    value: numberList.optional(),
  })
  .superRefine(checkRemoval, whenObject);

function checkRemoval(body: Record<string, unknown>, context: z.core.$RefinementCtx) {
  const refuse = (field: string, wrong: string) =>
    context.addIssue({ code: 'custom', path: [field], message: `The ${field} field ${wrong}` });
  const isEmpty = spellings.flat().every((field) => body[field] === undefined);
  if (isEmpty) for (const field of spellings[0]) refuse(field, 'is required.');
  for (const pair of spellings) checkPair(body, context, pair);
  if (context.issues.length > 0) return;
  const [first, second] = spellings.map(([typeField, listField]) =>
    body[typeField] === undefined
      ? undefined
      : namesOf(body[typeField] as IdentifierType, body[listField] as string[]),
  );
  if (first !== undefined && second !== undefined && first !== second) {
    refuse('value', 'must say the same as identifier_value, and name the same as identifier_type.');
  }
}

/** A text that is equal for lists of the same numbers, in any order and spelling. */
function namesOf(ofType: IdentifierType, submitted: readonly string[]): string {
  return [ofType, ...[...groupSpellings(ofType, submitted).keys()].toSorted()].join(' ');
}

const numbers = z.array(z.string());

function remove({ db, now }: AppOptions): Endpoint {
  return endpoint(
    {
      ...common,
      method: 'delete',
      path: '/companies/watched',
      summary: 'Remove companies from the watch list',
      description:
        'The body has `identifier_type` and `identifier_value`, as in `POST /companies/add`, or `name` and `value` instead. The lists of the answer hold the numbers as they were written: `not_found` those that no registry has ever told of, `not_watched` those of companies that are not on the list. Daily monitoring stops at once, and the events of the company leave the feed.',
      body: removal,
      bodyExample: { identifier_type: type, identifier_value: [value] },
      answer: z.strictObject({
        success,
        data: z.strictObject({ removed: numbers, not_found: numbers, not_watched: numbers }),
        meta: z.strictObject({
          total: z.int(),
          removed: z.int(),
          not_found: z.int(),
          not_watched: z.int(),
          removed_at: z.iso.datetime({ offset: true }),
        }),
      }),
      example: {
        success: true,
        data: { removed: [value], not_found: [], not_watched: [] },
        meta: {
          total: 1,
          removed: 1,
          not_found: 0,
          not_watched: 0,
          removed_at: '2026-05-05T09:00:00+00:00',
        },
      },
    },
    async ({ body, caller: { account_id } }) => {
      const identifier_type = (body.identifier_type ?? body.name)!;
      const submitted = groupSpellings(identifier_type, (body.identifier_value ?? body.value)!);
      const values = [...submitted.keys()];
      const at = now();
      const submission = { account_id, identifier_type, values, now: at };
      const outcomes = await removeCompanies(db, submission);
      const listOf = (outcome: RemovalOutcome) =>
        values.filter((one) => outcomes.get(one) === outcome).map((one) => submitted.get(one)![0]!);
      const data = {
        removed: listOf('removed'),
        not_found: listOf('not_found'),
        not_watched: listOf('not_watched'),
      };
      const meta = {
        total: values.length,
        removed: data.removed.length,
        not_found: data.not_found.length,
        not_watched: data.not_watched.length,
        removed_at: formatTimestamp(at),
      };
      return { success: true, data, meta };
    },
  );
}

export function watchlistEndpoints(options: AppOptions): Endpoint[] {
  return [add(options), list(options), remove(options)];
}
