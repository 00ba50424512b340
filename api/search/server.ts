// Runs the index process, which holds the search index for the API processes of a machine until the last disconnects.
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { withLock } from '../../sql/process/file-lock.ts';
import type { SearchPlace } from './place.ts';
import { type SearchQuestion, SearchStore } from './store.ts';

/** The time in ms after which the index process ends if no API process is connected. */
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

/** Answers each question of a client, which is one line of JSON, by one line, until the client disconnects. */
async function serve(store: SearchStore, socket: Socket): Promise<void> {
  for await (const line of createInterface(socket)) {
    socket.write(`${JSON.stringify(await answer(store, JSON.parse(line) as SearchQuestion))}\n`);
  }
}

/** Listens for API processes, and ends this process when the last one disconnects. */
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
    // Socket errors are ignored: a lost client needs no answer.
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
// Another process that holds the lock has the index, so that this one exits.
await withLock(
  `${place.socket}.lock`,
  () => listen(place),
  () => process.exit(),
);
