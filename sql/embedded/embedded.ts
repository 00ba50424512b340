import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import { locateCluster } from './cluster.ts';
import { removeUnfinished } from './initdb.ts';
import type { Connection, Keeper } from './keeper.ts';
import { connectionOf, isShared, tryKeep } from './keeper.ts';
import { withLock } from './lock.ts';
import type { Server } from './server.ts';
import {
  clearRemains,
  findReadyServer,
  findServer,
  readLog,
  startServer,
  stopServer,
} from './server.ts';

/** A share in a running server. */
export type EmbeddedServer = {
  connection: Connection;
  /**
   * Gives the share back; the last one stops the server and waits until it is gone. End the pools
   * first: a session that is still open keeps the server running. A second call does nothing more.
   */
  release(): Promise<void>;
};

/**
 * Gets a share in the embedded Postgres of DATA_DIR (`dataDir`, created when absent): adopts the
 * server that is running, clears what a killed one left, or makes and starts one. Any number of
 * processes, and callers within one, may share it. The database is `registry`, the user a superuser;
 * only processes of the system user that Postgres runs as, and root, can connect.
 *
 * A share outlives its server: whenever that ends, it is started again. A process that ends without
 * releasing leaves the server running for the next one to adopt.
 *
 * `durable: false` trades safety from a crash of the system for speed (tests); who starts the server
 * decides it. Throws sentences, with the end of `<dataDir>/postgres.log` where that explains more.
 */
export async function acquireEmbedded(
  dataDir: string,
  options: { durable?: boolean } = {},
): Promise<EmbeddedServer> {
  const path = resolve(dataDir);
  const durable = options.durable ?? true;
  await mkdir(path, { recursive: true }).catch((cause: Error) => {
    throw new Error(`The data directory ${path} cannot be made: ${cause.message}`, { cause });
  });
  const release = new AbortController();
  let revival: Promise<void> | undefined;
  const onLost = () => {
    revival = release.signal.aborted ? revival : revive();
  };
  const first = withLock(lockOf(path), async () => {
    const cluster = await locateCluster(path);
    return { cluster, ...(await hold(cluster, durable, onLost)) };
  });
  let { cluster, server, keeper } = await first;

  async function revive(): Promise<void> {
    // It may be lost before it has been handed over.
    await first;
    for (let wait_ms = 50; !release.signal.aborted; wait_ms = Math.min(wait_ms * 2, 30_000)) {
      try {
        const revived = await withLock(lockOf(path), async () =>
          // Whoever has removed the cluster wants no new one.
          isCluster(cluster) ? await hold(cluster, durable, onLost) : undefined,
        );
        keeper = revived?.keeper ?? keeper;
        return;
      } catch {
        // Whoever uses the database sees what is wrong with it; here only the next attempt counts.
        const { signal } = release;
        await sleep(wait_ms, undefined, { ref: false, signal }).catch(() => undefined);
      }
    }
  }

  const end = async () => {
    release.abort();
    await revival;
    await withLock(lockOf(path), () => leave(cluster, keeper));
  };
  let ending: Promise<void> | undefined;
  return { connection: connectionOf(server), release: () => (ending ??= end()) };
}

/**
 * Stops the server of DATA_DIR, whoever uses it, and removes its cluster and logs with all data.
 * For tests; shares that are still held are void.
 */
export async function destroyEmbedded(dataDir: string): Promise<void> {
  const path = resolve(dataDir);
  if (!existsSync(path)) {
    return;
  }
  await withLock(lockOf(path), async () => {
    const cluster = await locateCluster(path);
    const server = await findServer(cluster);
    if (server !== undefined) {
      await stopServer(server, 'SIGQUIT');
    }
    await clearRemains(cluster);
    await removeUnfinished(cluster.home);
    if (existsSync(cluster.directory)) {
      // First a name that nobody takes for a cluster, should this be killed half-way.
      const removed = join(cluster.home, 'postgres.new-removed');
      await rename(cluster.directory, removed);
      await rm(removed, { recursive: true, maxRetries: 3 });
    }
    if (cluster.home !== cluster.dataDir) {
      await rm(cluster.home, { recursive: true });
    }
    for (const name of ['postgres.location', 'postgres.log', 'postgres.log.1']) {
      await rm(join(cluster.dataDir, name), { force: true });
    }
  });
}

function lockOf(dataDir: string): string {
  return join(dataDir, 'postgres.lock');
}

function isCluster({ directory }: Cluster): boolean {
  return existsSync(join(directory, 'PG_VERSION'));
}

/** Finds or starts the server and connects to it. The caller holds the lock. */
async function hold(
  cluster: Cluster,
  durable: boolean,
  onLost: () => void,
): Promise<{ server: Server; keeper: Keeper }> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(20)) {
    const server = (await findReadyServer(cluster)) ?? (await startServer(cluster, durable));
    const keeper = await tryKeep(server);
    if (keeper !== undefined) {
      keeper.on('end', onLost);
      keeper.unref();
      return { server, keeper };
    }
  }
  throw new Error(
    `The embedded Postgres of ${cluster.dataDir} runs, but takes no connection. The end of its log:\n${await readLog(cluster)}`,
  );
}

/** Ends the keeper, and the server too where nobody else is connected. The caller holds the lock. */
async function leave(cluster: Cluster, keeper: Keeper): Promise<void> {
  keeper.ref();
  const server = await findServer(cluster);
  const isLast = server !== undefined && !(await isUsed(server, keeper));
  await keeper.end();
  if (isLast) {
    await stopServer(server, 'SIGINT');
  }
}

async function isUsed(server: Server, keeper: Keeper): Promise<boolean> {
  try {
    return await isShared(keeper);
  } catch {
    // It was lost with its server, and another process may have started this one.
  }
  let other: Keeper | undefined;
  try {
    other = await tryKeep(server);
    return other === undefined || (await isShared(other));
  } catch {
    // Who cannot count stops nothing.
    return true;
  } finally {
    await other?.end();
  }
}
