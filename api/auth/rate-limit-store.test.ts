import { afterAll, beforeAll, describe, expect, test, onTestFinished } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { connect, type Database } from '../../sql/connection/database.ts';
import { openKysely } from '../../sql/connection/kysely.ts';
import { createLimitStore } from './rate-limit.ts';

let database: TestDatabase;
const now = (): Date => new Date();

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

/** Another process, as far as the database can tell. */
async function connectAgain(): Promise<Database> {
  const other = await connect({ databaseUrl: database.url, dataDir: '', applicationName: 'other' });
  onTestFinished(() => other.close());
  return other;
}

describe('createLimitStore', () => {
  test('gives each of many hits at once its own count, over two processes', async () => {
    const other = await connectAgain();
    const stores = [openKysely(database.pool), openKysely(other.pool)].map((gate) =>
      createLimitStore({ gate, now }, { name: 'many', request_count: 1_000, window_ms: 60_000 }),
    );
    const hits = await Promise.all(
      Array.from({ length: 600 }, (_, at) => stores[at % 2]!.increment('one')),
    );
    const counts = hits.map((hit) => hit.totalHits).toSorted((a, b) => a - b);
    expect(counts).toEqual(Array.from({ length: 600 }, (_, at) => at + 1));
    expect(new Set(hits.map((hit) => hit.resetTime?.getTime())).size).toBe(1);
  });

  test('lets a client wait that is refused for the eleventh time in a window, and no other', async () => {
    const limit = { name: 'late', request_count: 1, window_ms: 60_000 };
    const store = createLimitStore({ gate: openKysely(database.pool), now }, limit);
    // The first one is in the limit, and the second one fills the window.
    for (let at = 0; at < 12; at += 1) await store.increment('one');
    const late = store.increment('one').then(() => 'late');
    const other = store.increment('other').then(() => 'other');
    expect(await Promise.race([late, other])).toBe('other');
    expect(await late).toBe('late');
  });

  test('never waits in a circle, whatever the order of the keys', async () => {
    const other = await connectAgain();
    const keys = Array.from({ length: 40 }, (_, at) => `key ${at}`);
    const rounds = [
      openKysely(database.pool),
      openKysely(other.pool),
      openKysely(database.pool),
      openKysely(other.pool),
    ].map(async (gate, at) => {
      const store = createLimitStore(
        { gate, now },
        { name: 'circle', request_count: 1_000, window_ms: 60_000 },
      );
      const ordered = at % 2 === 0 ? keys : keys.toReversed();
      for (let round = 0; round < 25; round += 1) {
        await Promise.all(ordered.map((key) => store.increment(key)));
      }
    });
    await Promise.all(rounds);
    const { rows } = await database.pool.query(
      `select distinct hit_count from customer.rate_limit where limit_key like 'circle:%'`,
    );
    expect(rows).toEqual([{ hit_count: '100' }]);
  });

  test('begins to count again when a window has closed, however many hits come together', async () => {
    let at = Date.parse('2026-01-01T00:00:00Z');
    const store = createLimitStore(
      { gate: openKysely(database.pool), now: () => new Date(at) },
      { name: 'again', request_count: 1_000, window_ms: 1000 },
    );
    const hit = async (): Promise<number[]> => {
      const hits = await Promise.all(['a', 'b', 'a', 'a'].map((key) => store.increment(key)));
      return hits.map(({ totalHits }) => totalHits);
    };
    expect(await hit()).toEqual([1, 1, 2, 3]);
    at += 999;
    expect(await hit()).toEqual([4, 2, 5, 6]);
    at += 1;
    expect(await hit()).toEqual([1, 1, 2, 3]);
    expect(await store.increment('a')).toEqual({
      totalHits: 4,
      resetTime: new Date(at + 1000),
    });
  });

  test('asks for a window that it has seen full again when it has closed, and not before', async () => {
    let at = Date.parse('2026-01-01T00:00:00Z');
    const store = createLimitStore(
      { gate: openKysely(database.pool), now: () => new Date(at) },
      { name: 'full', request_count: 2, window_ms: 1000 },
    );
    const totals: number[] = [];
    for (let hit = 0; hit < 6; hit += 1) totals.push((await store.increment('a')).totalHits);
    expect(totals).toEqual([1, 2, 3, 3, 3, 3]);
    const { rows } = await database.pool.query(
      `select hit_count from customer.rate_limit where limit_key = 'full:a'`,
    );
    expect(rows).toEqual([{ hit_count: '3' }]);
    at += 1000;
    expect(await store.increment('a')).toMatchObject({ totalHits: 1 });
  });

  test('tells each of the hits when it cannot count', async () => {
    const other = await connectAgain();
    const store = createLimitStore(
      { gate: openKysely(other.pool), now },
      { name: 'away', request_count: 1_000, window_ms: 60_000 },
    );
    await store.increment('a');
    await other.close();
    const hits = await Promise.allSettled(['a', 'b', 'a'].map((key) => store.increment(key)));
    expect(hits.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});
