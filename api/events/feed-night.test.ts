import { describe, expect, test } from 'vitest';
import { expectedEvents, type ExpectedEvent } from '../../fixtures/expected.ts';
import { runFixture } from '../../fixtures/dump/night.ts';
import {
  createWatcher,
  type FeedEvent,
  type FeedPage,
  type Watcher,
} from '../../fixtures/client/watcher.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { inSession } from '../../sql/connection/database.ts';

const bakery = '1000201006';
const gym = '1003201001';
const weaver = '1001001002';
const petShop = '1001401003';
const unchanged = '1000202000';

type Watched = Record<'primary_identifier' | 'events_count' | 'last_event_at', unknown>;

/** The events and the watch list that each watching account reads after each day, by day. */
const seen: Record<string, { early: FeedEvent[]; late: FeedEvent[]; watched: Watched[] }> = {};

async function feedOf(watcher: Watcher): Promise<FeedEvent[]> {
  const { data, meta } = await watcher.read<FeedPage>('/watchlist/events?per_page=100');
  expect(meta.total).toBe(data.length);
  return data;
}

async function runDay(date: string): Promise<void> {
  await runFixture(database, date, { now: () => new Date(`${date}T05:00:00.123Z`) });
  const { data: watched } = await early.read<{ data: Watched[] }>('/companies/watched');
  seen[date] = { early: await feedOf(early), late: await feedOf(late), watched };
}

const { database, api } = await useApi();
// The account `early` watches companies from the baseline on, and `late` from 2026-11-03 to 2026-11-05. The account
// `idle` watches a company that never changes.
const [early, late, idle] = await Promise.all([
  createWatcher(database, api),
  createWatcher(database, api),
  createWatcher(database, api),
]);
await runFixture(database, '2026-11-02', { now: () => new Date('2026-11-02T05:00:00Z') });
await early.watch(bakery, gym, weaver, petShop);
await idle.watch(unchanged);
await runDay('2026-11-03');
await late.watch(bakery, petShop);
await runDay('2026-11-04');
await runDay('2026-11-05');
await late.unwatch(petShop);
await early.unwatch(weaver);
await runDay('2026-11-06');

function told({ event_date, event_type, old_value, new_value }: FeedEvent | ExpectedEvent): string {
  return `${event_date} ${event_type} ${old_value} -> ${new_value}`;
}

/** Returns the expected events of the companies with the given NIPs, from one day to another, as sorted texts. */
function expectedOf(nips: string[], from: string, to: string): string[] {
  return expectedEvents
    .filter(({ nip, event_date }) => nips.includes(nip!) && event_date >= from && event_date <= to)
    .map(told)
    .toSorted();
}

describe('a feed', () => {
  test.each(['2026-11-03', '2026-11-04', '2026-11-05'])(
    'has on %s what happened since the company is watched',
    (date) => {
      const nips = [bakery, gym, weaver, petShop];
      const expected = expectedOf(nips, '2026-11-03', date);
      expect(seen[date]!.early.map(told).toSorted()).toEqual(expected);
      expect(expected.length).toBeGreaterThanOrEqual(6);
    },
  );

  test('does not have what happened before', () => {
    const expected = expectedOf([petShop], '2026-11-04', '2026-11-05');
    expect(expected).toHaveLength(1);
    expect(seen['2026-11-03']!.late).toEqual([]);
    expect(seen['2026-11-05']!.late.map(told)).toEqual(expected);
  });

  test('loses a company that is removed, and gets nothing more of it', () => {
    const expected = expectedOf([bakery, gym, petShop], '2026-11-03', '2026-11-06');
    expect(seen['2026-11-06']!.early.map(told).toSorted()).toEqual(expected);
    expect(seen['2026-11-06']!.late.map(told)).toEqual([
      '2026-11-06 COMPANY_PHONE_REMOVED 400202101 -> null',
    ]);
  });

  test('is empty while nothing happens', async () => {
    expect(await feedOf(idle)).toEqual([]);
    expect(await idle.read('/events/feed')).toMatchObject({ data: [], meta: { has_more: false } });
  });
});

const atNight = (date: string) => `${date}T05:00:00.123000Z`;
const byNumber = (date: string) =>
  Object.fromEntries(
    seen[date]!.watched.map((one) => [
      one.primary_identifier as string,
      [one.events_count, one.last_event_at],
    ]),
  );

test('a watched company counts its events and knows when the last one was published', () => {
  expect(byNumber('2026-11-03')).toEqual({
    [bakery]: [1, atNight('2026-11-03')],
    [gym]: [3, atNight('2026-11-03')],
    [weaver]: [1, atNight('2026-11-03')],
    [petShop]: [1, atNight('2026-11-03')],
  });
  expect(byNumber('2026-11-06')).toEqual({
    [bakery]: [2, atNight('2026-11-06')],
    [gym]: [3, atNight('2026-11-03')],
    [petShop]: [2, atNight('2026-11-05')],
  });
});

test('the counts of the watches are those of the rows', async () => {
  const counted = `select account_id, company_id, count(*)
    from customer.feed
    group by account_id, company_id`;
  const kept = `select account_id, company_id, events_count
    from customer.watch
    where events_count > 0`;
  const { rows } = await database.pool.query(
    `(${counted} except all ${kept}) union all (${kept} except all ${counted})`,
  );
  expect(rows).toEqual([]);
});

test('until it ends, the API of release 2.0.0 finds the counts of the rows of one account', async () => {
  const { rows } = await database.pool.query(`
    select account_id, event_date, coalesce(event_type, ''), country_code, count(*)
    from customer.feed join registry.company using (company_id)
    group by account_id, event_date, country_code, grouping sets ((event_type), ())
    except all
    select account_id, event_date, event_type, country_code, event_count from customer.feed_count`);
  expect(rows).toEqual([]);
  const plan = await inSession(database.pool, async (client) => {
    await client.query('begin; set local enable_seqscan = off');
    const { rows: lines } = await client.query<Record<string, string>>(
      'explain select * from customer.feed_count where account_id = 1',
    );
    await client.query('rollback');
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  });
  expect(plan.match(/on feed\b[^>]*Cond: \(account_id = /g)).toHaveLength(2);
});
