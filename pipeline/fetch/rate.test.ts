import { describe, expect, test } from 'vitest';
import { Rate, type RateLimit, sleep } from './rate.ts';

/** The moments at which so many requests that come at once may pass. */
async function pass(rate: Rate, count: number): Promise<number[]> {
  const passed_ms: number[] = [];
  const turns = Array.from({ length: count }, () =>
    rate.take().then(() => passed_ms.push(performance.now())),
  );
  await Promise.all(turns);
  return passed_ms;
}

/** The shortest time in which one more than the limit has passed. */
function narrowest(passed_ms: readonly number[], { count }: RateLimit): number {
  return Math.min(...passed_ms.slice(count).map((moment, at) => moment - passed_ms[at]!));
}

describe('Rate', () => {
  test('lets at most the limit through in any stretch of time, for each of several limits', async () => {
    const short = { count: 3, window_ms: 30 };
    const long = { count: 10, window_ms: 200 };
    const passed_ms = await pass(new Rate([short, long]), 25);
    expect(passed_ms).toHaveLength(25);
    // A moment is noted a little late; were the windows fixed, two of them would meet.
    expect(narrowest(passed_ms, short)).toBeGreaterThan(short.window_ms * 0.6);
    expect(narrowest(passed_ms, long)).toBeGreaterThan(long.window_ms * 0.6);
  });

  test('holds nobody up below the limit', async () => {
    const rate = new Rate([{ count: 5, window_ms: 3_600_000 }]);
    expect(await pass(rate, 5)).toHaveLength(5);
  });

  test('a pause holds everybody back, also those who wait already', async () => {
    const rate = new Rate([{ count: 1, window_ms: 20 }]);
    const started_ms = performance.now();
    const passing = pass(rate, 3);
    rate.pause(150);
    const passed_ms = await passing;
    expect(passed_ms[0]! - started_ms).toBeGreaterThanOrEqual(149);
  });

  test('whoever gives up frees the turn of those behind', async () => {
    const rate = new Rate([{ count: 1, window_ms: 50 }]);
    await rate.take();
    const controller = new AbortController();
    const given = rate.take(controller.signal);
    const behind = rate.take();
    controller.abort(new Error('told to end'));
    await expect(given).rejects.toThrow('told to end');
    await expect(behind).resolves.toBeUndefined();
  });
});

describe('sleep', () => {
  test('ends with the reason of the signal', async () => {
    const reason = new Error('told to end');
    await expect(sleep(3_600_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
