import { setTimeout as delay } from 'node:timers/promises';

/** At most so many requests in any stretch of time of that length. */
export interface RateLimit {
  count: number;
  window_ms: number;
}

/**
 * Lets requests pass one after another, in the order in which they came, as soon as every limit
 * allows it. A service counts from any moment, not from the full minute, and so does this.
 */
export class Rate {
  readonly #limits: readonly RateLimit[];
  readonly #most: number;
  /** When the last requests passed, oldest first. */
  #passed_ms: number[] = [];
  #paused_until_ms = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(limits: readonly RateLimit[]) {
    this.#limits = limits;
    this.#most = Math.max(0, ...limits.map(({ count }) => count));
  }

  /** Waits for its turn; throws the reason of the signal when that comes first. */
  take(signal?: AbortSignal): Promise<void> {
    const turn = this.#last.then(() => this.#pass(signal));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Holds everybody back: the service has asked for a break. */
  pause(wait_ms: number): void {
    this.#paused_until_ms = Math.max(this.#paused_until_ms, performance.now() + wait_ms);
  }

  async #pass(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const now_ms = performance.now();
      const wait_ms = this.#opens_ms() - now_ms;
      if (wait_ms <= 0) {
        this.#passed_ms.push(now_ms);
        const tooMany = this.#passed_ms.length - this.#most;
        if (tooMany > this.#most) this.#passed_ms.splice(0, tooMany);
        return;
      }
      await sleep(wait_ms, signal);
    }
  }

  /** The moment from which on one more may pass. */
  #opens_ms(): number {
    const opens = this.#limits.map(({ count, window_ms }) => {
      const nth = this.#passed_ms.at(-count);
      return nth === undefined ? 0 : nth + window_ms;
    });
    return Math.max(this.#paused_until_ms, ...opens);
  }
}

/** Waits; throws the reason of the signal when that comes first. */
export async function sleep(wait_ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(Math.ceil(wait_ms), undefined, signal ? { signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
