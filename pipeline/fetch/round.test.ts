import { describe, expect, test } from 'vitest';
import { figure } from '../written-figure.ts';
import { Refusal } from '../errors.ts';
import { askEvery, type Missing, refuseGaps, type Round } from './round.ts';
import { ServiceFault } from './service.ts';

const signal = new AbortController().signal;
const fault = (number: string) =>
  new ServiceFault(`KRS answers to ${number} with HTTP 500`, { isPassing: true });

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, at) => String(at).padStart(10, '0'));
}

/** Asks for numbers; some fail a number of times. Counts the calls of each. */
async function ask(all: string[], failing: Record<string, number>, options: Partial<Round> = {}) {
  const asked: Record<string, number> = {};
  let atOnce = 0;
  let most = 0;
  const missing = await askEvery(all, {
    width: 4,
    signal,
    ask: async (number) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      asked[number] = (asked[number] ?? 0) + 1;
      await new Promise(setImmediate);
      atOnce -= 1;
      if (asked[number] <= (failing[number] ?? 0)) throw fault(number);
    },
    ...options,
  });
  return { asked, missing, most };
}

describe('askEvery', () => {
  test('asks for each number once, a few at a time', async () => {
    const all = numbers(30);
    const { asked, missing, most } = await ask(all, {});
    expect(asked).toEqual(Object.fromEntries(all.map((number) => [number, 1])));
    expect(missing).toEqual([]);
    expect(most).toBe(4);
  });

  test('asks once more, in the end, for what could not be had', async () => {
    const { asked, missing } = await ask(numbers(20), { '0000000003': 1, '0000000007': 2 });
    expect(asked['0000000003']).toBe(2);
    expect(asked['0000000007']).toBe(2);
    expect(asked['0000000008']).toBe(1);
    expect(missing).toEqual([
      { number: '0000000007', reason: 'KRS answers to 0000000007 with HTTP 500' },
    ]);
  });

  test('tells how many are done', async () => {
    const done: number[] = [];
    const onProgress = (count: number) => void done.push(count);
    await ask(numbers(3), { '0000000001': 1 }, { onProgress, width: 1 });
    expect(done).toEqual([1, 2, 3, 3]);
  });

  test('stops when nothing is had any more', async () => {
    const failing = Object.fromEntries(numbers(1000).map((number) => [number, 9]));
    const asking = ask(numbers(1000), failing);
    await expect(asking).rejects.toThrow(Refusal);
    await expect(asking).rejects.toThrow(/^12 answers in a row could not be had \(KRS answers to/);
  });

  test('a fault of our own ends it, when the others under way are through', async () => {
    let ended = 0;
    const asking = askEvery(numbers(50), {
      width: 4,
      signal,
      ask: async (number, ending) => {
        if (number === '0000000001') throw new Error('the disk is full');
        await new Promise((resolve) => ending.addEventListener('abort', resolve));
        await new Promise(setImmediate);
        ended += 1;
      },
    });
    await expect(asking).rejects.toThrow('the disk is full');
    expect(ended).toBe(3);
  });

  test('a signal ends it with its reason', async () => {
    const controller = new AbortController();
    const reason = new Error('told to end');
    const asking = ask(
      numbers(50),
      {},
      { signal: controller.signal, onProgress: () => controller.abort(reason) },
    );
    await expect(asking).rejects.toBe(reason);
  });
});

function lack(count: number): Missing[] {
  return numbers(count).map((number) => ({ number, reason: 'KRS answers with HTTP 500' }));
}

describe('refuseGaps', () => {
  test.each([
    [0, 0],
    [0, 10],
    [1, 2],
    [3, 10],
    [4, 400],
    [100, 10_000],
  ])('%i of %i may be missing', (count, asked) => {
    expect(() => refuseGaps(asked, lack(count))).not.toThrow();
  });

  test.each([
    [1, 1],
    [3, 3],
    [4, 10],
    [5, 400],
    [101, 10_000],
  ])('%i of %i may not', (count, asked) => {
    expect(() => refuseGaps(asked, lack(count))).toThrow(
      `${count} of ${figure(asked)} numbers could not be had, such as 0000000000 (KRS answers with HTTP 500); at most 3, or 1 %, may be missing.`,
    );
  });
});
