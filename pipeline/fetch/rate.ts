import { setTimeout as delay } from 'node:timers/promises';
import { defaultCountry } from '../../sql/country.ts';
import { hour_ms, minute_ms } from '../../sql/process/durations.ts';

/** At most `count` requests in a period of `window_ms`, up to an hour; the file of each service sets its limits. */
export interface RateLimit {
  count: number;
  window_ms: number;
}

/** Returns the rate limits of a service that apply in an hour of the day, 0 to 23, in Polish time. */
export type RateLimits = (hour: number) => readonly RateLimit[];

/** The clock of a `Rate`; tests pass another clock to run without waiting. */
export const systemClock = {
  /** Returns the time in ms since 1970, which never decreases. */
  now: () => performance.timeOrigin + performance.now(),
  /** Waits for `wait_ms`. Throws the reason of the abort if `signal` aborts first. */
  sleep: (wait_ms: number, signal?: AbortSignal): Promise<void> =>
    delay(Math.ceil(wait_ms), undefined, signal ? { signal } : {}).catch(() =>
      signal?.throwIfAborted(),
    ),
};

export type Clock = typeof systemClock;

const hourFormat = new Intl.DateTimeFormat('en-GB', {
  timeZone: defaultCountry.time_zone,
  hour: '2-digit',
  hourCycle: 'h23',
});

/**
 * Delays requests so that every rate limit holds. Requests start in the order of the calls of `take`.
 *
 * A rate limit holds in every period of `window_ms`, because a service may begin its own period at any moment. Packages
 * with fixed periods or token buckets can let through twice the limit at the boundary of two periods.
 */
export class Rate {
  readonly clock: Clock;
  readonly #limits: RateLimits;
  /** The start times of the requests of the last hour, in ms since 1970, the oldest first. */
  readonly #passed_ms: number[] = [];
  #paused_until_ms = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(limits: RateLimits, clock: Clock = systemClock) {
    this.clock = clock;
    this.#limits = limits;
  }

  /** Waits until the rate limits allow the next request. Throws the reason of the abort if `signal` aborts first. */
  take(signal?: AbortSignal): Promise<void> {
    const turn = this.#last.then(() => this.#pass(signal));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Delays all later requests by at least `wait_ms`, because the service has asked for a break. */
  pause(wait_ms: number): void {
    this.#paused_until_ms = Math.max(this.#paused_until_ms, this.clock.now() + wait_ms);
  }

  /** Returns the expected duration of `count` requests in ms, from the average of the rate limits over a day. */
  estimate_ms(count: number): number {
    const perMillisecond = Array.from({ length: 24 }, (_, hour) =>
      Math.min(...this.#limits(hour).map((limit) => limit.count / limit.window_ms)),
    );
    return (24 * count) / perMillisecond.reduce((sum, rate) => sum + rate, 0);
  }

  async #pass(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const now_ms = this.clock.now();
      while (this.#passed_ms[0]! <= now_ms - hour_ms) this.#passed_ms.shift();
      const opens = this.#limits(Number(hourFormat.format(now_ms))).map(({ count, window_ms }) => {
        const nth = this.#passed_ms.at(-count);
        return nth === undefined ? 0 : nth + window_ms;
      });
      const wait_ms = Math.max(this.#paused_until_ms, ...opens) - now_ms;
      if (wait_ms <= 0) {
        this.#passed_ms.push(now_ms);
        return;
      }
      // The waiting time is computed again after at most a minute, because the rate limits may change with the hour.
      await this.clock.sleep(Math.min(wait_ms, minute_ms), signal);
    }
  }
}
