import { describe, expect, test } from 'vitest';
import { createBatch } from './batch.ts';

/** Creates a batch function whose running batch ends when the test calls `end`. */
function createHeld(mostRunning?: number) {
  const batches: number[][] = [];
  const ends: (() => void)[] = [];
  const ask = createBatch(async (items: number[]) => {
    batches.push(items);
    await new Promise<void>((end) => ends.push(end));
    return items.map((item) => item * 10);
  }, mostRunning);
  return { ask, batches, end: () => ends.shift()!() };
}

/** Waits until all calls that the test has made are part of a batch or queued. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((next) => setImmediate(next));
}

describe('createBatch', () => {
  test('joins what is asked for while a batch is under way', async () => {
    const { ask, batches, end } = createHeld();
    const first = [ask(1), ask(2)];
    await settle();
    const second = [ask(3), ask(4), ask(5)];
    await settle();
    expect(batches).toEqual([[1, 2]]);
    end();
    expect(await Promise.all(first)).toEqual([10, 20]);
    await settle();
    expect(batches).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    end();
    expect(await Promise.all(second)).toEqual([30, 40, 50]);
  });

  test('runs as many at once as it may, and none of nothing', async () => {
    const { ask, batches, end } = createHeld(2);
    const asked = [ask(1), ask(2)];
    await settle();
    expect(batches).toEqual([[1, 2]]);
    asked.push(ask(3));
    await settle();
    asked.push(ask(4));
    await settle();
    expect(batches).toEqual([[1, 2], [3]]);
    end();
    await settle();
    expect(batches).toEqual([[1, 2], [3], [4]]);
    end();
    end();
    expect(await Promise.all(asked)).toEqual([10, 20, 30, 40]);
    await settle();
    expect(batches).toHaveLength(3);
  });

  // The test is retried, because a busy machine can halt the test for longer than the pause after a large batch.
  test('joins what is asked for soon after a large batch', { retry: 5 }, async () => {
    const { ask, batches, end } = createHeld();
    const large = [1, 2, 3, 4, 5, 6].map((item) => ask(item));
    await settle();
    const next = [ask(7)];
    end();
    await Promise.all(large);
    await settle();
    next.push(ask(8));
    await expect.poll(() => batches.length).toBe(2);
    expect(batches[1]).toEqual([7, 8]);
    end();
    expect(await Promise.all(next)).toEqual([70, 80]);
  });

  test('fails for all of a batch, and goes on with the next one', async () => {
    const ask = createBatch((items: number[]) =>
      items.includes(2) ? Promise.reject(new Error('two')) : Promise.resolve(items),
    );
    const failed = await Promise.allSettled([ask(1), ask(2)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await ask(3)).toBe(3);
  });
});
