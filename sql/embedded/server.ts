import { createHash } from 'node:crypto';
import { chmod, open, readFile, rename, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries } from './binaries.ts';
import { type Cluster, isNamed, nameOf, wait_ms } from './cluster.ts';
import { createCluster, isCluster } from './initdb.ts';
import { clearRemains } from './killed-server.ts';
import { findProcess, readText, run, until } from '../process/system-process.ts';
import { openSession, type Session } from './session.ts';
import { admission, readMachine, type ServerOptions, writeSettings } from './settings.ts';

const log_bytes = 10 * 1024 * 1024;
const socketPrefix = '/tmp/registry-';

/**
 * Opens a session on the running server of a cluster; first waits while the server starts, stops or recovers. Returns
 * undefined when no server runs. The caller must hold the lock of DATA_DIR.
 */
export async function joinServer(cluster: Cluster): Promise<Session | undefined> {
  let session: Session | undefined;
  let refusal = 'it does not become ready';
  const isDecided = await until(async () => {
    const server = await findServer(cluster);
    // A smart shutdown would wait for clients that may never leave, so a fast stop replaces it.
    if (server?.status === 'stopping') await stopServer(cluster, 'fast');
    if (server?.status !== 'ready') return server === undefined;
    try {
      session = await openSession(server.host, server.port);
    } catch (error) {
      refusal = (error as Error).message;
      // Attempts to connect are 100 ms apart, because Postgres logs each attempt.
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
 * Starts the server of a cluster that has no running server, and returns a session on it. Creates a missing
 * cluster. The server keeps running after this process ends. The caller must hold the lock of DATA_DIR.
 */
export async function startServer(cluster: Cluster, options: ServerOptions): Promise<Session> {
  const { directory, user } = cluster;
  if (!isCluster(directory)) await createCluster(cluster, await findBinaries(cluster), options);
  await clearRemains(cluster);
  // Postgres refuses a data directory that belongs to root or is open to other users, as after a copy of DATA_DIR.
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

/** Stops the server of a cluster, if a server runs. The mode `immediate` stops the server without a checkpoint. */
export async function stopServer(cluster: Cluster, mode: 'fast' | 'immediate'): Promise<void> {
  const server = await findServer(cluster);
  if (server === undefined) return;
  const isGone = () => findProcess(server.pid)?.start !== server.start;
  for (const attempt of [mode, 'immediate']) {
    // With `-W`, pg_ctl does not wait: it would wait for the removal of postmaster.pid, not for the end of the process.
    await control(cluster, ['stop', '-W', '-m', attempt]);
    if (!(await until(isGone, wait_ms))) continue;
    if (server.host.startsWith(socketPrefix)) await rmdir(server.host).catch(() => undefined);
    return;
  }
  throw new Error(`The embedded Postgres of ${cluster.dataDir} does not stop.`);
}

/** Returns the server of a cluster, also while it starts or stops, from postmaster.pid; undefined if no server runs. */
async function findServer(cluster: Cluster) {
  const text = await readText(join(cluster.directory, 'postmaster.pid'));
  if (text === undefined) return undefined;
  const [pid, , , port, host = '', , , status = ''] = text.split('\n');
  const { command = '', start } = findProcess(Number(pid)) ?? {};
  // A server that was started by hand has no cluster name, but is returned too, because it may use this cluster.
  const isByHand = /^(\S*\/)?postgres( -|$)/.test(command) && !command.includes('cluster_name=');
  if (!isByHand && !isNamed(command, await nameOf(cluster))) return undefined;
  return { pid: Number(pid), start, host, port: Number(port), status: status.trim() };
}

/** Starts the server by pg_ctl, which waits until the server is ready or has failed. */
async function control(cluster: Cluster, args: string[]): Promise<void> {
  const { user, directory } = cluster;
  const program = join(await findBinaries(cluster), 'pg_ctl');
  await using log = await openLog(cluster);
  // The path of the cluster is passed in PGDATA, because pg_ctl does not quote the path of its option -D. The timeout
  // is 600 s, because recovery after a crash may read as much WAL as max_wal_size.
  const env = { PGDATA: directory, PGCTLTIMEOUT: '600' };
  await run(program, ['-s', ...args], { user, env, log: log.fd });
}

/**
 * Creates the socket directory and writes the settings as the cluster's system user, whose symbolic links root must not
 * follow. The socket directory has the same path at each start, so that open pools find a restarted server. Only the
 * system user and root can enter the directory, because Postgres trusts every client of the socket.
 */
async function configure({ directory, user }: Cluster, options: ServerOptions): Promise<void> {
  const machine = await readMachine(directory);
  const digest = createHash('sha256').update(directory).digest('hex').slice(0, 12);
  const script =
    'rm -rf "$0" && mkdir -m 700 "$0" && printf %s "$2" > "$1" && printf %s "$4" > "$3"';
  let reason = '';
  // The script fails if another user owns a directory of the same name; then the name gets another suffix.
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

/** Returns the last 15 lines of the server's log in DATA_DIR, or an empty text without a log. */
export async function readLog({ dataDir }: Pick<Cluster, 'dataDir'>): Promise<string> {
  const log = await readFile(join(dataDir, 'postgres.log'), 'utf8').catch(() => '');
  return log.trim().split('\n').slice(-15).join('\n');
}
