import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { ClientConfig } from 'pg';
import { patience } from '../figures/timeouts.ts';
import { HttpError, loading } from '../http/errors.ts';
import { findPlace, type SearchPlace } from './place.ts';
import { type Found, notLoaded, type Search } from './segments.ts';
import type { SearchAnswer } from './server.ts';
import type { SearchQuestion } from './store.ts';

/** The most questions at the index process at a time: one is answered, one waits. Later ones can be cancelled. */
const mostAsked = 2;

/** The pause between two attempts to connect to the index process, and between two starts, in ms. */
const [look_ms, start_ms] = [20, 2_000];

export type SearchIndex = ReturnType<typeof createSearchIndex>;

/** Returns an answer; undefined when the index process has ended. Throws a 503 when it does not answer in time. */
type Ask = (question: SearchQuestion) => Promise<SearchAnswer | undefined>;

/** Starts an index process, which outlives this API process. It ends at once if another one runs. */
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

/** Connects to the index process, and starts it if none runs. Throws a 503 after `patience.answer_ms`. */
async function openSocket(place: SearchPlace, closed: AbortSignal): Promise<Socket> {
  const begun_ms = performance.now();
  for (let started_ms = -Infinity; ; await delay(look_ms, undefined, { signal: closed })) {
    const socket = connect({ path: place.socket, signal: closed }).unref();
    // A lost connection is noticed by the end of its lines, so that its error is ignored.
    socket.on('error', () => undefined);
    try {
      await once(socket, 'connect');
      return socket;
    } catch {
      closed.throwIfAborted();
      const now_ms = performance.now();
      if (now_ms - begun_ms > patience.answer_ms) throw loading();
      if (now_ms - started_ms < start_ms) continue;
      started_ms = now_ms;
      startServer(place);
    }
  }
}

/**
 * Returns a client of the search index, which the API processes of a machine share. If no index process runs, the
 * client starts one, and repeats a question that was lost. `SearchPlace` explains `servers` and `folder`.
 */
export function createSearchIndex(
  servers: readonly ClientConfig[],
  { folder, patience_ms = patience.search_ms }: { folder?: string; patience_ms?: number } = {},
) {
  const inTurn = pLimit(mostAsked);
  const closed = new AbortController();
  /** The open connections that no question uses. */
  const idle: Ask[] = [];
  let memory_bytes = 0;

  async function open(): Promise<Ask> {
    const socket = await openSocket(await findPlace(servers, folder), closed.signal);
    socket.on('timeout', () => void socket.destroy(loading()));
    const lines = createInterface(socket)[Symbol.asyncIterator]();
    return async (question) => {
      socket.setTimeout(patience.answer_ms);
      socket.write(`${JSON.stringify(question)}\n`);
      const { value } = await lines.next().catch((error: unknown) => {
        if (error instanceof HttpError) throw error;
        return { value: undefined };
      });
      socket.setTimeout(0);
      return value === undefined ? undefined : (JSON.parse(value) as SearchAnswer);
    };
  }

  async function ask(question: SearchQuestion): Promise<SearchAnswer> {
    for (;;) {
      const connection = idle.pop() ?? (await open());
      const answer = await connection(question);
      if (!answer) continue;
      idle.push(connection);
      return answer;
    }
  }

  /**
   * Returns the matching companies by id, from the snapshot `least_no` or a newer one; from the loaded one where
   * loading takes longer than the patience. Throws a 503 while none is loaded, and asks nothing for a client that `isGone`.
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
    /** Returns whether the companies are loaded. Starts loading if necessary, and waits as long as a search does. */
    async isReady(): Promise<boolean> {
      try {
        await find({ filter: { status: 'ACTIVE' }, skipped: 0, size: 0 });
        return true;
      } catch (error) {
        if (error instanceof HttpError) return false;
        throw error;
      }
    },
    /** Returns the memory of the index process, which API processes share, in bytes; 0: unknown. */
    memory_bytes: () => memory_bytes,
    close: () => closed.abort(),
  };
}
