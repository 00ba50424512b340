import { describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';

const day = '/api/v1/stats/day/2026-01-01';
const range = '/api/v1/stats/range/2026-01-01';

const database = await createTestDatabase();
let clock_ms = 0;
const now = (): Date => new Date(Date.now() + clock_ms);

const startApi = () => startTestApi({ db: database.kysely, now });

const ten = Array.from({ length: 10 }, () => day);

/** Sends requests one after the other from one client address. Returns the statuses in the order of the requests. */
async function statusesOf(api: TestApi, paths: string[], address: string): Promise<number[]> {
  const statuses: number[] = [];
  for (const path of paths) statuses.push((await api.ask(path, { address })).status);
  return statuses;
}

describe('the limit of the statistics', () => {
  test('lets 10 through in a minute, over both paths, and then answers 429', async () => {
    const api = await startApi();
    const address = '192.0.2.1';
    const paths = Array.from({ length: 5 }, () => [day, range]).flat();
    const statuses = await statusesOf(api, paths, address);
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 404));

    for (const path of [day, range, '/api/v1/stats/day/nonsense']) {
      const response = await api.ask(path, { address });
      expect(response.status).toBe(429);
      expect(await response.json()).toEqual({ message: 'Too Many Attempts.' });
      const seconds = Number(response.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(50);
      expect(seconds).toBeLessThanOrEqual(60);
    }
    expect(await statusesOf(api, [day], '192.0.2.2')).toEqual([404]);
  });

  test('tells what is left', async () => {
    const api = await startApi();
    const { headers } = await api.ask(day, { address: '192.0.2.3' });
    expect(headers.get('ratelimit')).toMatch(/^"10-in-1min"; r=9; t=(60|59)$/);
    expect(headers.get('ratelimit-policy')).toMatch(/^"10-in-1min"; q=10; w=60; pk=:[\w+/=]+:$/);
    expect(headers.get('x-ratelimit-limit')).toBe('10');
    expect(headers.get('x-ratelimit-remaining')).toBe('9');
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000 + 50);
    expect(headers.get('retry-after')).toBeNull();
  });

  test('is not forgotten by a restart, and over after a minute', async () => {
    const address = '192.0.2.5';
    const before = await startApi();
    await statusesOf(before, ten, address);
    await before.close();

    const after = await startApi();
    expect(await statusesOf(after, [day], address)).toEqual([429]);
    clock_ms += 60_000;
    const statuses = await statusesOf(after, [...ten, day], address);
    expect(statuses).toEqual([...ten.map(() => 404), 429]);
  });

  test.each([
    ['2001:db8:1:200::1', '2001:db8:1:2ff:ffff::9', '2001:db8:1:300::1'],
    ['::ffff:192.0.2.6', '192.0.2.6', '::ffff:192.0.2.7'],
    ['198.51.100.1:1234', '198.51.100.1:9', '198.51.100.2:1234'],
    ['[2001:db8:2:100::1]:443', '[2001:db8:2:100::2]', '[2001:db8:2:200::1]:443'],
    ['192.0.2.9, 198.51.100.3:1234', '198.51.100.3', '192.0.2.9'],
  ])('counts %s and %s as one client, %s as another', async (one, same, other) => {
    const api = await startApi();
    await statusesOf(api, ten, one);
    expect(await statusesOf(api, [day], same)).toEqual([429]);
    expect(await statusesOf(api, [day], other)).toEqual([404]);
  });

  test('counts what names no address by the connection', async () => {
    const api = await startApi();
    const addresses = ['192.0.2.8:x', 'unknown', '"', 'fe80::1%a/9', '[192.0.2.8'];
    const remaining = await Promise.all(
      addresses.map(async (address) => {
        const { headers, status } = await api.ask(day, { address });
        expect(status).toBe(404);
        return Number(headers.get('x-ratelimit-remaining'));
      }),
    );
    expect(remaining.toSorted((a, b) => a - b)).toEqual([5, 6, 7, 8, 9]);
  });
});
