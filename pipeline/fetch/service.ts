import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import pRetry, { type Options } from 'p-retry';
import type { z } from 'zod';
import { WrongUsage } from '../errors.ts';
import { fetching } from '../figures/fetch-retries.ts';
import { readRetryAfter } from '../retry-after.ts';
import { type Clock, Rate, type RateLimits } from './rate.ts';
import { describeText } from '../sources/answer.ts';

/** The error for a service that fails or sends an unusable answer. The error message names the service. */
export class ServiceFault extends Error {
  /** Whether a retry of the request may succeed. */
  isPassing = false;
  /** The break that the service asks for, in ms. */
  break_ms = 0;
}

/** The settings for the requests to a service; `fetching.service` holds default values. */
export interface ServiceSettings {
  limits?: RateLimits;
  retry?: Pick<Options, 'retries' | 'minTimeout' | 'maxTimeout'>;
  longest_break_ms?: number;
  timeout_ms?: number;
  /** The largest accepted size of an answer, in bytes. */
  max_bytes?: number;
  /** The name of the setting that holds the key of the service, such as `CEIDG_TOKEN`. */
  secret?: string;
  /** The address of the service, to which the path of each request is appended. */
  url?: string;
  /** The HTTP headers that every request has. */
  headers?: Record<string, string>;
  /** Called before each retry of a request, with a sentence that describes the fault of the service. */
  onRetry?: (sentence: string, wait_ms: number) => void;
  clock?: Clock;
  /** The signal that aborts all requests; aborted requests throw its reason. */
  signal?: AbortSignal;
}

interface Question {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  max_bytes?: number;
}

/** Reads an HTTP answer of any status and returns its content. Throws a `ServiceFault` if the answer is unusable. */
type Read<T> = (answer: Response) => T | Promise<T>;

/** Sends requests to an HTTP service within its rate limits, and retries failed requests. */
export class Service {
  readonly name: string;
  readonly url: string;
  readonly rate: Rate;
  readonly #settings: ServiceSettings &
    Required<Pick<ServiceSettings, keyof typeof fetching.service | 'max_bytes' | 'signal'>>;

  /** @param name the name of the service in messages, such as `REGON` or `data.gouv.fr` */
  constructor(name: string, settings: ServiceSettings & { limits: RateLimits; max_bytes: number }) {
    this.name = name;
    this.url = settings.url ?? '';
    this.rate = new Rate(settings.limits, settings.clock);
    this.#settings = { ...fetching.service, signal: new AbortController().signal, ...settings };
  }

  /**
   * Sends a request and reads the answer; a retry repeats both.
   *
   * @throws the `ServiceFault` of the last attempt, the reason of an abort, or any other error of `read`
   */
  ask<T>(path: string, read: Read<T>): Promise<T> {
    return this.retry(() => this.askOnce(path, read));
  }

  /**
   * Requests a path, and returns the JSON of the answer, validated by `shape`. Throws the errors of `ask`.
   * @param what the name of the requested content in error messages, such as `list of entries`
   * @param meanings the values to return for HTTP statuses whose answers have no JSON, by the status
   */
  askJson<T, U = never>(
    path: string,
    shape: z.ZodType<T>,
    what: string,
    meanings: Readonly<Record<number, U>> = {},
  ): Promise<T | U> {
    return this.ask<T | U>(path, (answer) =>
      answer.status in meanings
        ? (meanings[answer.status] as U)
        : this.readJson(answer, shape, what),
    );
  }

  /** Retries `work` after a `ServiceFault` with `isPassing`. If the service asks for a break, all requests wait. */
  retry<T>(work: () => Promise<T>): Promise<T> {
    const { retry, longest_break_ms, onRetry, signal } = this.#settings;
    return pRetry(work, {
      ...retry,
      randomize: true,
      signal,
      shouldRetry: ({ error, retryDelay }) => {
        if (!(error instanceof ServiceFault) || !error.isPassing) return false;
        const { message, break_ms } = error;
        if (break_ms > longest_break_ms) return false;
        this.rate.pause(break_ms);
        onRetry?.(message, Math.max(break_ms, retryDelay));
        return true;
      },
    });
  }

