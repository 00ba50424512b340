// This file runs the index process, which keeps the search index until the last API process of the machine disconnects.
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { withLock } from '../../sql/process/file-lock.ts';
import type { SearchPlace } from './index-socket.ts';
import { type SearchQuestion, SearchStore } from './keep-current.ts';

/** The time in ms after which the index process ends if no API process has connected. */
const mostIdle_ms = 10_000;

export type SearchAnswer = Awaited<ReturnType<typeof answer>>;

async function answer(store: SearchStore, request: IncomingMessage) {
  try {
    const question = (await json(request)) as SearchQuestion;
    return { found: await store.find(question), memory_bytes: process.memoryUsage.rss() };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { error: { message, code } };
  }
}

/** Accepts connections of API processes, and ends this process when the last API process disconnects. */
function listen(place: SearchPlace): Promise<never> {
  rmSync(place.socket, { force: true });
  process.on('exit', () => {
    for (const path of [place.socket, `${place.socket}.lock`]) rmSync(path, { force: true });
  });
  const store = new SearchStore(place);
  let clientCount = 0;
  const endUnused = () => clientCount === 0 && process.exit();
  // API processes keep their connections open, so that this process can count the API processes.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    void answer(store, request).then((found) => response.end(JSON.stringify(found)));
  });
  server.on('connection', (socket) => {
    clientCount += 1;
    socket.once('close', () => {
      clientCount -= 1;
      endUnused();
    });
  });
  server.listen(place.socket);
  setTimeout(endUnused, mostIdle_ms);
  return new Promise<never>(() => undefined);
}

process.title = 'registry search';
const place = (await json(process.stdin)) as SearchPlace;
// This process exits if another index process holds the file lock.
await withLock(
  `${place.socket}.lock`,
  () => listen(place),
  () => process.exit(),
);
