import pLimit from 'p-limit';
import { Refusal } from '../errors.ts';
import { ServiceFault } from './service.ts';

/** After so many failures in a row the service is taken to be down. */
const DOWN_COUNT = 12;

/** So few missing numbers are no reason to refuse the day, however short its list. */
const TOLERATED_COUNT = 3;
const TOLERATED_SHARE = 0.01;

/** A number without an answer; a later fetch of it may bring one. */
export interface Missing {
  number: string;
  reason: string;
}

export interface Round {
  /** Numbers at a time. */
  width: number;
  /** Asks for one number and keeps its answer. Throws a `ServiceFault` when there is none. */
  ask: (number: string, signal: AbortSignal) => Promise<void>;
  /** Told after each number, answered or not. */
  onProgress?: (done: number) => void;
  signal: AbortSignal;
}

/**
 * Asks for every number, and once more for those without an answer.
 *
 * @returns the numbers that have no answer after the second time
 * @throws a `Refusal` when the service is down, and any error of `ask` but a `ServiceFault`
 */
export async function askEvery(numbers: readonly string[], round: Round): Promise<Missing[]> {
  const failed = await askOnce(numbers, round);
  const before = numbers.length - failed.length;
  const onProgress = (done: number) => round.onProgress?.(before + done);
  return await askOnce(
    failed.map(({ number }) => number),
    { ...round, onProgress },
  );
}

async function askOnce(
  numbers: readonly string[],
  { width, ask, onProgress, signal }: Round,
): Promise<Missing[]> {
  const failed: Missing[] = [];
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const limit = pLimit(width);
  let inRow = 0;
  let done = 0;
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
      failed.push({ number, reason: error.message });
      inRow += 1;
      if (inRow >= DOWN_COUNT) {
        const message = `${inRow} answers in a row could not be had (${error.message}); run it again later, what was had is kept`;
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
    // No call writes any more when this has thrown.
    await Promise.allSettled(all);
    throw error;
  }
  return failed;
}

/**
 * Refuses a day of which too much is missing.
 *
 * @param asked how many numbers were asked for
 */
export function refuseGaps(asked: number, missing: readonly Missing[]): void {
  const [first] = missing;
  const count = missing.length;
  const isMuch = count > TOLERATED_COUNT && count > asked * TOLERATED_SHARE;
  if (!first || (!isMuch && count < asked)) return;
  throw new Refusal(
    `${count} of ${asked} numbers could not be had, such as ${first.number} (${first.reason}); at most ${TOLERATED_COUNT}, or 1 %, may be missing. Run it again later, what was had is kept`,
  );
}
