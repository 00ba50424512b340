import { sql } from 'kysely';
import { z } from 'zod';
import { nameOf, namingAny } from '../companies/company-of-request.ts';
import { numberCheck } from '../companies/number-check.ts';
import { answersSuccess, model, preciseTime, text } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { coded } from '../http/errors.ts';
import { referenceField } from '../http/text-fields.ts';
import { pageMeta, pagingFields, viewPageMeta } from '../http/page-numbers.ts';
import { common, isWatchOf, selectPage, watchedFields, watchStates } from './watch-list.ts';

const watchEntry = model('WatchEntry', {
  ...watchedFields,
  watched_since: z.iso.date(),
  last_event_at: preciseTime.nullable(),
  // sql/nightly/6_notify/feeds.sql counts the events since the account watches the company.
  events_count: z.int(),
  state: z.enum(watchStates),
  failure: text.nullable(),
  has_custom_settings: z.boolean(),
});

const known: readonly string[] = watchStates;
const isState = coded('unknown_value', `must be one of ${known.join(', ')}.`);

export const list = endpoint(
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
    // `selectPage` of watch-list.ts sorts the watches: the newest first.
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
