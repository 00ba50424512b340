import { createHash } from 'node:crypto';
import { chmod, open, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { createCluster, isCluster } from './initdb.ts';
import {
  findProcess,
  listProcesses,
  processStart,
  readText,
  run,
  until,
} from '../process/system-process.ts';
import { openSession, type Session } from './session.ts';
import { admission, readMachine, type ServerOptions, writeSettings } from './settings.ts';

const wait_ms = 120_000;
const log_bytes = 10 * 1024 * 1024;
const socketPrefix = '/tmp/registry-';

/**
 * Opens a session on the server of a cluster; waits while the server starts, stops or recovers.
 * Returns undefined when no server runs. The caller holds the lock of DATA_DIR.
 */
export async function joinServer(cluster: Cluster): Promise<Session | undefined> {
  let session: Session | undefined;
  let refusal = 'it does not become ready';
  const isDecided = await until(async () => {
    const server = await findServer(cluster);
    // A smart shutdown waits for clients that may never leave.
    if (server?.status === 'stopping') await stopServer(cluster, 'fast');
    if (server?.status !== 'ready') return server === undefined;
    try {
      session = await openSession(server.host, server.port);
    } catch (error) {
      refusal = (error as Error).message;
      // Postgres logs each attempt.
      await sleep(100);
    }
    return session !== undefined;
  }, wait_ms);
  if (isDecided) return session;
  throw new Error(
    `The embedded Postgres of ${cluster.dataDir} runs, but takes no connection: ${refusal}. The end of its log:\n${await readLog(cluster)}`,
  );
}

/**
 * Starts a server on a cluster that has none, and opens a session on it. Creates the cluster where
 * it is absent. The server outlives this process. The caller holds the lock of DATA_DIR.
 */
export async function startServer(cluster: Cluster, options: ServerOptions): Promise<Session> {
  const { directory, user } = cluster;
  if (!isCluster(directory)) await createCluster(cluster, await findBinaries(cluster), options);
  await clearRemains(cluster);
  // Postgres refuses a copy that belongs to root or is open to others.
  if ((await stat(directory)).uid !== user.uid) {
    await run('chown', ['-Rh', `${user.uid}:${user.gid}`, directory]);
  }
  await chmod(directory, 0o700);
  await configure(cluster, options);
  await control(cluster, ['start', '-o', `-c cluster_name=${await nameOf(cluster)}`]);
  const session = await joinServer(cluster);
  if (session !== undefined) return session;
  throw new Error(`The embedded Postgres did not start. Its log:\n${await readLog(cluster)}`);
}

/** Stops the server of a cluster, if one runs. `immediate` leaves the checkpoint to the next start. */
export async function stopServer(cluster: Cluster, mode: 'fast' | 'immediate'): Promise<void> {
  const server = await findServer(cluster);
  if (server === undefined) return;
  const isGone = () => processStart(server.pid) !== server.start;
  for (const attempt of [mode, 'immediate']) {
    // pg_ctl would wait for postmaster.pid only, which goes shortly before the process.
    await control(cluster, ['stop', '-W', '-m', attempt]);
    if (!(await until(isGone, wait_ms))) continue;
    if (server.host.startsWith(socketPrefix)) await rmdir(server.host).catch(() => undefined);
    return;
  }
  throw new Error(`The embedded Postgres of ${cluster.dataDir} does not stop.`);
}

/**
 * Ends and removes what a killed postmaster left: sessions that still use its shared memory, and a
 * postmaster.pid whose pid another process may have now. The caller holds the lock of DATA_DIR.
 */
export async function clearRemains(cluster: Cluster): Promise<void> {
  const remains = join(cluster.directory, 'postmaster.pid');
  if ((await readText(remains)) === undefined) return;
  const name = await nameOf(cluster);
  const isClear = await until(() => {
    const survivors = listProcesses().filter(({ command }) => isNamed(command, name));
    for (const { pid } of survivors) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    return survivors.length === 0;
  }, wait_ms);
  if (!isClear) throw new Error(`Sessions of a killed Postgres do not end: ${cluster.directory}`);
  await rm(remains, { force: true });
}

/** The server that runs on a cluster, in whatever state, as its postmaster.pid describes it. */
async function findServer(cluster: Cluster) {
  const text = await readText(join(cluster.directory, 'postmaster.pid'));
  if (text === undefined) return undefined;
  const [pid, , , port, host = '', , , status = ''] = text.split('\n');
  const { command = '', start } = findProcess(Number(pid)) ?? {};
  // A server that was started by hand has no name. It counts, because it may be this one.
  const isByHand = /^(\S*\/)?postgres( -|$)/.test(command) && !command.includes('cluster_name=');
  if (!isByHand && !isNamed(command, await nameOf(cluster))) return undefined;
  return { pid: Number(pid), start, host, port: Number(port), status: status.trim() };
}

/** Runs pg_ctl, which waits until a server that it starts is ready or has failed. */
async function control(cluster: Cluster, args: string[]): Promise<void> {
  const { user, directory } = cluster;
  const program = join(await findBinaries(cluster), 'pg_ctl');
  await using log = await openLog(cluster);
  // pg_ctl does not quote a path that it gets by -D. Recovery reads up to max_wal_size of WAL.
  const env = { PGDATA: directory, PGCTLTIMEOUT: '600' };
  await run(program, ['-s', ...args], { user, env, log: log.fd });
}

/** Whether a command line belongs to the cluster of this name: postmaster, session or pg_ctl. */
function isNamed(command: string, name: string): boolean {
  const isSession = command.startsWith(`postgres: ${name}: `);
  return isSession || `${command} `.includes(`cluster_name=${name} `);
}

/** The name in a cluster's command lines; it stays when the cluster moves, and differs in a copy. */
async function nameOf({ directory }: Cluster): Promise<string> {
  const { dev, ino } = await stat(directory, { bigint: true });
  return `registry-${dev.toString(36)}-${ino.toString(36)}`;
}

/**
 * Makes the directory of the socket and writes the settings, both as the user of the cluster: root must
 * not follow a link of another user. The path is the same at each start, for pools that lost their server.
 * Only this user and root can enter the directory, because Postgres trusts its clients.
 */
async function configure({ directory, user }: Cluster, options: ServerOptions): Promise<void> {
  const machine = await readMachine(directory);
  const digest = createHash('sha256').update(directory).digest('hex').slice(0, 12);
  const script =
    'rm -rf "$0" && mkdir -m 700 "$0" && printf %s "$2" > "$1" && printf %s "$4" > "$3"';
  let reason = '';
  // Fails where another user has taken the name.
  for (const suffix of ['', '-1', '-2', '-3']) {
    const socket = `${socketPrefix}${digest}${suffix}`;
    const settings = writeSettings(machine, socket, options);
    const files = [join(directory, 'registry.conf'), settings];
    files.push(join(directory, 'pg_hba.conf'), admission);
    const args = ['-c', script, socket, ...files];
    const { code, output } = await run('/bin/sh', args, { user });
    if (code === 0) return;
    reason = output;
  }
  throw new Error(`The settings and the socket of Postgres cannot be written: ${reason}`);
}

async function openLog({ dataDir, user }: Cluster) {
  const path = join(dataDir, 'postgres.log');
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && found.size > log_bytes) await rename(path, `${path}.1`);
  const log = await open(path, 'a', 0o600);
  await log.chown(user.uid, user.gid);
  return log;
}

/** The last 15 lines of the log of the server of a data directory; empty where there is none. */
export async function readLog({ dataDir }: Pick<Cluster, 'dataDir'>): Promise<string> {
  const log = await readFile(join(dataDir, 'postgres.log'), 'utf8').catch(() => '');
  return log.trim().split('\n').slice(-15).join('\n');
}
