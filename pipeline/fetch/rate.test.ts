import { describe, expect, test } from 'vitest';
import { createClock } from '../../fixtures/registry/fetching.ts';
import { Rate, type RateLimit, type RateLimits } from './rate.ts';

const noon = '2026-11-20T11:00:00Z';

/** Returns the times in ms at which a rate limit lets `count` simultaneous requests pass. */
async function pass(rate: Rate, count: number): Promise<number[]> {
  const passed_ms: number[] = [];
  const turns = Array.from({ length: count }, () =>
    rate.take().then(() => passed_ms.push(rate.clock.now())),
  );
  await Promise.all(turns);
  return passed_ms;
}

/**
 * Returns the shortest time, in ms, in which `count + 1` requests passed, that is one more than the limit allows in a
 * window.
 */
function narrowest(passed_ms: readonly number[], { count }: RateLimit): number {
  return Math.min(...passed_ms.slice(count).map((moment, at) => moment - passed_ms[at]!));
}

function nightLimits(hour: number): RateLimit[] {
  return [{ count: hour < 8 ? 10 : 5, window_ms: 60_000 }];
}

describe('Rate', () => {
  test('lets at most the limit through in any stretch of time, for each of several limits', async () => {
    const short = { count: 3, window_ms: 30 };
    const long = { count: 10, window_ms: 200 };
    const passed_ms = await pass(new Rate(() => [short, long], createClock(noon)), 25);
    expect(passed_ms.slice(0, 3)).toEqual(Array(3).fill(Date.parse(noon)));
    expect(passed_ms).toHaveLength(25);
    // With fixed instead of sliding windows, two adjacent windows would let twice as many requests pass.
    expect(narrowest(passed_ms, short)).toBe(short.window_ms);
    expect(narrowest(passed_ms, long)).toBe(long.window_ms);
  });

  test('a pause holds back all requests, also those that wait already', async () => {
    const rate = new Rate(() => [{ count: 1, window_ms: 20 }], createClock(noon));
    const passing = pass(rate, 3);
    rate.pause(150);
    const [first, second] = await passing;
    expect(first).toBe(Date.parse(noon) + 150);
    expect(second).toBe(Date.parse(noon) + 170);
  });

  test('a request that is given up frees the turn of those behind', async () => {
    const rate = new Rate(() => [{ count: 1, window_ms: 50 }]);
    await rate.take();
    const controller = new AbortController();
    const given = rate.take(controller.signal);
    const behind = rate.take();
    controller.abort(new Error('told to end'));
    await expect(given).rejects.toThrow('told to end');
    await expect(behind).resolves.toBeUndefined();
  });

  test('has other limits at another hour in Poland', async () => {
    // At eight, one minute after the start, another limit applies; it counts the requests before eight too.
    const clock = createClock('2026-11-20T07:59:00+01:00');
    const start_ms = clock.now();
    const passed_ms = await pass(new Rate(nightLimits, clock), 20);
    const seconds = passed_ms.map((moment) => (moment - start_ms) / 1000);
    const counts = Map.groupBy(seconds, (second) => Math.floor(second / 60));
    expect([...counts].map(([minute, { length }]) => [minute, length])).toEqual([
      [0, 10],
      [1, 5],
      [2, 5],
    ]);
  });
});

function officeLimits(hour: number): RateLimit[] {
  return [
    { count: 100, window_ms: 60_000 },
    { count: hour < 12 ? 1000 : 2000, window_ms: 3_600_000 },
  ];
}

test.each<[string, RateLimits, number, number]>([
  ['the tightest limit', () => officeLimits(8), 4000, 4],
  ['the mean of all hours', officeLimits, 24_000, 16],
  ['no request', officeLimits, 0, 0],
  ['no limit', () => [], 4000, 0],
])('an estimate follows %s', (_, limits, count, hours) => {
  const rate = new Rate(limits, createClock('2026-11-20T08:00:00+01:00'));
  expect(rate.estimate_ms(count) / 3_600_000).toBeCloseTo(hours);
});
