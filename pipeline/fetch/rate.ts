import { setTimeout as delay } from 'node:timers/promises';
import { defaultCountry } from '../../sql/country.ts';

/** A limit of `count` requests in any period of `window_ms`. */
export interface RateLimit {
  count: number;
  window_ms: number;
}

/** The limits for all hours, or a function that returns the limits of an hour of the day, 0 to 23. */
export type RateLimits = readonly RateLimit[] | ((hour: number) => readonly RateLimit[]);

/** The clock of a `Rate`; tests pass a clock of their own. */
export interface Clock {
  /** Returns the time in ms since 1970, which never goes back. */
  now(): number;
  /** Waits for `wait_ms`. Throws the reason of the signal when the signal comes first. */
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

/** The longest sleep, in ms. Limits may change with the hour: a longer wait is computed again. */
const LONGEST_SLEEP_ms = 60_000;

/**
 * Lets requests pass one by one, in the order of their calls, as soon as every limit allows it.
 *
 * The windows of the limits slide, since a service may count from any moment. Packaged limiters with fixed
 * windows, or with tokens, let up to twice the limit through where two windows meet.
 */
export class Rate {
  readonly clock: Clock;
  readonly #limitsAt: (hour: number) => readonly RateLimit[];
  readonly #hourFormat: Intl.DateTimeFormat;
  /** The number of past requests that the largest limit needs. */
  readonly #history: number;
  /** The times at which the last requests passed, in ms since 1970, the oldest first. */
  readonly #passed_ms: number[] = [];
  #paused_until_ms = 0;
  #last: Promise<void> = Promise.resolve();

  /** @param time_zone the time zone of the hours of the limits */
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

  /** Holds all requests back for `wait_ms`, since the service asks for a break. */
  pause(wait_ms: number): void {
    this.#paused_until_ms = Math.max(this.#paused_until_ms, this.clock.now() + wait_ms);
  }

  /** Returns how long `count` requests take from now on, in ms, at the limits of the next hours. */
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

  /** Returns the time from which the next request may pass, in ms since 1970. */
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
