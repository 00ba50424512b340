import { z } from 'zod';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { answersStatus } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { pagingFields, skippedBy, viewPageMeta } from '../http/paging.ts';
import { common, companyEvent, langField, pageMeta, withWords } from './event.ts';
import { filterFields, resolveFeedFilter } from './filter.ts';
import { answerTagged, tagged } from './tagged-answer.ts';

export const feedPage = endpoint(
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