  /** Sends a request and reads the answer, without a retry. */
  async askOnce<T>(
    path: string,
    read: Read<T>,
    { max_bytes = this.#settings.max_bytes, ...request }: Question = {},
  ): Promise<T> {
    const { timeout_ms, signal } = this.#settings;
    await this.rate.take(signal);
    const late = this.fault(`has not answered within ${timeout_ms / 1000} s`);
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(late), timeout_ms);
    const ending = AbortSignal.any([silence.signal, signal]);
    const explain = (cause: unknown, what: string): unknown =>
      ending.aborted ? ending.reason : this.fault(`${what}: ${rootOf(cause)}`, cause);
    const tooLong = `${this.name} sends more than ${max_bytes} bytes in one answer`;
    async function* receive(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      let byte_count = 0;
      try {
        for await (const chunk of body) {
          timer.refresh();
          byte_count += chunk.length;
          if (byte_count > max_bytes) break;
          yield chunk;
        }
      } catch (cause) {
        throw explain(cause, 'breaks off in the middle of an answer');
      }
      if (byte_count > max_bytes) throw new ServiceFault(tooLong);
    }
    try {
      const always = { ...this.#settings.headers, 'User-Agent': 'company-registry' };
      const headers = { ...request.headers, ...always };
      // Redirects are not followed, because a redirect could send the key to another server.
      const options = { ...request, headers, redirect: 'manual', signal: ending } as const;
      const response = await fetch(this.url + path, options).catch((cause: unknown) => {
        throw explain(cause, 'cannot be reached');
      });
      try {
        const body = response.body && ReadableStream.from(receive(response.body));
        return await read(new Response(body, response));
      } finally {
        // Discards the unread part of the answer, because a connection with unread data cannot be reused.
        await response.body?.cancel().catch(() => undefined);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Writes the answer for a path to a file, in one attempt. Requests the bytes after `from`, the file's size. */
  async save(path: string, file: string, max_bytes: number, from = 0): Promise<void> {
    const write = async (answer: Response) => {
      if (answer.status !== 200 && answer.status !== 206) throw this.statusFault(answer);
      const flags = answer.status === 206 ? 'a' : 'w';
      await pipeline(answer.body ?? [], createWriteStream(file, { flags, flush: true }));
    };
    const headers: Record<string, string> = from > 0 ? { Range: `bytes=${from}-` } : {};
    await this.askOnce(path, write, { headers, max_bytes });
  }

  /** Returns the JSON of an answer, validated by `shape`. Throws a `ServiceFault` if the HTTP status is not 200. */
  async readJson<T>(answer: Response, shape: z.ZodType<T>, what: string): Promise<T> {
    if (answer.status !== 200) throw this.statusFault(answer);
    const text = await answer.text();
    try {
      return shape.parse(JSON.parse(text));
    } catch (cause) {
      const sent =
        cause instanceof SyntaxError
          ? `${describeText(text) ?? 'something unreadable'} in place of JSON`
          : `no ${what}`;
      throw this.fault(`sends ${sent}`, cause);
    }
  }

  /** Returns a `ServiceFault` that allows a retry. @param what the error message without the service's name */
  fault(what: string, cause?: unknown): ServiceFault {
    return Object.assign(new ServiceFault(`${this.name} ${what}`, { cause }), { isPassing: true });
  }

  /** Returns the fault for an unexpected HTTP status. Throws `WrongUsage` if the service refuses the key. */
  statusFault({ status, headers }: Response): ServiceFault {
    const { secret } = this.#settings;
    const break_ms = readRetryAfter(headers.get('retry-after'));
    const isRefused = status === 401 || (status === 403 && break_ms === undefined);
    if (isRefused && secret !== undefined) {
      throw new WrongUsage(`${secret} is not accepted: ${this.name} answers with HTTP ${status}.`);
    }
    // CEIDG answers with 403 and `Retry-After` if a client sends too many requests, so a retry may succeed.
    const isPassing =
      status >= 500 || [408, 425, 429].includes(status) || (status === 403 && !isRefused);
    const asks = break_ms === undefined ? '' : ` and asks to wait ${Math.ceil(break_ms / 1000)} s`;
    const fault = this.fault(`answers with HTTP ${status}${asks}`);
    return Object.assign(fault, { isPassing, break_ms: break_ms ?? 0 });
  }
}

/** Returns the message of an error's innermost cause, because its own message `fetch failed` explains nothing. */
function rootOf(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  const { code, message } = root as NodeJS.ErrnoException;
  return message || code || String(root);
}
