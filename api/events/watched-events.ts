import { readFileSync } from 'node:fs';
import { CompiledQuery } from 'kysely';
import { z } from 'zod';
import { answersStatus } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { pagingFields, skippedBy, viewPageMeta } from '../http/page-numbers.ts';
import { common, companyEvent, langField, pageMeta, withWords } from './event-fields.ts';
import { filterFields, resolveFeedFilter } from './filter.ts';
import { answerTagged, tagged } from './tagged-answer.ts';

// The query is not prepared, since PostgreSQL's generic plan for a prepared query would sort all events of an account.
const statement = readFileSync(
  new URL('../../sql/api/read_feed_page.sql', import.meta.url),
  'utf8',
);

/** A row of the query's result; `published` is described in `feedMetaFields` of event-fields.ts. */
type Page = { total: number; events: string; published: Record<string, string> };

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
    const values = [caller.account_id, JSON.stringify(filter), skippedBy(query), per_page];
    const { rows } = await readers.read(
      (db) => db.executeQuery<Page>(CompiledQuery.raw(statement, values)),
      caller.snapshot_no,
    );
    const { total, events, published } = rows[0]!;
    const meta = { ...viewPageMeta(query, total), published };
    if (lang === undefined) return answerTagged(response, events, meta, now());
    const items = JSON.parse(events) as z.output<typeof companyEvent>[];
    const told = withWords(items, lang, (one) => one.identifier_type);
    return answerTagged(response, JSON.stringify(told), meta, now());
  },
);
