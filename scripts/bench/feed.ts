// Measures how long the API takes for pages of a feed with a million events.
import { inSession } from '../../sql/connection/database.ts';
import { writeCursor } from '../../sql/feed-cursor.ts';
import { dayNumber, isoDate } from '../../fixtures/generator/calendar.ts';
import { dayCount, eventCount, fillFeeds } from '../../fixtures/generator/feed.ts';
import { askInTurn, judgeAnswers } from './load.ts';
import { createTokens, type Setting } from './setting.ts';

/** The number of first requests, which compile code and are not measured, and the number of measured requests. */
const [warmCount, requestCount] = [200, 1000];
/** The requests use this number of tokens in turn, so that no token reaches its rate limit. */
const tokenCount = 160;

const longestPart_ms = 10;
/** The limit in ms for the time of an answer that reads many events or companies. */
const longestScan_ms = 150;

const some = (count: number) => Math.floor(Math.random() * count);
const someDay = () => isoDate(dayNumber('2024-01-01') + some(dayCount));

const someCursor = (scope: 'watched' | 'all') =>
  writeCursor({ scope, event_id: String(1 + some(eventCount)) });

/** The measured requests, by the title in the output; each function returns the path of a random part of the feed. */
const questions: Record<string, (types: string[]) => string> = {
  '100 events from any cursor': () => `/events/feed?after=${someCursor('watched')}`,
  '100 events of all companies': () => `/events/feed?scope=all&after=${someCursor('all')}`,
  '100 severe events from any cursor': () =>
    `/events/feed?severity=critical,high&after=${someCursor('watched')}`,
};

/** Slow requests: the answer counts the events of the feed, or the filter discards most of the events that are read. */
const scans: typeof questions = {
  'The first page': () => '/watchlist/events',
  'Any page': () => `/watchlist/events?page=${1 + some(eventCount / 20)}`,
  'Any page of 100': () => `/watchlist/events?per_page=100&page=${1 + some(eventCount / 100)}`,
  'A page of one event type': (types) =>
    `/watchlist/events?event_type=${types[some(types.length)]}&page=${1 + some(50)}`,
  'A page of one country': () => `/watchlist/events?country=pl&page=${1 + some(eventCount / 20)}`,
  'A page from one day on': () => `/watchlist/events?from_date=${someDay()}&page=${1 + some(500)}`,
  'A page of one type up to one day': (types) =>
    `/watchlist/events?event_type=${types[some(types.length)]}&to_date=${someDay()}`,
  'A page of one class': () => `/watchlist/events?event_class=risk&page=${1 + some(50)}`,
  'A page of a region and an activity': () =>
    '/watchlist/events?voivodeship=opolskie&activity_prefix=01',
  'A rare type from any cursor': () =>
    `/events/feed?scope=all&event_type=COMPANY_WEBSITE_REMOVED&after=${someCursor('all')}`,
  'A region and an activity from any cursor': () =>
    `/events/feed?scope=all&voivodeship=opolskie&activity_prefix=01&after=${someCursor('all')}`,
  'A region and an activity of a watch list': () =>
    `/events/feed?voivodeship=opolskie&activity_prefix=01&after=${someCursor('watched')}`,
};

async function timePages(api: string, tokens: string[], types: string[]): Promise<void> {
  const time = (count: number, question: (typeof questions)[string]) => {
    const paths = Array.from({ length: count }, () => question(types));
    return askInTurn(api, paths, tokens);
  };
  for (const question of Object.values({ ...questions, ...scans })) await time(warmCount, question);
  for (const [name, question] of Object.entries({ ...questions, ...scans })) {
    const [count, p99] =
      name in scans ? [warmCount, longestScan_ms] : [requestCount, longestPart_ms];
    const title = `${name} of a feed of ${eventCount.toLocaleString('en')} events`;
    judgeAnswers(title, await time(count, question), { p99 });
  }
}

/** Writes a feed of 1,000,000 events, then measures requests for its pages. */
export async function benchFeed({ db, kysely, startApi }: Setting): Promise<void> {
  const { account_id, tokens } = await createTokens(kysely, tokenCount);
  await inSession(db.pool, (client) => fillFeeds(client, account_id));
  const rows = await kysely.selectFrom('registry.event_type').select('event_type').execute();
  const types = rows.map(({ event_type }) => event_type);
  await timePages(await startApi(), tokens, types);
}
