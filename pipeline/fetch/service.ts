import { Rate, type RateLimit, sleep } from './rate.ts';

/** How often and how long a service is asked again. */
export interface RetryPolicy {
  /** The first one counts. */
  tries: number;
  /** About the wait before the second try; it doubles from try to try. */
  first_wait_ms: number;
  longest_wait_ms: number;
  /** A service that asks for a longer break than this is not waited for. */
  longest_break_ms: number;
}

export const patience: RetryPolicy = {
  tries: 6,
  first_wait_ms: 1000,
  longest_wait_ms: 30_000,
  longest_break_ms: 15 * 60_000,
};

/** What a service said or did that is no answer; the message is a sentence that names the service. */
export class ServiceFault extends Error {
  override name = 'ServiceFault';
  /** Whether the same question may be answered when it is asked again. */
  readonly isPassing: boolean;
  /** How long the service asks everybody to wait. */
  readonly break_ms: number | undefined;

  constructor(
    message: string,
    options: ErrorOptions & { isPassing: boolean; break_ms?: number | undefined },
  ) {
    super(message, options);
    this.isPassing = options.isPassing;
    this.break_ms = options.break_ms;
  }
}

export interface ServiceOptions {
  /** For people: `REGON`, `KRS`, `CEIDG`. */
  name: string;
  limits: readonly RateLimit[];
  retry?: RetryPolicy;
  /** From the request to the end of the answer. */
  timeout_ms: number;
  /** A longer answer is no answer. */
  max_bytes: number;
  /** Told before each wait; `sentence` says what went wrong. */
  onRetry?: ((sentence: string, wait_ms: number) => void) | undefined;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

const agent = 'company-registry';

/** A service of the state on HTTP: asked at its rate, with patience, and not believed blindly. */
export class Service {
  readonly name: string;
  readonly #options: ServiceOptions;
  readonly #retry: RetryPolicy;
  readonly #rate: Rate;
  /** Requests sent so far, repeated ones included. */
  requests = 0;

  constructor(options: ServiceOptions) {
    this.name = options.name;
    this.#options = options;
    this.#retry = options.retry ?? patience;
    this.#rate = new Rate(options.limits);
  }

  /**
   * Sends a request and reads its answer, again and again until `read` gives something.
   *
   * @param read judges a whole answer of any status; throws a `ServiceFault` for one that is none
   * @throws the last `ServiceFault`, the reason of the signal, or whatever else `read` throws
   */
  ask<T>(
    url: string,
    request: RequestInit,
    read: (answer: Answer) => T,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.insist(async () => read(await this.exchange(url, request, signal)), signal);
  }

