import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { ClientConfig } from 'pg';
import { patience } from '../figures/timeouts.ts';
import { HttpError, loading } from '../http/errors.ts';
import { keep } from '../http/cached-read.ts';
import { findPlace, makeSocketFolder, type SearchPlace } from './index-socket.ts';
import { type Found, notLoaded, type Search } from './segments.ts';
import type { SearchAnswer } from './server.ts';
import type { SearchQuestion } from './keep-current.ts';

/** The maximum number of sent searches without an answer (one runs, one is queued); unsent ones can be cancelled. */
const mostAsked = 2;

/** The pause in ms between two attempts to connect to the index process, and between two attempts to start it. */
const [look_ms, start_ms] = [20, 2_000];

export type SearchIndex = ReturnType<typeof createSearchIndex>;

/** Starts an index process, which outlives this API process, but exits if another index process is running. */
function startServer(place: SearchPlace): void {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server.ts')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(place));
  child.unref();
}

/**
 * Returns a client of the search index. All API processes of a machine share one index process. If no index process is
 * running, the client starts one, and repeats the search.
 */
export function createSearchIndex(
  servers: readonly ClientConfig[],
  { folder, patience_ms = patience.search_ms }: { folder?: string; patience_ms?: number } = {},
) {
  const inTurn = pLimit(mostAsked);
  const readPlace = keep(() => findPlace(servers, folder));
  const agent = new Agent({ keepAlive: true });
  const closed = new AbortController();
  const { signal } = closed;
  let memory_bytes = 0;

  /** Sends a search to the index process. Throws a 503 if no answer comes within `answer_ms`. */
  async function askOnce(socketPath: string, question: SearchQuestion): Promise<SearchAnswer> {
    const timeout = patience.answer_ms;
    const request = sendRequest({ socketPath, method: 'POST', agent, signal, timeout });
    request.on('timeout', () => request.destroy(loading()));
    // The `error` event is ignored, since `once` below throws the same error.
    request.on('error', () => undefined);
    request.end(JSON.stringify(question));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return (await json(response)) as SearchAnswer;
  }

  /** Repeats a search until the index process answers; starts the process if necessary. Throws a 503 on timeout. */
  async function ask(question: SearchQuestion): Promise<SearchAnswer> {
    const place = await readPlace();
    const begun_ms = performance.now();
    for (let started_ms = -Infinity; ; await delay(look_ms, undefined, { signal })) {
      await makeSocketFolder(place);
      try {
        return await askOnce(place.socket, question);
      } catch (error) {
        signal.throwIfAborted();
        const now_ms = performance.now();
        if (error instanceof HttpError || now_ms - begun_ms > patience.answer_ms) throw loading();
        if (now_ms - started_ms < start_ms) continue;
        started_ms = now_ms;
        startServer(place);
      }
    }
  }

  /**
   * Returns the ids of the companies that match a search, in the snapshot `least_no` or a newer snapshot. If loading
   * this snapshot takes longer than `patience_ms`, the older loaded snapshot answers. Throws a 503 if no snapshot is
   * loaded, or if the client has disconnected (`isGone`).
   */
  async function find(search: Search, least_no = 0, isGone = () => false): Promise<Found> {
    return inTurn(async () => {
      if (isGone()) throw loading();
      const { found, error, memory_bytes: bytes } = await ask({ search, least_no, patience_ms });
      if (error?.code === notLoaded) throw loading();
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      memory_bytes = bytes;
      return found;
    });
  }

  return {
    find,
    /** Returns whether the companies are loaded into the index; if not, starts to load them. */
    async isReady(): Promise<boolean> {
      try {
        await find({ filter: { status: 'ACTIVE' }, skipped: 0, size: 0 });
        return true;
      } catch (error) {
        if (error instanceof HttpError) return false;
        throw error;
      }
    },
    /** Returns the memory in bytes that the shared index process had at the last search; 0: no search has run yet. */
    memory_bytes: () => memory_bytes,
    close(): void {
      closed.abort();
      agent.destroy();
    },
  };
}
