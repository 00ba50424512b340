import pLimit from 'p-limit';
import { Refusal } from '../errors.ts';
import { ServiceFault } from './service.ts';

/** So many failures with nothing between them: the service is down, and asking on helps nobody. */
const DOWN_COUNT = 12;

/** So few missing numbers are no reason to refuse the day, however short its list. */
const TOLERATED_COUNT = 3;
const TOLERATED_SHARE = 0.01;

export interface Round {
  /** Asked at once. */
  width: number;
  /** Asks for one number and keeps its answer; throws a `ServiceFault` when it cannot be had. */
  ask: (number: string, signal: AbortSignal) => Promise<void>;
  /** Told after each number, had or not. */
  onProgress?: (done: number) => void;
  signal: AbortSignal;
}

/**
 * Asks for every number, a few at a time, and once more for those that could not be had.
 *
 * @returns why, by number, for those that could not be had the second time either
 * @throws a `Refusal` when the service does not answer at all any more, and what `ask` throws
 *   besides a `ServiceFault`
 */
export async function askEvery(
  numbers: readonly string[],
  round: Round,
): Promise<Map<string, string>> {
  const first = await askOnce(numbers, round, 0);
  if (first.size === 0) return first;
  return await askOnce([...first.keys()], round, numbers.length - first.size);
}

/** @param before how many numbers are done already */
async function askOnce(
  numbers: readonly string[],
  { width, ask, onProgress, signal }: Round,
  before: number,
): Promise<Map<string, string>> {
  const failed = new Map<string, string>();
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const limit = pLimit(width);
  let inRow = 0;
  let done = before;
  const end = (error: unknown) => {
    stop.abort(error);
    return error;
  };
  const askFor = async (number: string) => {
    either.throwIfAborted();
    try {
      await ask(number, either);
      inRow = 0;
    } catch (error) {
      either.throwIfAborted();
      if (!(error instanceof ServiceFault)) throw end(error);
      failed.set(number, error.message);
      inRow += 1;
      if (inRow >= DOWN_COUNT) {
        const message = `${inRow} numbers in a row could not be had (${error.message}); run it again later, what was had is kept`;
        throw end(new Refusal(message, { cause: error }));
      }
    }
    done += 1;
    onProgress?.(done);
  };
  const all = numbers.map((number) => limit(askFor, number));
  try {
    await Promise.all(all);
  } catch (error) {
    // Nobody writes any more when this has thrown.
    await Promise.allSettled(all);
    throw error;
  }
  return failed;
}

/**
 * Refuses a day of which too much is missing.
 *
 * @param asked how many numbers the day has
 */
export function refuseGaps(asked: number, missing: ReadonlyMap<string, string>): void {
  const count = missing.size;
  const isMuch = count > TOLERATED_COUNT && count > asked * TOLERATED_SHARE;
  if (count === 0 || (!isMuch && count < asked)) return;
  const [number, reason] = missing.entries().next().value!;
  throw new Refusal(
    `${count} of ${asked} numbers could not be had, such as ${number} (${reason}); at most ${TOLERATED_COUNT}, or 1 %, may be missing. Run it again later, what was had is kept`,
  );
}
