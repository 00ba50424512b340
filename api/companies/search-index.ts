import { once } from 'node:events';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import pLimit from 'p-limit';
import type { ClientConfig } from 'pg';
import { HttpError, loading } from '../http/errors.ts';
import type { SearchFilter } from './search-filter.ts';
import type { SearchAnswer } from './search-thread.ts';

/** A search that has no answer after this time gets a 503: the companies are still loading. */
const mostWait_ms = 3_000;

/** Questions that the thread has at a time: the one it answers, and the next. The others can be taken back. */
const mostAsked = 2;

/** A filter, and the part of the matches that is listed. */
export interface Search {
  filter: SearchFilter;
  skipped: number;
  size: number;
}

/** The result of a search in a snapshot: the count of all matches, and the ids in the listed part. */
export interface Found {
  snapshot_no: number;
  total: number;
  company_ids: number[];
}

/** A question to the thread, which answers to the port. */
export type SearchQuestion = { port: MessagePort; search: Search; least_no: number };

export type SearchIndex = ReturnType<typeof createSearchIndex>;

/**
 * Opens the thread that searches at the first question, which makes it load a copy of all companies.
 *
 * @param connections where the companies may be read, the writer last
 */
export function createSearchIndex(connections: readonly ClientConfig[]) {
  let thread: Worker | undefined;
  let isLoaded = false;
  const inTurn = pLimit(mostAsked);

  function openThread(): Worker {
    const opened = new Worker(new URL('search-thread.ts', import.meta.url), {
      workerData: connections,
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    // Pending questions end at their time limit.
    opened.on('error', () => undefined);
    opened.once('exit', () => {
      thread = undefined;
      isLoaded = false;
    });
    opened.unref();
    return opened;
  }

  /**
   * Finds companies, in the order of their ids, in a snapshot that is at least `least_no`. Throws a 503
   * while the companies are loading.
   *
   * @param gone a question that waits for its turn is then not asked any more
   */
  async function find(search: Search, least_no = 0, gone?: AbortSignal): Promise<Found> {
    const timeout = AbortSignal.timeout(mostWait_ms);
    const over = AbortSignal.any(gone ? [timeout, gone] : [timeout]);
    // The turn of a question that the thread has lasts until its answer, also when the client is gone.
    return inTurn(() =>
      over.aborted ? Promise.reject(loading()) : ask(search, least_no, timeout),
    );
  }

  async function ask(search: Search, least_no: number, timeout: AbortSignal): Promise<Found> {
    thread ??= openThread();
    const { port1, port2: port } = new MessageChannel();
    try {
      const answered = once(port1, 'message', { signal: timeout });
      thread.postMessage({ port, search, least_no } satisfies SearchQuestion, [port]);
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
    find,
    /** Whether loading has ended. Starts the loading if necessary, and waits up to the time limit. */
    async isReady(): Promise<boolean> {
      try {
        if (!isLoaded) await find({ filter: { status: 'ACTIVE' }, skipped: 0, size: 0 });
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
      }
      return isLoaded;
    },
    async close(): Promise<void> {
      await thread?.terminate();
    },
  };
}
