import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, locateCluster } from './cluster.ts';
import { isCluster } from './initdb.ts';
import { withLock } from '../process/file-lock.ts';
import { joinServer, startServer, stopServer } from './server.ts';
import { database, isLast, type Session } from './session.ts';
import { type ServerOptions, socketPort } from './settings.ts';

/** How to connect to the embedded Postgres; `host` is the directory of its unix socket. */
export type Connection = { host: string; port: number; user: string; database: string };

/**
 * Gets a share of the embedded Postgres of DATA_DIR (`dataDir`, created when absent): adopts the
 * running server, clears what a killed one left, or creates and starts one. Any number of processes,
 * and of callers within one, share it. The user is a superuser of the database `registry`.
 *
 * Each share has an idle session of its own, and starts the server again when it ends. The last release
 * stops the server; end the pools first, because an open session keeps it running. A process that ends
 * without a release leaves the server to the next one. Throws sentences.
 *
 * @param options of the server, where it does not run yet
 */
export async function acquireEmbedded(
  dataDir: string,
  { durable, readerPort }: ServerOptions = {},
) {
  const path = resolve(dataDir);
  await mkdir(path, { recursive: true }).catch((cause: Error) => {
    throw new Error(`The data directory ${path} cannot be made: ${cause.message}`, { cause });
  });
  const lock = lockOf(path);
  const released = new AbortController();
  let session: Session | undefined;
  let revival: Promise<void> | undefined;
  // A server that is started again has the port that the pools know.
  let known = { durable, readerPort };

  async function enter(cluster: Cluster): Promise<Session> {
    const joined = (await joinServer(cluster)) ?? (await startServer(cluster, known));
    known = { durable, readerPort: joined.port === socketPort ? undefined : joined.port };
    joined.once('end', () => {
      session = undefined;
      if (!released.signal.aborted) revival = revive(cluster);
    });
    return (session = joined);
  }

  async function revive(cluster: Cluster): Promise<void> {
    const { signal } = released;
    for (let wait_ms = 50; !signal.aborted; wait_ms = Math.min(wait_ms * 2, 30_000)) {
      try {
        // A cluster that was removed stays removed.
        await withLock(lock, async () => isCluster(cluster.directory) && (await enter(cluster)));
        return;
      } catch {
        // The pools of this process report what is wrong.
        await sleep(wait_ms, undefined, { ref: false, signal }).catch(() => undefined);
      }
    }
  }

  const [cluster, { host, port, user = '' }] = await withLock(lock, async () => {
    const located = await locateCluster(path);
    return [located, await enter(located)] as const;
  });
  const connection: Connection = { host, port, user, database };
  const release = async () => {
    released.abort();
    await revival;
    await withLock(lock, () => leave(cluster, session));
  };
  let releasing: Promise<void> | undefined;
  return { connection, release: () => (releasing ??= release()) };
}

export function lockOf(dataDir: string): string {
  return join(dataDir, 'postgres.lock');
}

/** Ends a share, and the server after the last share. The caller holds the lock. */
async function leave(cluster: Cluster, own: Session | undefined): Promise<void> {
  // A share that lost its session, as after the loss of a backend, needs another to count.
  const session = own ?? (await joinServer(cluster));
  if (session === undefined) return;
  session.ref();
  const isUnused = await isLast(session).catch(() => undefined);
  await session.end();
  // A session that has just been lost cannot tell; a server that cannot tell is left running.
  if (isUnused === undefined && session === own) await leave(cluster, undefined);
  else if (isUnused) await stopServer(cluster, 'fast');
}
