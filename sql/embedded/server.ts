import { spawn } from 'node:child_process';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { findBinaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { readText, sharedDirectory } from './cluster.ts';
import { prepareCluster, replaceFile } from './initdb.ts';
import {
  cleanEnvironment,
  findProcesses,
  identity,
  processArguments,
  processStart,
  sendSignal,
} from './process.ts';
import { readMachine, writeSettings } from './settings.ts';
import { makeSocketDirectory, removeSocketDirectory } from './socket.ts';

/** A running server, as its postmaster.pid describes it. */
export type Server = {
  pid: number;
  /** See processStart. */
  start: string;
  socketDirectory: string;
  port: number;
  status: string;
};

const poll_ms = 10;
// Recovery after a crash reads up to max_wal_size of log.
const start_ms = 600_000;
const stop_ms = 120_000;
const log_bytes = 10 * 1024 * 1024;

/** The server that runs on this cluster now, in whatever state. */
export async function findServer({ directory }: Cluster): Promise<Server | undefined> {
  const lines = ((await readText(join(directory, 'postmaster.pid'))) ?? '').split('\n');
  const pid = Number(lines[0]);
  const start = pid > 0 ? processStart(pid) : undefined;
  if (start === undefined || !(await isPostmaster(pid, directory))) {
    return undefined;
  }
  return {
    pid,
    start,
    port: Number(lines[3]),
    socketDirectory: lines[4] ?? '',
    status: lines[7]?.trim() ?? 'starting',
  };
}

/** The server that takes connections on this cluster; waits for one that is starting or stopping. */
export async function findReadyServer(cluster: Cluster): Promise<Server | undefined> {
  let stopped: number | undefined;
  for (const deadline = Date.now() + start_ms; Date.now() < deadline; await sleep(poll_ms)) {
    const server = await findServer(cluster);
    if (server === undefined || server.status === 'ready') {
      return server;
    }
    if (server.status === 'stopping' && stopped !== server.pid) {
      // Perhaps politely, waiting for clients that will never leave.
      stopped = server.pid;
      sendSignal(server.pid, 'SIGINT');
    }
  }
  throw new Error(
    `The embedded Postgres of ${cluster.dataDir} is neither ready nor gone after ${start_ms / 60_000} minutes. The end of its log:\n${await readLog(cluster)}`,
  );
}

/**
 * Starts a server on a cluster that has none, making the cluster where that is missing too. The
 * server is a session of its own: it outlives this process and no ctrl-C reaches it.
 * The caller holds the lock of DATA_DIR.
 */
export async function startServer(cluster: Cluster, durable: boolean): Promise<Server> {
  const { directory, home, user } = cluster;
  const binaries = await findBinaries(user, async () =>
    user === undefined ? home : sharedDirectory(user),
  );
  await prepareCluster(cluster, binaries, durable);
  await clearRemains(cluster);
  const settings = writeSettings(
    await readMachine(directory),
    await makeSocketDirectory(cluster),
    durable,
  );
  await replaceFile(join(directory, 'registry.conf'), settings, user);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(cluster, binaries);
    } catch (error) {
      // A session that works has not noticed yet that its server was killed.
      if (attempt === 20 || !`${error as Error}`.includes('pre-existing shared memory block')) {
        throw error;
      }
      await sleep(500);
    }
  }
}

/**
 * Stops a server and waits until it is gone. SIGINT ends its sessions and writes a checkpoint;
 * SIGQUIT leaves that to the next start.
 */
export async function stopServer(server: Server, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  sendSignal(server.pid, signal);
  if (!(await waitForEnd(server, stop_ms))) {
    sendSignal(server.pid, 'SIGQUIT');
    if (!(await waitForEnd(server, stop_ms))) {
      throw new Error(`The embedded Postgres (process ${server.pid}) does not stop.`);
    }
  }
  await removeSocketDirectory(server.socketDirectory);
}

/**
 * Ends what a killed postmaster has left: sessions that still hold the old shared memory, and a
 * postmaster.pid whose number may belong to somebody else by now.
 */
