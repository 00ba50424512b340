// The process that has the index of the search, for the API processes of a machine that have the same
// database and version. It ends with the last of them.
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { withLock } from '../../sql/process/file-lock.ts';
import type { SearchPlace } from './place.ts';
import { type SearchQuestion, SearchStore } from './store.ts';

/** The API process that starts this one connects at once; if it never does, this one ends. */
const mostIdle_ms = 10_000;

export type SearchAnswer = Awaited<ReturnType<typeof answer>>;

async function answer(store: SearchStore, question: SearchQuestion) {
  try {
    return { found: await store.find(question), memory_bytes: process.memoryUsage.rss() };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { error: { message, code } };
  }
}

/** Answers a line with a line, until the client is gone. */
async function serve(store: SearchStore, socket: Socket): Promise<void> {
  for await (const line of createInterface(socket)) {
    socket.write(`${JSON.stringify(await answer(store, JSON.parse(line) as SearchQuestion))}\n`);
  }
}

/** Listens until the last client is gone. */
function listen(place: SearchPlace): Promise<never> {
  rmSync(place.socket, { force: true });
  process.on('exit', () => {
    for (const path of [place.socket, `${place.socket}.lock`]) rmSync(path, { force: true });
  });
  const store = new SearchStore(place);
  let clientCount = 0;
  const endUnused = () => clientCount === 0 && process.exit();
  const server = createServer((socket) => {
    clientCount += 1;
    // A client that is gone misses nothing.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clientCount -= 1;
      endUnused();
    });
    serve(store, socket).catch(() => undefined);
  });
  server.listen(place.socket);
  setTimeout(endUnused, mostIdle_ms);
  return new Promise<never>(() => undefined);
}

process.title = 'registry search';
const place = JSON.parse(await text(process.stdin)) as SearchPlace;
// Where another process holds the lock, that one has the index.
await withLock(
  `${place.socket}.lock`,
  () => listen(place),
  () => process.exit(),
);
