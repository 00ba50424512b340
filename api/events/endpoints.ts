import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import { endpoint, type Endpoint, writeSuccess } from '../endpoint/endpoint.ts';
import { feedScope, readCursor, writeCursor } from '../../sql/feed-cursor.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { findNear } from '../../sql/process/suggest.ts';
import { HttpError, invalid } from '../http/errors.ts';
import {
  type Identifier,
  identifierValue,
  unknownCompany,
  unknownCompanyErrors,
  validIdentifiers,
} from '../companies/identifier.ts';
import { eventTypeName, identifierType, readEventTypes, severity } from '../dictionaries/names.ts';
import { dateField } from '../http/field.ts';
import { keep } from '../http/keep.ts';
import {
  pageMetaFields,
  pageSize,
  type Paging,
  pagingFields,
  skippedBy,
  viewPageMeta,
  wholeNumber,
} from '../http/paging.ts';
import { formatTimestamp } from '../http/timestamp.ts';

// What the descriptions share. Reading events is free.
const common = { method: 'get', tag: 'Company monitor', auth: 'token' } as const;

const status = z.literal('success');

const eventFields = {
  id: z.int(),
  event_type: eventTypeName,
  old_value: z.string().nullable(),
  new_value: z.string().nullable(),
  event_date: z.iso.date(),
  severity,
};

const numberFields = {
  primary_identifier: z.string().nullable(),
  identifier_type: identifierType.or(z.null()),
};
const fetched_at = z.iso.datetime({ offset: true });

const event = z
  .strictObject(eventFields)
  .meta({ id: 'Event', description: 'A change of a company that a daily comparison found.' });
const companyEvent = z
  .strictObject({
    ...eventFields,
    ...numberFields,
    company_name: z.string().nullable(),
    company_ref: z.string(),
    submitted_identifier: z.string().nullable(),
  })
  .meta({ id: 'CompanyEvent', description: 'A change of one of several companies.' });

const pageMeta = z
  .strictObject({ ...pageMetaFields, fetched_at })
  .meta({ id: 'EventPageMeta', description: 'Which page this is, and of how many.' });
const historyMeta = z
  .strictObject({ ...pageMeta.shape, ...numberFields, company_ref: z.string() })
  .meta({ id: 'HistoryMeta', description: 'Which page this is, of which company.' });

const eventExample = {
  id: 4711,
  event_type: 'COMPANY_NAME_CHANGED',
  old_value: 'Piekarnia Nowak',
  new_value: 'Piekarnia Anna Nowak',
  event_date: '2026-11-06',
  severity: 'warning',
};

const numberExample = { primary_identifier: '5260250274', identifier_type: 'NIP' };

const companyExample = {
  ...numberExample,
  company_name: 'Piekarnia Anna Nowak',
  company_ref: '10482',
  submitted_identifier: '010778878',
};

const metaExample = {
  ...viewPageMeta({ page: 1, per_page: pageSize }, 1),
  fetched_at: '2026-11-07T06:00:00+00:00',
};

/** A page of the events of a company, the newest first, their count, and its number of today. */
async function findHistory(db: Db, query: Identifier & Paging) {
  const { rows } = await sql<{ total: number; events: object[] }>`
    select
        (
            select count(*)::int
            from registry.event
            where event.company_id = company.company_id
        ) as total,
        (
            select coalesce(json_agg(page), '[]')
            from (
                select
                    event.event_id as id,
                    event.event_type,
                    event.old_value,
                    event.new_value,
                    event.event_date,
                    event_type.severity
                from registry.event
                join registry.event_type on event_type.event_type = event.event_type
                where event.company_id = company.company_id
                order by event.event_date desc, event.event_id desc
                limit ${query.per_page} offset ${skippedBy(query)}
            ) as page
        ) as events,
        registry.primary_identifier(company),
        registry.identifier_type(company),
        company.company_id as company_ref
    from registry.company
    where company.company_id = (
        select registry.find_company(${query.identifier_type}, ${query.identifier_value})
    )
  `.execute(db);
  if (!rows[0]) throw new HttpError(404, unknownCompany);
  return rows[0];
}

function history({ db, now }: Context): Endpoint {
  return endpoint(
    {
      ...common,
      path: '/companies/events',
      summary: 'List the events of a company',
      description:
        'Its whole history, whether or not it is watched, the newest first. A company is also found by a number that it had before, unless another one has that number now; `meta` names it by its number of today. A page past the end is empty.',
      query: z
        .strictObject({
          identifier_type: identifierType,
          identifier_value: identifierValue,
          ...pagingFields,
        })
        .superRefine(...validIdentifiers),
      answer: z.strictObject({
        status,
        data: z.strictObject({ events: z.array(event) }),
        meta: historyMeta,
      }),
      example: {
        status: 'success',
        data: { events: [eventExample] },
        meta: { ...metaExample, ...numberExample, company_ref: companyExample.company_ref },
      },
      errors: unknownCompanyErrors,
    },
    async ({ query }) => {
      const { total, events, ...company } = await findHistory(db, query);
      const meta = {
        ...viewPageMeta(query, total),
        fetched_at: formatTimestamp(now()),
        ...company,
      };
      return { status: 'success', data: { events }, meta };
    },
  );
}

