import { z } from 'zod';
import { readFeed } from '../../sql/feed.ts';
import { feedScope, readCursor, writeCursor } from '../../sql/feed-cursor.ts';
import { answersStatus, model, text } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { sizes } from '../figures/sizes.ts';
import { coded, invalid } from '../http/errors.ts';
import { wholeNumber } from '../http/page-numbers.ts';
import { common, companyEvent, feedMetaFields } from './event-fields.ts';
import { filterFields, resolveFeedFilter } from './filter.ts';
import { answerTagged, tagged } from './tagged-answer.ts';

const badCursor = 'must be the next_cursor of an answer with the same scope.';

// `event_id` is a deprecated field with the same value as `id`.
export const numbered = model('FeedEvent', {
  event_id: z.int().meta({ deprecated: true }),
  ...companyEvent.omit({ text: true }).shape,
});

// Returns events in the order of publication: the events of one nightly run follow each other (registry.event_range).
// Event ids are not in this order, since the nightly runs of several countries publish in parallel.
export const feed = endpoint(
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
    // `published` has the day of each registry's newest snapshot, by `published_days` of sql/function/16_run.sql.
    const { events, has_more, published } = part;
    return answerTagged(response, events, { next_cursor, has_more, published }, now());
  },
);
