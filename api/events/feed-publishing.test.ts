// Tests what readers of the API see while a nightly job publishes its changes.
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { expectedEvents } from '../../fixtures/expected.ts';
import { createFirstDay, runFixture } from '../../fixtures/dump/night.ts';
import {
  createWatcher,
  type FeedEvent,
  type FeedPage,
  type FeedPart,
} from '../../fixtures/client/watcher.ts';
import { countWaiting, hold } from '../../fixtures/database/locks.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { lockPublishing } from '../../pipeline/night/lock.ts';

const nips = ['1000201006', '1003201001', '1001001002', '1001203007', '1001401003', '1002802000'];

const { database, api } = await useApi({}, createFirstDay);
const watcher = await createWatcher(database, api);
await watcher.watch(...nips);
await runFixture(database, '2026-11-03');

const readFeed = (after?: string, limit = 2) =>
  watcher.read<FeedPart>(
    `/events/feed?limit=${limit}${after === undefined ? '' : `&after=${after}`}`,
  );

const readPage = (page: number) =>
  watcher.read<FeedPage>(`/watchlist/events?per_page=2&page=${page}`);

const countOf = (...dates: string[]) =>
  expectedEvents.filter(({ nip, event_date }) => nips.includes(nip!) && dates.includes(event_date))
    .length;

/**
 * Locks the account's row, so that a nightly job halts in the middle of its publication. Returns the function that
 * releases the lock.
 */
const holdAccount = () =>
  hold(database.pool, 'select from customer.account where account_id = $1 for update', [
    watcher.account_id,
  ]);

const untilWaiting = async () => {
  while ((await countWaiting(database.pool)) === 0) await delay(20);
};

describe('a night in the middle of reading', () => {
  const told: FeedEvent[] = [];

  test('shows nothing before it is published, and then lets the cursor go on', async () => {
    const first = await readFeed();
    told.push(...first.data);
    const letGo = await holdAccount();
    const night = runFixture(database, '2026-11-04');
    await untilWaiting();
    // The events of the halted nightly job have event numbers already, but their transaction is not committed.
    const before = await readFeed(first.meta.next_cursor, 1000);
    expect(before.data).toHaveLength(countOf('2026-11-03') - 2);
    expect(before.meta.has_more).toBe(false);
    expect((await watcher.read<FeedPage>('/watchlist/events')).meta.total).toBe(
      countOf('2026-11-03'),
    );
    told.push(...before.data);
    await letGo();
    await night;
    const after = await readFeed(before.meta.next_cursor, 1000);
    expect(after.data).toHaveLength(countOf('2026-11-04'));
    told.push(...after.data);
  });

  test('makes no event missed or told twice', () => {
    const ids = told.map(({ event_id }) => event_id!);
    expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
    expect(told).toHaveLength(countOf('2026-11-03', '2026-11-04'));
    expect(countOf('2026-11-04')).toBeGreaterThan(3);
  });

  test('lets no other source publish, so that no smaller number comes later', async () => {
    const letGo = await holdAccount();
    const night = runFixture(database, '2026-11-05');
    let hasEnded = false;
    const watchNight = night.then(() => (hasEnded = true));
    const other = await database.pool.connect();
    try {
      await untilWaiting();
      const waiting = Promise.withResolvers<void>();
      let isLocked = false;
      const lock = lockPublishing(other, 'PL', waiting.resolve).then(() => (isLocked = true));
      await waiting.promise;
      expect([hasEnded, isLocked]).toEqual([false, false]);
      await letGo();
      await lock;
      // The events of the first nightly job are visible before the second nightly job can begin.
      const { rows } = await other.query<{ count: number }>(
        `select count(*)::int from registry.event where event_date = '2026-11-05'`,
      );
      expect(rows[0]!.count).toBeGreaterThan(10);
      await watchNight;
    } finally {
      other.release(true);
    }
  });

  test('moves the pages of the list on, whose newest events come first', async () => {
    const before = await readPage(1);
    await runFixture(database, '2026-11-06');
    const count = countOf('2026-11-06');
    expect(count % 2).toBe(1);
    const shifted = [
      ...(await readPage(1 + (count - 1) / 2)).data,
      ...(await readPage((count + 3) / 2)).data,
    ];
    expect(shifted.slice(1, 3)).toEqual(before.data);
    expect((await readPage(1)).meta.total).toBe(before.meta.total + count);
  });
});
