import { once } from 'node:events';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { ClientConfig } from 'pg';
import { HttpError } from '../http/errors.ts';
import type { SearchFilter } from './search-filter.ts';

/** A search that takes longer waits for companies that are still being loaded. */
const mostWait_ms = 3_000;

/** Which results are shown. */
export interface Window {
  skipped: number;
  size: number;
}

/** What was found in a snapshot: how many companies, and the ids of those in the window. */
export interface Found {
  snapshot_no: number;
  total: number;
  company_ids: number[];
}

/** What the thread is asked; without a search: to load the companies. The answer comes to the port. */
export interface SearchQuestion {
  port: MessagePort;
  least_no: number;
  search?: { filter: SearchFilter; window: Window };
}

/** Neither when the companies are loaded, and nothing was searched for. */
export interface SearchAnswer {
  found?: Found;
  error?: { message: string; code?: string | undefined };
}

/** The copy of all companies that an API process searches. */
export interface SearchIndex {
  /** Whether the companies have been loaded; starts to load them, and waits for it for a moment. */
  isReady(): Promise<boolean>;
  /**
   * Finds the companies that match, in the order of their ids, which is that of their first
   * appearance. Throws a 503 while companies are loaded.
   *
   * @param least_no an older snapshot is brought up to date before
   */
  find(filter: SearchFilter, window: Window, least_no?: number): Promise<Found>;
  close(): Promise<void>;
}

function loading(): HttpError {
  const message = 'The companies are being loaded for the search.';
  return new HttpError(503, { message }, { 'Retry-After': '2' });
}

function startThread(connection: ClientConfig): Worker {
  const thread = new Worker(new URL('search-thread.ts', import.meta.url), {
    workerData: connection,
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  });
  // Its questions run into their time limit.
  thread.on('error', () => undefined);
  thread.unref();
  return thread;
}

/**
 * Makes the search of a database; nothing is loaded before the first question.
 *
 * @param connection of the thread's own sessions
 */
export function createSearchIndex(connection: ClientConfig): SearchIndex {
  let thread: Worker | undefined;
  let isLoaded = false;

  function openThread(): Worker {
    const opened = startThread(connection);
    opened.once('exit', () => {
      thread = undefined;
      isLoaded = false;
    });
    return opened;
  }

  async function ask(question: Omit<SearchQuestion, 'port'>): Promise<Found | undefined> {
    thread ??= openThread();
    const { port1, port2 } = new MessageChannel();
    const timeout = AbortSignal.timeout(mostWait_ms);
    try {
      const answered = once(port1, 'message', { signal: timeout });
      thread.postMessage({ ...question, port: port2 } satisfies SearchQuestion, [port2]);
      const [{ found, error }] = (await answered) as [SearchAnswer];
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      isLoaded = true;
      return found;
    } catch (error) {
      throw timeout.aborted ? loading() : error;
    } finally {
      port1.close();
    }
  }

  return {
    async isReady() {
      if (!isLoaded) {
        await ask({ least_no: 0 }).catch((error: unknown) => {
          if (!(error instanceof HttpError)) throw error;
        });
      }
      return isLoaded;
    },
    async find(filter, window, least_no = 0) {
      return (await ask({ search: { filter, window }, least_no }))!;
    },
    async close() {
      await thread?.terminate();
    },
  };
}
