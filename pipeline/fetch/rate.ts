import { setTimeout as delay } from 'node:timers/promises';
import { defaultCountry } from '../../sql/country.ts';

/** At most `count` requests in any stretch of `window_ms`. */
export interface RateLimit {
  count: number;
  window_ms: number;
}

/** Limits for all hours, or the limits of an hour of the day, 0 to 23. */
export type RateLimits = readonly RateLimit[] | ((hour: number) => readonly RateLimit[]);

/** The time of a rate; tests have their own. */
export interface Clock {
  /** Milliseconds since 1970; never goes back. */
  now(): number;
  /** Throws the reason of the signal when that comes first. */
  sleep(wait_ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (wait_ms, signal) =>
    delay(Math.ceil(wait_ms), undefined, signal ? { signal } : {}).catch(() =>
      signal?.throwIfAborted(),
    ),
};

const HOUR_ms = 60 * 60_000;

/** Limits may change with the hour: a longer wait is computed anew. */
const LONGEST_SLEEP_ms = 60_000;

/**
 * Lets requests pass one by one, in the order of their calls, as soon as every limit allows it.
 *
 * Its windows slide: a service may count from any moment. Packaged limiters with fixed windows, or with
 * tokens, let up to twice the limit through where two windows meet.
 */
export class Rate {
  readonly clock: Clock;
  readonly #limitsAt: (hour: number) => readonly RateLimit[];
  readonly #hourFormat: Intl.DateTimeFormat;
  /** The number of requests that the largest limit looks back. */
  readonly #history: number;
  /** When the last requests passed, oldest first. */
  readonly #passed_ms: number[] = [];
  #paused_until_ms = 0;
  #last: Promise<void> = Promise.resolve();

  /** @param time_zone in which the hours of the limits are meant */
  constructor(
    limits: RateLimits,
    clock: Clock = systemClock,
    time_zone = defaultCountry.time_zone,
  ) {
    this.clock = clock;
    this.#hourFormat = new Intl.DateTimeFormat('en-GB', {
      timeZone: time_zone,
      hour: '2-digit',
      hourCycle: 'h23',
    });
    this.#limitsAt = typeof limits === 'function' ? limits : () => limits;
    const all = Array.from({ length: 24 }, (_, hour) => this.#limitsAt(hour)).flat();
    this.#history = Math.max(0, ...all.map(({ count }) => count));
  }

  /** Waits for the turn of a request. Throws the reason of the signal when the signal comes first. */
  take(signal?: AbortSignal): Promise<void> {
    const turn = this.#last.then(() => this.#pass(signal));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Holds all requests back, since the service asks for a break. */
  pause(wait_ms: number): void {
    this.#paused_until_ms = Math.max(this.#paused_until_ms, this.clock.now() + wait_ms);
  }

  /** How long so many requests take from now on, at the limits of the next hours. */
  estimate_ms(count: number): number {
    const start_ms = this.clock.now();
    let at_ms = start_ms;
    let left = count;
    for (;;) {
      const limits = this.#limits(at_ms);
      const perMillisecond = Math.min(...limits.map((limit) => limit.count / limit.window_ms));
      const hourEnd_ms = (Math.floor(at_ms / HOUR_ms) + 1) * HOUR_ms;
      const passing = perMillisecond * (hourEnd_ms - at_ms);
      if (passing >= left) return at_ms + left / perMillisecond - start_ms;
      left -= passing;
      at_ms = hourEnd_ms;
    }
  }

  async #pass(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const now_ms = this.clock.now();
      const wait_ms = this.#opens_ms(now_ms) - now_ms;
      if (wait_ms <= 0) {
        this.#passed_ms.push(now_ms);
        if (this.#passed_ms.length > this.#history) this.#passed_ms.shift();
        return;
      }
      await this.clock.sleep(Math.min(wait_ms, LONGEST_SLEEP_ms), signal);
    }
  }

  /** The moment from which on one more may pass. */
  #opens_ms(now_ms: number): number {
    const opens = this.#limits(now_ms).map(({ count, window_ms }) => {
      const nth = this.#passed_ms.at(-count);
      return nth === undefined ? 0 : nth + window_ms;
    });
    return Math.max(this.#paused_until_ms, ...opens);
  }

  #limits(moment_ms: number): readonly RateLimit[] {
    return this.#limitsAt(Number(this.#hourFormat.format(moment_ms)));
  }
}
