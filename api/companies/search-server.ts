// The process that has the index of the search, for the API processes of a machine that have the same
// database and version. It ends with the last of them.
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { withLock } from '../../sql/process/file-lock.ts';
import type { SearchPlace } from './search-place.ts';
import { type SearchQuestion, SearchStore } from './search-store.ts';

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

function serve(store: SearchStore, socket: Socket): void {
  const lines = createInterface(socket);
  // A client that is gone misses nothing. The lines have the errors of the socket too.
  for (const one of [socket, lines]) one.on('error', () => undefined);
  const reply = async (line: string) => {
    const { id, ...question } = JSON.parse(line) as SearchQuestion & { id: number };
    const answered = await answer(store, question);
    if (socket.writable) socket.write(`${JSON.stringify({ id, ...answered })}\n`);
  };
  lines.on('line', (line) => void reply(line));
}

/** Listens until the last client is gone. */
function listen(place: SearchPlace): Promise<never> {
  const remove = () => rmSync(place.socket, { force: true });
  remove();
  process.on('exit', () => {
    remove();
    rmSync(`${place.socket}.lock`, { force: true });
  });
  const store = new SearchStore(place);
  const restored = store.restore();
  let clientCount = 0;
  const endUnused = () => clientCount === 0 && process.exit();
  const server = createServer((socket) => {
    clientCount += 1;
    socket.once('close', () => {
      clientCount -= 1;
      endUnused();
    });
    void restored.then(() => serve(store, socket));
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
