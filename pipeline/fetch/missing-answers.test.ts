import { describe, expect, test } from 'vitest';
import { figure } from '../written-figure.ts';
import { Refusal } from '../errors.ts';
import { askEvery, refuseGaps, type Round } from './missing-answers.ts';
import { ServiceFault } from './service.ts';

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, at) => String(at).padStart(10, '0'));
}

/**
 * Requests the numbers `all`, each of which first fails `failing[number]` times; returns the count of requests for each
 * number, and the maximum of parallel requests.
 */
async function ask(all: string[], failing: Record<string, number>, options: Partial<Round> = {}) {
  const asked: Record<string, number> = {};
  let atOnce = 0;
  let most = 0;
  const missing = await askEvery(all, {
    ask: async (number) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      asked[number] = (asked[number] ?? 0) + 1;
      await new Promise(setImmediate);
      atOnce -= 1;
      if (asked[number] <= (failing[number] ?? 0)) throw new ServiceFault(`No ${number}`);
    },
    ...options,
  });
  return { asked, missing, most };
}

describe('askEvery', () => {
  test('asks for each number, a few at a time, and once more for what could not be had', async () => {
    const all = numbers(30);
    const done: number[] = [];
    const onProgress = (count: number) => void done.push(count);
    const failing = { '0000000003': 1, '0000000007': 2 };
    const { asked, missing, most } = await ask(all, failing, { onProgress });
    const once = Object.fromEntries(all.map((number) => [number, 1]));
    expect(asked).toEqual({ ...once, '0000000003': 2, '0000000007': 2 });
    expect(missing).toEqual([{ number: '0000000007', reason: 'No 0000000007' }]);
    expect(most).toBe(4);
    expect(done).toEqual([...all.map((_, at) => at + 1), 29, 30]);
  });

  test('stops when nothing is had any more', async () => {
    const failing = Object.fromEntries(numbers(1000).map((number) => [number, 9]));
    const asking = ask(numbers(1000), failing);
    await expect(asking).rejects.toThrow(Refusal);
    await expect(asking).rejects.toThrow(/^12 answers in a row could not be had \(No 00000000/);
  });

  test('a fault of our own ends it, when the others under way are through', async () => {
    let ended = 0;
    const asking = askEvery(numbers(50), {
      ask: async (number) => {
        if (number === '0000000001') throw new Error('the disk is full');
        await new Promise(setImmediate);
        ended += 1;
      },
    });
    await expect(asking).rejects.toThrow('the disk is full');
    expect(ended).toBe(3);
  });
});

describe('refuseGaps', () => {
  test.each([
    [0, 0, true],
    [0, 10, true],
    [1, 2, true],
    [3, 10, true],
    [4, 400, true],
    [100, 10_000, true],
    [1, 1, false],
    [3, 3, false],
    [4, 10, false],
    [5, 400, false],
    [101, 10_000, false],
  ])('%i of %i may be missing: %s', (count, asked, isTolerated) => {
    const missing = numbers(count).map((number) => ({ number, reason: 'HTTP 500' }));
    const check = () => refuseGaps(asked, missing);
    if (isTolerated) expect(check).not.toThrow();
    else {
      expect(check).toThrow(
        `${count} of ${figure(asked)} numbers could not be had, such as 0000000000 (HTTP 500); at most 3, or 1 %, may be missing.`,
      );
    }
  });
});
