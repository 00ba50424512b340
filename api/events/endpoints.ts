import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/kysely.ts';
import type { AppOptions } from '../app.ts';
import { endpoint, type Endpoint, writeSuccess } from '../http/endpoint.ts';
import { feedScope, readCursor, writeCursor } from '../../sql/feed-cursor.ts';
import { runPrepared } from '../../sql/prepared.ts';
import { findNear } from '../../sql/suggest.ts';
import { HttpError, invalid } from '../http/errors.ts';
import {
  findCompany,
  identifierType,
  identifierValue,
  type Numbers,
  primaryIdentifierOf,
  readIdentifier,
  unknownCompany,
  unknownCompanyErrors,
  validIdentifiers,
} from '../companies/identifier.ts';
import { eventTypeName, readEventTypes, severity } from '../dictionaries/names.ts';
import { dateField } from '../http/field.ts';
import { keep } from '../http/keep.ts';
import {
  pageMetaFields,
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

/** Of an event in a list with several companies. */
const companyFields = {
  primary_identifier: z.string().nullable(),
  identifier_type: identifierType.or(z.null()),
  company_name: z.string().nullable(),
  company_ref: z.string(),
  submitted_identifier: z.string().nullable(),
};

const event = z
  .strictObject(eventFields)
  .meta({ id: 'Event', description: 'A change of a company that a daily comparison found.' });
const companyEvent = z
  .strictObject({ ...eventFields, ...companyFields })
  .meta({ id: 'CompanyEvent', description: 'A change of one of several companies.' });
const fetched_at = z.iso.datetime({ offset: true });

const pageMeta = z
  .strictObject({ ...pageMetaFields, fetched_at })
  .meta({ id: 'EventPageMeta', description: 'Which page this is, and of how many.' });
const historyMeta = z
  .strictObject({
    ...pageMeta.shape,
    primary_identifier: companyFields.primary_identifier,
    identifier_type: companyFields.identifier_type,
    company_ref: companyFields.company_ref,
  })
  .meta({ id: 'HistoryMeta', description: 'Which page this is, of which company.' });

const eventExample = {
  id: 4711,
  event_type: 'COMPANY_NAME_CHANGED',
  old_value: 'Piekarnia Nowak',
  new_value: 'Piekarnia Anna Nowak',
  event_date: '2026-11-06',
  severity: 'warning',
};

const companyExample = {
  primary_identifier: '5260250274',
  identifier_type: 'NIP',
  company_name: 'Piekarnia Anna Nowak',
  company_ref: '10482',
  submitted_identifier: '010778878',
};

const metaExample = {
  total: 1,
  per_page: 20,
  current_page: 1,
  last_page: 1,
  fetched_at: '2026-11-07T06:00:00+00:00',
};

/** A page of the events of a company, the newest first, their count, and the numbers of today. */
async function findHistory(db: Db, company_id: string, paging: Paging) {
  const { rows } = await sql<Numbers & { total: number; events: object[] }>`
    select
        company.nip,
        company.regon9,
        company.krs,
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
                limit ${paging.per_page} offset ${skippedBy(paging)}
            ) as page
        ) as events
    from registry.company
    where company.company_id = ${company_id}
  `.execute(db);
  return rows[0]!;
}

function history({ db, now }: AppOptions): Endpoint {
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
        meta: {
          ...metaExample,
          primary_identifier: companyExample.primary_identifier,
          identifier_type: companyExample.identifier_type,
          company_ref: companyExample.company_ref,
        },
      },
      errors: unknownCompanyErrors,
    },
    async ({ query }) => {
      const company_ref = await findCompany(db, readIdentifier(query));
      if (company_ref === null) throw new HttpError(404, unknownCompany);
      const { total, events, ...numbers } = await findHistory(db, company_ref, query);
      const primary = primaryIdentifierOf(numbers);
      const meta = {
        ...viewPageMeta(query, total),
        fetched_at: formatTimestamp(now()),
        primary_identifier: primary?.identifier_value ?? null,
        identifier_type: primary?.identifier_type ?? null,
        company_ref,
      };
      return { status: 'success', data: { events }, meta };
    },
  );
}

const feedPageQuery = z
  .strictObject({
    event_type: eventTypeName.optional(),
    from_date: dateField('from_date').optional(),
    to_date: dateField('to_date').optional(),
    ...pagingFields,
  })
  .refine(({ from_date: from, to_date: to }) => !from || !to || from <= to, {
    path: ['to_date'],
    error: 'The to_date field must not be before from_date.',
  });

const nearCount = 3;

/** The 422 of an event type that is not in the dictionary; it names similar types. */
function unknownEventType(event_type: string, known: readonly string[]) {
  const near = findNear(event_type.toUpperCase(), known, nearCount);
  const hint = near.length > 0 ? ` such as ${near.join(', ')}` : '';
  return invalid([
    ['event_type', `The event_type field must be the name of an event type${hint}.`],
  ]);
}

function feedPage({ db, now }: AppOptions): Endpoint {
  const readTypes = keep(() => readEventTypes(db));
  return endpoint(
    {
      ...common,
      path: '/watchlist/events',
      summary: 'List the events of the companies that are watched',
      description:
        'Those that happened since a company is watched, the newest first. What a night adds moves all pages on: whoever wants every event once reads `GET /events/feed`.',
      query: feedPageQuery,
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

/** Events of the largest answer. `sql/api/read_feed.sql` reads one more. */
const highestLimit = 1000;
const defaultLimit = 100;
const longestCursor = 100;

const badCursor = 'The after field must be the next_cursor of an answer with the same scope.';

const feedQuery = z
  .strictObject({
    scope: feedScope.default('watched'),
    after: z.string().max(longestCursor, { abort: true }).optional(),
    limit: wholeNumber('limit', highestLimit, defaultLimit),
  })
  .refine(({ scope, after }) => after === undefined || readCursor(after)?.scope === scope, {
    path: ['after'],
    error: badCursor,
  });

// `event_id` equals `id`: the feed had the number before the other lists.
const numbered = z
  .strictObject({ event_id: z.int(), ...companyEvent.shape })
  .meta({ id: 'FeedEvent', description: 'An event of the feed by cursor.' });

/** The events after a position as JSON, the oldest first. */
interface FeedPart {
  events: string;
  last_event_id: string | null;
  has_more: boolean;
  /** Whether there is such a position. */
  is_published: boolean;
}

// Events are numbered in the order of publication: nights publish one after another, each in one
// transaction that holds a lock. A client that has seen an event has missed none with a smaller number.
function feed({ db, now }: AppOptions): Endpoint {
  return endpoint(
    {
      ...common,
      path: '/events/feed',
      summary: 'Read events on from where the last answer ended',
      description:
        'In the order in which they were published, each exactly once: of the companies that are watched, or with `scope=all` of the whole registry. Without `after` it begins with the first event. `next_cursor` is always there and never expires: asked for again later, it gives what has been published since.',
      query: feedQuery,
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
      const first = (after !== undefined && readCursor(after)) || { scope, event_id: '0' };
      const values = [caller.account_id, scope, first.event_id, limit];
      const [part] = await runPrepared<FeedPart>(db, 'api/read_feed.sql', values);
      const { events, last_event_id, has_more, is_published } = part!;
      if (!is_published) throw invalid([['after', badCursor]]);
      const next_cursor = writeCursor({ scope, event_id: last_event_id ?? first.event_id });
      return writeSuccess(events, { next_cursor, has_more, fetched_at: formatTimestamp(now()) });
    },
  );
}

export function eventEndpoints(options: AppOptions): Endpoint[] {
  return [history(options), feedPage(options), feed(options)];
}
