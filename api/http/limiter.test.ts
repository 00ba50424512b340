import { pino } from 'pino';
import { describe, expect, test, onTestFinished } from 'vitest';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { connect, type Database } from '../../sql/connection/database.ts';
import { type Db, openKysely } from '../../sql/connection/kysely.ts';
import { onlyWriter } from '../../sql/connection/readers.ts';
import type { RequestLimit } from '../figures/rate-limits.ts';
import { createLimiter } from './limiter.ts';

const database = await createTestDatabase();
const now = (): Date => new Date();

/** Opens database connections of their own, as another process would have them. */
async function connectAgain(): Promise<Database> {
  const other = await connect({
    DATABASE_URL: database.url,
    DATA_DIR: '',
    applicationName: 'other',
  });
  onTestFinished(() => other.close());
  return other;
}

const silent = { logger: pino({ level: 'silent' }) };

const minute = { request_count: 1_000, window_ms: 60_000 };

/**
 * Returns a function that counts a request with a key against the limit. With `gate`, the function stores its counts
 * like another process with these database connections.
 */
function createCounter(limit: RequestLimit, options: { gate?: Db; now?: () => Date } = {}) {
  const all = { gate: database.kysely, now, ...options };
  const limiter = createLimiter({ ...silent, readers: onlyWriter(all.gate), ...all });
  return (key: string) => limiter.hit(limit, key);
}

describe('the counts of the limiter', () => {
  test('gives each of many hits at once its own count, over two processes', async () => {
    const other = await connectAgain();
    const counters = [database.kysely, openKysely(other.pool)].map((gate) =>
      createCounter({ name: 'many', ...minute }, { gate }),
    );
    const hits = await Promise.all(
      Array.from({ length: 600 }, (_, at) => counters[at % 2]!('one')),
    );
    const counts = hits.map((hit) => hit.totalHits).toSorted((a, b) => a - b);
    expect(counts).toEqual(Array.from({ length: 600 }, (_, at) => at + 1));
    expect(new Set(hits.map((hit) => hit.resetTime?.getTime())).size).toBe(1);
  });

  test('lets a client wait that is refused for the eleventh time in a window, and no other', async () => {
    const count = createCounter({ name: 'late', request_count: 1, window_ms: 60_000 });
    // The first request is within the limit, the second one exceeds it, and the next ten are refused without delay.
    for (let at = 0; at < 12; at += 1) await count('one');
    const late = count('one').then(() => 'late');
    const other = count('other').then(() => 'other');
    expect(await Promise.race([late, other])).toBe('other');
    expect(await late).toBe('late');
  });

  test('never waits in a circle, whatever the order of the keys', async () => {
    const other = await connectAgain();
    const keys = Array.from({ length: 40 }, (_, at) => `key ${at}`);
    const gates = [database.pool, other.pool, database.pool, other.pool].map(openKysely);
    const rounds = gates.map(async (gate, at) => {
      const count = createCounter({ name: 'circle', ...minute }, { gate });
      const ordered = at % 2 === 0 ? keys : keys.toReversed();
      for (let round = 0; round < 25; round += 1) {
        await Promise.all(ordered.map((key) => count(key)));
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
    const limit = { name: 'again', request_count: 1_000, window_ms: 1000 };
    const count = createCounter(limit, { now: () => new Date(at) });
    const hit = async (): Promise<number[]> => {
      const hits = await Promise.all(['a', 'b', 'a', 'a'].map((key) => count(key)));
      return hits.map(({ totalHits }) => totalHits);
    };
    expect(await hit()).toEqual([1, 1, 2, 3]);
    at += 999;
    expect(await hit()).toEqual([4, 2, 5, 6]);
    at += 1;
    expect(await hit()).toEqual([1, 1, 2, 3]);
    expect(await count('a')).toEqual({ totalHits: 4, resetTime: new Date(at + 1000) });
  });

  test('asks for a window that it has seen full again when it has closed, and not before', async () => {
    let at = Date.parse('2026-01-01T00:00:00Z');
    const limit = { name: 'full', request_count: 2, window_ms: 1000 };
    const count = createCounter(limit, { now: () => new Date(at) });
    const totals: number[] = [];
    for (let hit = 0; hit < 6; hit += 1) totals.push((await count('a')).totalHits);
    expect(totals).toEqual([1, 2, 3, 3, 3, 3]);
    const { rows } = await database.pool.query(
      `select hit_count from customer.rate_limit where limit_key = 'full:a'`,
    );
    expect(rows).toEqual([{ hit_count: '3' }]);
    at += 1000;
    expect(await count('a')).toMatchObject({ totalHits: 1 });
  });

  test('tells each of the hits when it cannot count', async () => {
    const other = await connectAgain();
    const count = createCounter({ name: 'away', ...minute }, { gate: openKysely(other.pool) });
    await count('a');
    await other.close();
    const hits = await Promise.allSettled(['a', 'b', 'a'].map((key) => count(key)));
    expect(hits.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  test('allow as many as the limit has, for each key', async () => {
    let at = Date.parse('2026-01-01T00:00:00Z');
    const limit = { name: 'letters', request_count: 2, window_ms: 1000 };
    const gate = database.kysely;
    const limiter = createLimiter({
      ...silent,
      gate,
      readers: onlyWriter(gate),
      now: () => new Date(at),
    });
    const isAllowed = (key: string) => limiter.isAllowed(limit, key);
    expect(await isAllowed('a')).toBe(true);
    expect(await isAllowed('a')).toBe(true);
    expect(await isAllowed('a')).toBe(false);
    const refused = { status: 429, message: 'Too Many Attempts.' };
    await expect(limiter.count(limit, 'a')).rejects.toMatchObject(refused);
    expect(await isAllowed('b')).toBe(true);
    at += 1000;
    expect(await isAllowed('a')).toBe(true);
  });
});