/** The 422 of an event type that is not in the dictionary; it names up to three similar types. */
function unknownEventType(event_type: string, known: readonly string[]) {
  const near = findNear(event_type.toUpperCase(), known, 3);
  const hint = near.length > 0 ? ` such as ${near.join(', ')}` : '';
  const message = `The event_type field must be the name of an event type${hint}.`;
  return invalid([['event_type', message]]);
}

function feedPage({ db, now }: Context): Endpoint {
  const readTypes = keep(() => readEventTypes(db));
  return endpoint(
    {
      ...common,
      path: '/watchlist/events',
      summary: 'List the events of the companies that are watched',
      description:
        'Those that happened since a company is watched, the newest first. What a night adds moves all pages on: whoever wants every event once reads `GET /events/feed`.',
      query: z
        .strictObject({
          event_type: eventTypeName.optional(),
          from_date: dateField('from_date').optional(),
          to_date: dateField('to_date').optional(),
          ...pagingFields,
        })
        .refine(({ from_date: from, to_date: to }) => !from || !to || from <= to, {
          path: ['to_date'],
          error: 'The to_date field must not be before from_date.',
        }),
      answer: z.strictObject({ status, data: z.array(companyEvent), meta: pageMeta }),
      example: {
        status: 'success',
        data: [{ ...eventExample, ...companyExample }],
        meta: metaExample,
      },
    },
    async ({ query, caller }) => {
      const { event_type, from_date, to_date, per_page } = query;
      if (event_type !== undefined) {
        const known = (await readTypes()).map((type) => type.event_type);
        if (!known.includes(event_type)) throw unknownEventType(event_type, known);
      }
      const filter = [caller.account_id, event_type, from_date, to_date];
      const values = [...filter, skippedBy(query), per_page];
      const file = 'api/read_feed_page.sql';
      const [page] = await runPrepared<{ total: number; events: string }>(db, file, values);
      const meta = { ...viewPageMeta(query, page!.total), fetched_at: formatTimestamp(now()) };
      return writeSuccess(page!.events, meta);
    },
  );
}

const badCursor = 'The after field must be the next_cursor of an answer with the same scope.';

// `event_id` equals `id`: the feed had the number before the other lists.
const numbered = z
  .strictObject({ event_id: z.int().meta({ deprecated: true }), ...companyEvent.shape })
  .meta({ id: 'FeedEvent', description: 'An event of the feed by cursor.' });

type FeedPart = { events: string; last_event_id: string; has_more: boolean };

// Events are numbered in the order of publication: nights publish one after another, each in one
// transaction that holds a lock. A client that has seen an event has missed none with a smaller number.
function feed({ db, now }: Context): Endpoint {
  return endpoint(
    {
      ...common,
      path: '/events/feed',
      summary: 'Read events on from where the last answer ended',
      description:
        'In the order in which they were published, each exactly once: of the companies that are watched, or with `scope=all` of the whole registry. Without `after` it begins with the first event. `next_cursor` is always there and never expires: asked for again later, it gives what has been published since.',
      query: z
        .strictObject({
          scope: feedScope.default('watched'),
          after: z.string().max(100, { abort: true }).optional(),
          // The largest answer is also a limit in `sql/api/read_feed.sql`.
          limit: wholeNumber('limit', 1000, 100),
        })
        .refine(({ scope, after }) => after === undefined || readCursor(after)?.scope === scope, {
          path: ['after'],
          error: badCursor,
        }),
      answer: z.strictObject({
        status,
        data: z.array(numbered),
        meta: z.strictObject({ next_cursor: z.string(), has_more: z.boolean(), fetched_at }),
      }),
      example: {
        status: 'success',
        data: [{ event_id: 4711, ...eventExample, ...companyExample }],
        meta: {
          next_cursor: writeCursor({ scope: 'watched', event_id: '4711' }),
          has_more: false,
          fetched_at: metaExample.fetched_at,
        },
      },
    },
    async ({ query: { scope, after, limit }, caller }) => {
      const { event_id = '0' } = readCursor(after ?? '') ?? {};
      const values = [caller.account_id, scope, event_id, limit];
      const [part] = await runPrepared<FeedPart>(db, 'api/read_feed.sql', values);
      if (!part) throw invalid([['after', badCursor]]);
      const next_cursor = writeCursor({ scope, event_id: part.last_event_id });
      const meta = { next_cursor, has_more: part.has_more, fetched_at: formatTimestamp(now()) };
      return writeSuccess(part.events, meta);
    },
  );
}

export function eventEndpoints(options: Context): Endpoint[] {
  return [history(options), feedPage(options), feed(options)];
}
