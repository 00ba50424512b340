import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pRetry from 'p-retry';
import { type Cluster, locateCluster } from './cluster.ts';
import { isCluster } from './initdb.ts';
import { withLock } from '../process/file-lock.ts';
import { joinServer, startServer, stopServer } from './server.ts';
import { database, isLast, type Session } from './session.ts';
import { type ServerOptions, socketPort } from './settings.ts';

/** The pauses between attempts to restart a server, in ms; a process may end during a pause. */
const revival_waits = { retries: Infinity, minTimeout: 50, maxTimeout: 30_000, unref: true };

/**
 * Returns a share of the embedded Postgres server of DATA_DIR (`dataDir`, created if missing), which the caller
 * releases. If no server runs, clears the remains of a killed server, creates a missing cluster and starts the server.
 * Any number of processes and callers share the server. The login is a superuser of the database `registry`.
 *
 * Each share has its own idle session, and restarts the server when this session ends. The release of the last share
 * stops the server. Pools must be closed before the last release, because an open session keeps the server running. If
 * a process ends without a release, the server continues to run for the next process. Throws readable errors.
 *
 * @param options the settings of the server, if this call starts it
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
  let revival: Promise<unknown> | undefined;
  // A restarted server keeps the port that the pools of this process use.
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

  function revive(cluster: Cluster): Promise<unknown> {
    // If the cluster was removed, it is not created again.
    const restart = () =>
      withLock(lock, async () => isCluster(cluster.directory) && (await enter(cluster)));
    // An error of the restart is not reported, because the pools of this process report the lost server.
    return pRetry(restart, { ...revival_waits, signal: released.signal }).catch(() => undefined);
  }

  const [cluster, { host, port, user = '' }] = await withLock(lock, async () => {
    const located = await locateCluster(path);
    return [located, await enter(located)] as const;
  });
  // `host` is the directory of the Unix socket.
  const connection = { host, port, user, database };
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

/** Releases a share, and stops the server if it was the last share. The caller must hold the lock of DATA_DIR. */
async function leave(cluster: Cluster, own: Session | undefined): Promise<void> {
  // If the share has lost its session, it opens a new session to count the other shares.
  const session = own ?? (await joinServer(cluster));
  if (session === undefined) return;
  session.ref();
  const isUnused = await isLast(session).catch(() => undefined);
  await session.end();
  // If this session is lost too, the count is repeated once; after another loss the server is not stopped.
  if (isUnused === undefined && session === own) await leave(cluster, undefined);
  else if (isUnused) await stopServer(cluster, 'fast');
}