  /**
   * Does a piece of work again and again until it gives something.
   *
   * @param work throws a passing `ServiceFault` for what is worth another try
   */
  async insist<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { tries, first_wait_ms, longest_wait_ms, longest_break_ms } = this.#retry;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof ServiceFault) || !error.isPassing || attempt >= tries) throw error;
        if (error.break_ms !== undefined && error.break_ms > longest_break_ms) throw error;
        // Half of it by chance, so that those who failed together do not come back together.
        const growing_ms = Math.min(first_wait_ms * 2 ** (attempt - 1), longest_wait_ms);
        const wait_ms = error.break_ms ?? growing_ms * (0.5 + Math.random() / 2);
        if (error.break_ms !== undefined) this.#rate.pause(wait_ms);
        this.#options.onRetry?.(error.message, wait_ms);
        await sleep(wait_ms, signal);
      }
    }
  }

  /** One request and its whole answer, of any status. */
  exchange(url: string, request: RequestInit, signal?: AbortSignal): Promise<Answer> {
    return this.receive(
      url,
      { ...request, max_bytes: this.#options.max_bytes, isSlow: false },
      async ({ status, headers }, bytes) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of bytes) chunks.push(chunk);
        return { status, headers, text: new TextDecoder().decode(Buffer.concat(chunks)) };
      },
      signal,
    );
  }

  /**
   * One request, when its turn has come; the bytes of the answer are handed over as they arrive.
   *
   * @param request.isSlow the time limit is for each piece of the answer, not for all of it
   * @throws a `ServiceFault`, the reason of the signal, or whatever `use` throws
   */
  async receive<T>(
    url: string,
    request: RequestInit & { max_bytes: number; isSlow: boolean },
    use: (response: Response, bytes: AsyncIterable<Uint8Array>) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { max_bytes, isSlow, ...init } = request;
    const headers = new Headers(init.headers);
    headers.set('User-Agent', agent);
    await this.#rate.take(signal);
    this.requests += 1;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.#options.timeout_ms);
    const either = signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal;
    const explain = (cause: unknown, what: string) =>
      signal?.aborted ? signal.reason : this.#explain(cause, deadline.signal.aborted, what);
    const { name } = this;
    async function* bounded(body: AsyncIterable<Uint8Array> | never[]): AsyncGenerator<Uint8Array> {
      let byte_count = 0;
      try {
        for await (const chunk of body) {
          byte_count += chunk.length;
          if (byte_count > max_bytes) {
            const message = `${name} sends more than ${max_bytes} bytes in one answer`;
            throw new ServiceFault(message, { isPassing: false });
          }
          if (isSlow) timer.refresh();
          yield chunk;
        }
      } catch (cause) {
        throw explain(cause, 'breaks off in the middle of an answer');
      }
    }
    try {
      // A redirection could carry the key to somebody else.
      const options: RequestInit = { ...init, headers, signal: either, redirect: 'manual' };
      const response = await fetch(url, options).catch((cause: unknown) => {
        throw explain(cause, 'cannot be reached');
      });
      const bytes = bounded(response.body ?? []);
      try {
        return await use(response, bytes);
      } finally {
        // Nothing is left half-read on a connection.
        await response.body?.cancel().catch(() => undefined);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #explain(cause: unknown, isLate: boolean, what: string): ServiceFault {
    if (cause instanceof ServiceFault) return cause;
    if (isLate) {
      const message = `${this.name} has not answered within ${this.#options.timeout_ms / 1000} s`;
      return new ServiceFault(message, { isPassing: true, cause });
    }
    return new ServiceFault(`${this.name} ${what}: ${rootOf(cause)}`, { isPassing: true, cause });
  }

  /** The fault of an answer whose status is not what was expected. */
  statusFault({ status, headers }: { status: number; headers: Headers }): ServiceFault {
    const break_ms = readRetryAfter(headers.get('retry-after'));
    const isPassing = status >= 500 || status === 408 || status === 425 || status === 429;
    const asks = break_ms === undefined ? '' : ` and asks to wait ${Math.ceil(break_ms / 1000)} s`;
    return new ServiceFault(`${this.name} answers with HTTP ${status}${asks}`, {
      isPassing,
      break_ms: isPassing ? break_ms : undefined,
    });
  }

  /** The fault of an answer that is something else than the service promises. */
  contentFault(what: string, cause?: unknown): ServiceFault {
    return new ServiceFault(`${this.name} sends ${what}`, { isPassing: true, cause });
  }
}

/** Milliseconds; the header holds seconds, or a date. */
export function readRetryAfter(value: string | null, now_ms = Date.now()): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at_ms = Date.parse(value);
  return Number.isNaN(at_ms) ? undefined : Math.max(0, at_ms - now_ms);
}

/** The message of what went wrong first; `fetch failed` says nothing. */
function rootOf(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  const { code, message } = root as NodeJS.ErrnoException;
  return message || code || String(root);
}

/** What an answer that should have been data looks like, for the sentence about it. */
export function describeText(text: string): string {
  const start = text.trimStart().slice(0, 200).toLowerCase();
  if (start === '') return 'an empty answer';
  if (start.startsWith('<!doctype html') || start.startsWith('<html')) return 'a page of HTML';
  return 'something unreadable';
}
