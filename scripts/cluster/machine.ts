// One machine of a cluster: etcd, Patroni and the PostgreSQL that Patroni starts.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { parseEnv } from 'node:util';
import { Client } from 'pg';
import { processStart, until } from '../../sql/process/system-process.ts';
import { adminUrlOf, type Layout, type Machine } from './layout.ts';
import { freezeGroup, mark, sendSignal, signalGroup } from './process-group.ts';

const here = import.meta.dirname;
const address = (port: number) => `127.0.0.1:${port}`;
const url = (port: number) => `http://${address(port)}`;

/** Starts a program that outlives this one; its log and its number are in the folder. */
export async function startProgram(
  { user }: Layout,
  { name, folder, program, args, env }: Start,
): Promise<void> {
  const log = openSync(join(folder, `${name}.log`), 'a', 0o644);
  const child = spawn(program, args, {
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8', [mark]: folder, ...env },
    stdio: ['ignore', log, log],
    ...(process.getuid!() === 0 && user),
  });
  child.unref();
  closeSync(log);
  await writeFile(join(folder, `${name}.pid`), String(child.pid));
}

interface Start {
  name: string;
  folder: string;
  program: string;
  args: string[];
  env: NodeJS.ProcessEnv;
}

async function pidOf(folder: string, name: string): Promise<number> {
  return Number.parseInt(await readFile(join(folder, name), 'utf8'), 10);
}

export async function startEtcd(layout: Layout, { name, folder, ports }: Machine): Promise<void> {
  const peers = layout.machines.map((one) => `${one.name}=${url(one.ports.peer)}`);
  const env = {
    ...parseEnv(await readFile(join(here, 'etcd.env'), 'utf8')),
    ETCD_NAME: name,
    ETCD_DATA_DIR: join(folder, 'etcd'),
    ETCD_LISTEN_PEER_URLS: url(ports.peer),
    ETCD_LISTEN_CLIENT_URLS: url(ports.etcd),
    ETCD_INITIAL_ADVERTISE_PEER_URLS: url(ports.peer),
    ETCD_ADVERTISE_CLIENT_URLS: url(ports.etcd),
    ETCD_INITIAL_CLUSTER: peers.join(','),
  };
  await startProgram(layout, { name: 'etcd', folder, program: 'etcd', args: [], env });
}

export async function startPatroni(layout: Layout, machine: Machine): Promise<void> {
  const { name, folder, ports } = machine;
  const env = {
    PATRONI_NAME: name,
    PATRONI_RESTAPI_LISTEN: address(ports.patroni),
    PATRONI_RESTAPI_CONNECT_ADDRESS: address(ports.patroni),
    PATRONI_ETCD_HOSTS: address(ports.etcd),
    PATRONI_POSTGRESQL_LISTEN: address(ports.server),
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: address(ports.server),
    PATRONI_POSTGRESQL_DATA_DIR: join(folder, 'data'),
    PATRONI_POSTGRESQL_BIN_DIR: layout.bin,
    PATRONI_POSTGRESQL_PGPASS: join(folder, 'pgpass'),
    PATRONI_SUPERUSER_USERNAME: 'postgres',
    PATRONI_SUPERUSER_PASSWORD: layout.passwords.postgres,
    PATRONI_REPLICATION_USERNAME: 'replicator',
    PATRONI_REPLICATION_PASSWORD: layout.passwords.replicator,
  };
  const start = (program: string, file: string) =>
    startProgram(layout, {
      name: parse(file).name,
      folder,
      program,
      args: [join(here, file)],
      env,
    });
  await start('patroni', 'patroni.yaml');
  await start('sh', 'synchronous.sh');
}

export async function startMachine(layout: Layout, machine: Machine): Promise<void> {
  await startEtcd(layout, machine);
  await startPatroni(layout, machine);
}

/** What of a machine is killed: its PostgreSQL, its Patroni, or everything at once. */
export type Part = 'server' | 'patroni' | 'machine';

export async function kill({ folder }: Machine, part: Part): Promise<void> {
  if (part === 'machine') {
    freezeGroup(folder);
    signalGroup(folder, 'SIGKILL');
  } else {
    const file = part === 'server' ? 'data/postmaster.pid' : 'patroni.pid';
    sendSignal(await pidOf(folder, file), 'SIGKILL');
  }
}

/** A machine, or its Patroni alone, says nothing until it is thawed. */
export async function freeze({ folder }: Machine, part: 'patroni' | 'machine'): Promise<void> {
  if (part === 'machine') freezeGroup(folder);
  else sendSignal(await pidOf(folder, 'patroni.pid'), 'SIGSTOP');
}

export function thaw({ folder }: Machine): void {
  signalGroup(folder, 'SIGCONT');
}

/** Ends Patroni in order, and PostgreSQL with it, as an upgrade of the machine does. */
export async function stopServer({ folder }: Machine): Promise<void> {
  const pid = await pidOf(folder, 'patroni.pid');
  sendSignal(pid, 'SIGTERM');
  const isGone = () => processStart(pid) === undefined;
  if (!(await until(isGone, 60_000))) throw new Error(`Patroni does not end: ${folder}`);
}

/** Stops and resumes the replay of a standby; what was received meanwhile waits. */
export async function pauseReplay(layout: Layout, machine: Machine, isPaused: boolean) {
  const client = new Client({ connectionString: adminUrlOf(layout, machine.ports.server) });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(`select pg_wal_replay_${isPaused ? 'pause' : 'resume'}()`);
  } finally {
    await client.end();
  }
}

const diskSize = '2g';

function mount(...args: string[]): boolean {
  return spawnSync('mount', args, { stdio: 'ignore' }).status === 0;
}

/** Gives a machine a disk of its own, in memory. @returns whether this user may */
export function addDisk({ user }: Layout, { folder }: Machine): boolean {
  const options = `size=${diskSize},uid=${user.uid},gid=${user.gid},mode=755`;
  return mount('-t', 'tmpfs', '-o', options, 'tmpfs', folder);
}

/** Leaves not a byte of its disk, or gives the rest back. */
export async function fillDisk({ folder }: Machine, isFull: boolean): Promise<void> {
  const resize = async () => {
    const { blocks, bfree, bsize } = await statfs(folder);
    const size = isFull ? (blocks - bfree) * bsize : diskSize;
    return mount('-o', `remount,size=${size}`, folder);
  };
  // A byte that is written meanwhile makes it too small.
  if (!(await until(resize, 5_000))) throw new Error(`${folder} has no disk of its own`);
}

export async function removeMachine({ folder }: Machine): Promise<void> {
  for (; signalGroup(folder, 'SIGKILL') > 0;) await new Promise((done) => setTimeout(done, 50));
  spawnSync('umount', [folder], { stdio: 'ignore' });
  await rm(folder, { recursive: true, force: true });
}
