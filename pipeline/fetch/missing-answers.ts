import { Refusal } from '../errors.ts';
import { inParallel } from '../parallel.ts';
import { ServiceFault } from './service.ts';
import { figure } from '../written-figure.ts';
import { fetching } from '../figures/fetch-retries.ts';

/** A requested number or file for which the registry has sent no answer. */
export interface Missing {
  number: string;
  reason: string;
}

export interface Round {
  /** Requests a number from the registry, and stores the answer. Throws a `ServiceFault` if no usable answer comes. */
  ask: (number: string) => Promise<void>;
  /** Called after the request for each number, even if the registry has not answered. */
  onProgress?: (done: number) => void;
}

/**
 * Requests the data of every number once, and of each number without an answer a second time.
 *
 * @returns the numbers that have no answer after the second request either
 * @throws a `Refusal` after several failed requests in a row, and any error of `ask` except a `ServiceFault`
 */
export async function askEvery(
  numbers: readonly string[],
  { ask, onProgress }: Round,
): Promise<Missing[]> {
  let done = 0;
  const askOnce = async (some: readonly string[]) => {
    const failed: Missing[] = [];
    let inRow = 0;
    await inParallel(some, fetching.width, async (number) => {
      try {
        await ask(number);
        inRow = 0;
      } catch (error) {
        if (!(error instanceof ServiceFault)) throw error;
        failed.push({ number, reason: error.message });
        inRow += 1;
        if (inRow >= fetching.failuresInARow) {
          const message = `${inRow} answers in a row could not be had (${error.message}); run it again later, what was had is kept`;
          throw new Refusal(message, { cause: error });
        }
      }
      done += 1;
      onProgress?.(done);
    });
    return failed;
  };
  const failed = await askOnce(numbers);
  done -= failed.length;
  return await askOnce(failed.map(({ number }) => number));
}

/** Throws a `Refusal` if too many requested numbers have no answer. @param asked the count of requested numbers */
export function refuseGaps(asked: number, missing: readonly Missing[]): void {
  const [first] = missing;
  const count = missing.length;
  const isMuch = count > fetching.toleratedCount && count > asked * fetching.toleratedShare;
  if (!first || (!isMuch && count < asked)) return;
  throw new Refusal(
    `${figure(count)} of ${figure(asked)} numbers could not be had, such as ${first.number} (${first.reason}); at most ${fetching.toleratedCount}, or 1 %, may be missing. Run it again later, what was had is kept`,
  );
}
