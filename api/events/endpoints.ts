import { z } from 'zod';
import { answersStatus, model, text, time } from '../endpoint/answers.ts';
import { endpoint, writeSuccess } from '../endpoint/endpoint.ts';
import { feedScope, readCursor, writeCursor } from '../../sql/feed-cursor.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Db } from '../../sql/connection/kysely.ts';
import { findNear } from '../../sql/process/suggest.ts';
import { chooseCountries, countriesField } from '../dictionaries/countries.ts';
import { eventTypeName, readEventTypes } from '../dictionaries/names.ts';
import { invalid } from '../http/errors.ts';
import { dateField } from '../http/field.ts';
import { pagingFields, skippedBy, viewPageMeta, wholeNumber } from '../http/paging.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { common, companyEvent, langField, pageMeta, withWords } from './event.ts';
import examples from './examples.json' with { type: 'json' };
import { historyEndpoints } from './history.ts';

const example = { ...examples.event, ...examples.company, submitted_identifier: '010778878' };

/** Throws a 422 for an event type that the dictionary lacks. The message names up to three similar types. */
async function requireEventType(db: Db, event_type: string): Promise<void> {
  const known = (await readEventTypes(db)).map((type) => type.event_type);
  if (known.includes(event_type)) return;
  const near = findNear(event_type.toUpperCase(), known, 3);
  const hint = near.length > 0 ? ` such as ${near.join(', ')}` : '';
  const message = `The event_type field must be the name of an event type${hint}.`;
  throw invalid([['event_type', message]]);
}

const feedPage = endpoint(
  {
    ...common,
    path: '/watchlist/events',
    summary: 'List the events of the companies that are watched',
    query: z
      .strictObject({
        country: countriesField,
        event_type: eventTypeName.optional(),
        from_date: dateField('from_date').optional(),
        to_date: dateField('to_date').optional(),
        lang: langField,
        ...pagingFields,
      })
      .refine(({ from_date: from, to_date: to }) => !from || !to || from <= to, {
        path: ['to_date'],
        error: 'The to_date field must not be before from_date.',
      }),
    ...answersStatus([z.array(companyEvent), [example]], [pageMeta, examples.meta]),
  },
  async ({ query, caller, options: { readers, now } }) => {
    const { event_type, from_date, to_date, lang, per_page, country } = query;
    // Null means all countries.
    const countries = country === undefined ? null : await chooseCountries(readers.db, country);
    const filter = [caller.account_id, event_type, from_date, to_date];
    const values = [...filter, skippedBy(query), per_page, countries];
    const file = 'api/read_feed_page.sql';
    type Page = { total: number; events: string };
    const [page] = await readers.read(
      (db) => runPrepared<Page>(db, file, values),
      caller.snapshot_no,
    );
    // A type that the dictionary lacks has no events.
    if (event_type !== undefined && page!.total === 0)
      await requireEventType(readers.db, event_type);
    const meta = { ...viewPageMeta(query, page!.total), fetched_at: formatTimestamp(now()) };
    if (lang === undefined) return writeSuccess(page!.events, meta);
    const events = JSON.parse(page!.events) as z.output<typeof companyEvent>[];
    const data = withWords(events, lang, (one) => one.identifier_type);
    return { status: 'success', data, meta };
  },
);

const badCursor = 'The after field must be the next_cursor of an answer with the same scope.';

// `event_id` is the older, deprecated name of `id` in the feed.
const numbered = model('FeedEvent', {
  event_id: z.int().meta({ deprecated: true }),
  ...companyEvent.omit({ text: true }).shape,
});

interface FeedPart {
  events: string;
  last_event_id: string;
  has_more: boolean;
  published: Record<string, string>;
}

// The feed lists events in the order of publication, where a nightly run has one place (registry.event_range).
// Numbers of events are in another order, since nightly runs of several countries publish in parallel.
const feed = endpoint(
  {
    ...common,
    path: '/events/feed',
    summary: 'Read events on from where the last answer ended',
    query: z
      .strictObject({
        scope: feedScope.default('watched'),
        country: countriesField,
        after: z.string().max(100, { abort: true }).optional(),
        // `sql/api/read_feed.sql` repeats the limit of 1000 events per answer.
        limit: wholeNumber('limit', 1000, 100),
      })
      .refine(({ scope, after }) => after === undefined || readCursor(after)?.scope === scope, {
        path: ['after'],
        error: badCursor,
      }),
    ...answersStatus(
      [z.array(numbered), [{ event_id: example.id, ...example }]],
      [
        z.strictObject({
          next_cursor: text,
          has_more: z.boolean(),
          published: z.record(z.string(), z.iso.date()),
          fetched_at: time,
        }),
        {
          next_cursor: writeCursor({ scope: 'watched', event_id: '4711' }),
          ...examples.feed,
        },
      ],
    ),
  },
  async ({ query: { scope, country, after, limit }, caller, options: { readers, now } }) => {
    const isOfAll = scope === 'watched' && country === undefined;
    const countries = isOfAll ? null : await chooseCountries(readers.db, country);
    const { event_id = '0' } = readCursor(after ?? '') ?? {};
    const values = [caller.account_id, scope, event_id, limit, countries];
    const [part] = await readers.read(
      (db) => runPrepared<FeedPart>(db, 'api/read_feed.sql', values),
      caller.snapshot_no,
    );
    if (!part) throw invalid([['after', badCursor]]);
    const next_cursor = writeCursor({ scope, event_id: part.last_event_id });
    const { events, has_more, published } = part;
    const meta = { next_cursor, has_more, published, fetched_at: formatTimestamp(now()) };
    return writeSuccess(events, meta);
  },
);

export const eventEndpoints = [...historyEndpoints, feedPage, feed];