export async function clearRemains({ directory, user }: Cluster): Promise<void> {
  const remains = join(directory, 'postmaster.pid');
  if ((await readText(remains)) === undefined) {
    return;
  }
  const uid = user?.uid ?? process.getuid?.() ?? 0;
  const title = `postgres: ${await clusterName(directory)}: `;
  const begin = Date.now();
  for (let signal: NodeJS.Signals = 'SIGQUIT'; ; await sleep(poll_ms)) {
    const survivors = findProcesses(title, uid);
    if (survivors.length === 0) {
      break;
    }
    if (Date.now() - begin > 30_000) {
      throw new Error(
        `Sessions of a killed Postgres do not end (processes ${survivors.join(', ')}): end them, then start again.`,
      );
    }
    for (const pid of survivors) {
      sendSignal(pid, signal);
    }
    signal = Date.now() - begin > 1000 ? 'SIGKILL' : 'SIGQUIT';
  }
  await rm(remains, { force: true });
}

async function launch(cluster: Cluster, { bin, libraries }: Binaries): Promise<Server> {
  const { directory, user } = cluster;
  const log = await openLog(cluster);
  const { size: from } = await log.stat();
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', directory, '-c', `cluster_name=${await clusterName(directory)}`],
    {
      cwd: '/',
      detached: true,
      env: cleanEnvironment(libraries),
      stdio: ['ignore', log.fd, log.fd],
      ...identity(user),
    },
  );
  let failure: string | undefined;
  child.once('error', (error) => (failure = error.message));
  child.once('exit', (code, signal) => (failure = `it ended with ${signal ?? `code ${code}`}`));
  child.unref();
  await log.close();
  for (const deadline = Date.now() + start_ms; ; await sleep(poll_ms)) {
    const server = await findServer(cluster);
    if (server !== undefined && server.pid === child.pid && server.status === 'ready') {
      return server;
    }
    if (Date.now() > deadline) {
      failure ??= `it is not ready after ${start_ms / 60_000} minutes`;
    }
    if (failure !== undefined) {
      const tail = await readLog(cluster, from);
      throw new Error(`The embedded Postgres did not start: ${failure}. Its log:\n${tail}`);
    }
  }
}

async function waitForEnd({ pid, start }: Server, limit_ms: number): Promise<boolean> {
  for (const deadline = Date.now() + limit_ms; processStart(pid) === start; await sleep(poll_ms)) {
    if (Date.now() > deadline) {
      return false;
    }
  }
  return true;
}

/** Whether a process is the server of this directory, started by us or by hand (pg_ctl -D). */
async function isPostmaster(pid: number, directory: string): Promise<boolean> {
  // Sessions show a title, which is one single argument.
  const [program = '', ...args] = processArguments(pid);
  if (basename(program) !== 'postgres') {
    return false;
  }
  const name = `cluster_name=${await clusterName(directory)}`;
  if (args.some((arg) => arg.endsWith(name))) {
    return true;
  }
  const paths = args.map((arg) => arg.replace(/^-D */, '')).filter((arg) => isAbsolute(arg));
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return real.includes(directory);
}

/** Names a cluster in the titles of its processes; stays when the directory is moved, not in a copy. */
async function clusterName(directory: string): Promise<string> {
  const { dev, ino } = await stat(directory, { bigint: true });
  return `registry-${dev.toString(36)}-${ino.toString(36)}`;
}

async function openLog({ dataDir, user }: Cluster) {
  const path = join(dataDir, 'postgres.log');
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && found.size > log_bytes) {
    await rename(path, `${path}.1`);
  }
  const log = await open(path, 'a', 0o600);
  if (user !== undefined) {
    await log.chown(user.uid, user.gid);
  }
  return log;
}

/** The last lines of the server's log, of what was written after the first `from` bytes. */
export async function readLog({ dataDir }: Cluster, from = 0): Promise<string> {
  const log = await readFile(join(dataDir, 'postgres.log')).catch(() => Buffer.alloc(0));
  return log.subarray(from).toString().trim().split('\n').slice(-15).join('\n');
}
