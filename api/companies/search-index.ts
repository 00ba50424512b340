import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import type { ClientConfig } from 'pg';
import { HttpError, loading } from '../http/errors.ts';
import { findPlace, type SearchPlace } from './search-place.ts';
import type { Found, Search } from './search-segments.ts';
import type { SearchAnswer } from './search-server.ts';
import type { Patience_ms, SearchQuestion } from './search-store.ts';

/** A search that has no answer after this time gets a 503: the companies are still loading. */
const mostWait_ms = 3_000;

/** The patience of a search that must not be answered from an older snapshot: longer than it waits. */
const endless_ms: Patience_ms = [60_000, 60_000];

/** Questions that are under way at a time: one is answered, one is next. The others can be taken back. */
const mostAsked = 2;

/** How often the process that has the index is looked for, and how often it is started. */
const [look_ms, start_ms] = [20, 2_000];

const serverPath = fileURLToPath(new URL('search-server.ts', import.meta.url));

export type SearchIndex = ReturnType<typeof createSearchIndex>;

/** Starts a process that outlives this one, unless there is one already. */
function startServer(place: SearchPlace): void {
  const child = spawn(process.execPath, [serverPath], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(place));
  child.unref();
}

/**
 * Searches in the index that the API processes of a machine share. The first question starts the process
 * that has it, and makes that load all companies. Where that process was ended, another one is started,
 * and asked again.
 *
 * @param connections where the companies may be read, the writer last
 * @param options.folder where the index is kept, so that the next process need not load it; absent: nowhere
 * @param options.patience_ms a search waits so long for a snapshot that was just published, and is then
 *   answered from the one before; absent: up to the time limit
 */
export function createSearchIndex(
  connections: readonly ClientConfig[],
  { folder, patience_ms = endless_ms }: { folder?: string; patience_ms?: Patience_ms } = {},
) {
  const inTurn = pLimit(mostAsked);
  const closed = new AbortController();
  /** What takes the answers to questions that are under way; undefined: the process has ended. */
  const asked = new Map<number, (answer?: SearchAnswer) => void>();
  let last_id = 0;
  let opening: Promise<Socket> | undefined;
  let isLoaded = false;
  let memory_bytes = 0;

  function forget(): void {
    opening = undefined;
    isLoaded = false;
    for (const take of asked.values()) take();
    asked.clear();
  }

  /** Connects with the process that has the index, which answers a line with a line. */
  async function open(): Promise<Socket> {
    closed.signal.throwIfAborted();
    const place = await findPlace(connections, folder);
    for (let started_ms = -Infinity; ; await delay(look_ms, undefined, closed)) {
      const socket = connect(place.socket).unref();
      try {
        await once(socket, 'connect');
      } catch {
        if (performance.now() - started_ms < start_ms) continue;
        started_ms = performance.now();
        startServer(place);
        continue;
      }
      const lines = createInterface(socket);
      // The lines have the errors of the socket too; what counts is its end.
      for (const one of [socket, lines]) one.on('error', () => undefined);
      socket.once('close', forget);
      lines.on('line', (line) => {
        const { id, ...answer } = JSON.parse(line) as SearchAnswer & { id: number };
        asked.get(id)?.(answer);
        asked.delete(id);
      });
      return socket;
    }
  }

  /** Undefined where the process ends meanwhile. */
  async function ask(question: SearchQuestion): Promise<SearchAnswer | undefined> {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    const socket = await opening;
    const id = (last_id += 1);
    const answer = new Promise<SearchAnswer | undefined>((resolve) => asked.set(id, resolve));
    socket.write(`${JSON.stringify({ id, ...question })}\n`);
    return answer;
  }

  /**
   * Finds companies, in the order of their ids, in a snapshot that is at least `least_no`, or in the one
   * before while that is loading. Throws a 503 while no companies are loaded.
   *
   * @param options.gone a question that waits for its turn is then not asked any more
   * @param options.mayWait it waits up to the time limit for the snapshot
   */
  async function find(
    search: Search,
    least_no = 0,
    { gone, mayWait }: { gone?: AbortSignal; mayWait?: boolean } = {},
  ): Promise<Found> {
    const question = { search, least_no, patience_ms: mayWait ? endless_ms : patience_ms };
    const timeout = AbortSignal.timeout(mostWait_ms);
    // The turn of a question that is asked lasts until its answer, also when the client is gone.
    return inTurn(async () => {
      const late = once(timeout, 'abort').then(() => undefined);
      for (;;) {
        if (timeout.aborted || gone?.aborted) throw loading();
        const answer = await Promise.race([ask(question), late]);
        if (!answer) continue;
        const { found, error } = answer;
        if (error) throw Object.assign(new Error(error.message), { code: error.code });
        [isLoaded, memory_bytes] = [true, answer.memory_bytes];
        return found;
      }
    });
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
    /** The memory of the process that has the index, which other API processes share; 0: unknown. */
    memory_bytes: () => memory_bytes,
    async close(): Promise<void> {
      closed.abort();
      await opening?.then((socket) => socket.destroy()).catch(() => undefined);
    },
  };
}
