import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { ClientConfig } from 'pg';
import { patience } from '../figures.ts';
import { HttpError, loading } from '../http/errors.ts';
import { findPlace, type SearchPlace } from './place.ts';
import { type Found, notLoaded, type Search } from './segments.ts';
import type { SearchAnswer } from './server.ts';
import type { SearchQuestion } from './store.ts';

/** Questions that are under way at a time: one is answered, one is next. The others can be taken back. */
const mostAsked = 2;

/** How often the process that has the index is looked for, and how often it is started. */
const [look_ms, start_ms] = [20, 2_000];

export type SearchIndex = ReturnType<typeof createSearchIndex>;

/** Asks one question at a time; the answer is undefined where the process has ended. */
type Ask = (question: SearchQuestion) => Promise<SearchAnswer | undefined>;

/** Starts a process that outlives this one, unless there is one already. */
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

/** Connects with the process that has the index, and starts it where there is none. Throws a 503 when that takes long. */
async function openSocket(place: SearchPlace, closed: AbortSignal): Promise<Socket> {
  const begun_ms = performance.now();
  for (let started_ms = -Infinity; ; await delay(look_ms, undefined, { signal: closed })) {
    const socket = connect({ path: place.socket, signal: closed }).unref();
    // What counts is the end of its lines.
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
 * Searches in the index that the API processes of a machine share. The first question starts the process
 * that has it, and makes that load all companies. Where that process was ended, another one is started,
 * and asked again.
 *
 * @param servers where the companies may be read, the writer last
 * @param options.folder where the index is kept, so that the next process need not load it; absent: nowhere
 */
export function createSearchIndex(
  servers: readonly ClientConfig[],
  { folder, patience_ms = patience.search_ms }: { folder?: string; patience_ms?: number } = {},
) {
  const inTurn = pLimit(mostAsked);
  const closed = new AbortController();
  /** Connections without a question. */
  const idle: Ask[] = [];
  let memory_bytes = 0;

  async function open(): Promise<Ask> {
    const socket = await openSocket(await findPlace(servers, folder), closed.signal);
    socket.on('timeout', () => void socket.destroy(loading()));
    const lines = createInterface(socket)[Symbol.asyncIterator]();
    return async (question) => {
      socket.setTimeout(patience.answer_ms);
      socket.write(`${JSON.stringify(question)}\n`);
      const { value } = await lines.next().catch(() => ({ value: undefined }));
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
   * Finds companies, in the order of their ids, in a snapshot that is at least `least_no`, or in the one
   * before where loading takes longer than the patience. Throws a 503 while no companies are loaded.
   *
   * @param isGone whether nobody waits for the answer any more: the question is then not asked
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
    /** Returns whether the companies are loaded. Starts the loading if necessary, and waits for it as a search. */
    async isReady(): Promise<boolean> {
      try {
        await find({ filter: { status: 'ACTIVE' }, skipped: 0, size: 0 });
        return true;
      } catch (error) {
        if (error instanceof HttpError) return false;
        throw error;
      }
    },
    /** Returns the memory of the process that has the index, which other API processes share; 0: unknown. */
    memory_bytes: () => memory_bytes,
    close: () => closed.abort(),
  };
}
