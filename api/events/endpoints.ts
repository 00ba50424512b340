import { z } from 'zod';
import { answersStatus, model, text } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { readFeed } from '../../sql/feed.ts';
import { feedScope, readCursor, writeCursor } from '../../sql/feed-cursor.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { sizes } from '../figures/sizes.ts';
import { coded, invalid } from '../http/errors.ts';
import { pagingFields, skippedBy, viewPageMeta, wholeNumber } from '../http/paging.ts';
import {
  answerTagged,
  common,
  companyEvent,
  feedMetaFields,
  langField,
  pageMeta,
  tagged,
  withWords,
} from './event.ts';
import { filterFields, resolveFeedFilter } from './filter.ts';
import { historyEndpoints } from './history.ts';

const feedPage = endpoint(
  {
    ...common,
    path: '/watchlist/events',
    summary: 'List the events of the companies that are watched',
    query: z.strictObject({ ...filterFields, lang: langField, ...pagingFields }),
    ...tagged,
    ...answersStatus(z.array(companyEvent), pageMeta),
  },
  async ({ query, caller, response, options: { readers, now } }) => {
    const { lang, per_page } = query;
    const filter = await resolveFeedFilter(readers.db, query);
    // The daily counts of a feed know types and countries alone.
    const { sources, regions, legal_forms, activity_prefixes } = filter;
    const isCounted = !sources && !regions && !legal_forms && !activity_prefixes;
    const file = isCounted ? 'api/read_feed_page.sql' : 'api/read_feed_rows.sql';
    const values = [caller.account_id, JSON.stringify(filter), skippedBy(query), per_page];
    type Page = { total: number; events: string; published: Record<string, string> };
    const [found] = await readers.read(
      (db) => runPrepared<Page>(db, file, values),
      caller.snapshot_no,
    );
    const { total, events, published } = found!;
    const meta = { ...viewPageMeta(query, total), published };
    if (lang === undefined) return answerTagged(response, events, meta, now());
    const items = JSON.parse(events) as z.output<typeof companyEvent>[];
    const told = withWords(items, lang, (one) => one.identifier_type);
    return answerTagged(response, JSON.stringify(told), meta, now());
  },
);

const badCursor = 'must be the next_cursor of an answer with the same scope.';

// `event_id` is the older, deprecated name of `id` in the feed.
export const numbered = model('FeedEvent', {
  event_id: z.int().meta({ deprecated: true }),
  ...companyEvent.omit({ text: true }).shape,
});

// The feed lists events in the order of publication: the events of a nightly run are contiguous (registry.event_range).
// Numbers of events are in another order, since nightly runs of several countries publish in parallel.
const feed = endpoint(
  {
    ...common,
    path: '/events/feed',
    summary: 'Read events on from where the last answer ended',
    query: z
      .strictObject({
        scope: feedScope.default('watched'),
        ...filterFields,
        after: z.string().max(100, { abort: true }).optional(),
        limit: wholeNumber(sizes.feed, 100),
      })
      .refine(({ scope, after }) => after === undefined || readCursor(after)?.scope === scope, {
        path: ['after'],
        ...coded('bad_cursor', badCursor),
      }),
    ...tagged,
    ...answersStatus(
      z.array(numbered),
      z.strictObject({ next_cursor: text, has_more: z.boolean(), ...feedMetaFields }),
    ),
  },
  async ({ query: { after, limit, ...asked }, caller, response, options: { readers, now } }) => {
    const { scope } = asked;
    const { account_id, snapshot_no } = caller;
    const filter = await resolveFeedFilter(readers.db, asked);
    const { event_id = '0' } = readCursor(after ?? '') ?? {};
    const request = { account_id, scope, after: event_id, limit, filter };
    const part = await readers.read((db) => readFeed(db, request), snapshot_no);
    if (!part) throw invalid([['after', `The after field ${badCursor}`, 'bad_cursor']]);
    const next_cursor = writeCursor({ scope, event_id: part.last_event_id });
    const { events, has_more, published } = part;
    return answerTagged(response, events, { next_cursor, has_more, published }, now());
  },
);

export const eventEndpoints = [...historyEndpoints, feedPage, feed];
