// Where a cluster lies, on which ports, and by which names it is entered.
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findUser } from '../../sql/embedded/cluster.ts';
import type { SystemUser } from '../../sql/process/system-process.ts';

export const machineNames = ['one', 'two', 'three'] as const;
export type MachineName = (typeof machineNames)[number];

const portNames = ['server', 'patroni', 'etcd', 'peer'] as const;

export interface Machine {
  name: MachineName;
  folder: string;
  ports: Record<(typeof portNames)[number], number>;
}

export interface Layout {
  folder: string;
  /** The programs of PostgreSQL. */
  bin: string;
  user: SystemUser;
  /** Where HAProxy listens. */
  ports: { writer: number; readers: number };
  passwords: Record<'postgres' | 'replicator' | 'registry', string>;
  machines: Machine[];
}

/** Below the ports that systems give to clients. */
const [lowestPort, highestPort] = [20_000, 32_000];

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const said = Promise.race([
    once(server, 'listening').then(() => true),
    once(server, 'error').then(() => false),
  ]);
  server.listen(port, '127.0.0.1');
  const answer = await said;
  if (answer) await new Promise((resolve) => server.close(resolve));
  return answer;
}

/** Ports of 127.0.0.1 that nobody listens on. */
export async function findPorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  const first = randomInt(lowestPort, highestPort - 1_000);
  for (let port = first; ports.length < count; port += 1) {
    if (await isFree(port)) ports.push(port);
    if (port > highestPort) throw new Error(`No ${count} ports from ${first} on are free.`);
  }
  return ports;
}

const fileOf = (folder: string) => join(folder, 'cluster.json');

function inventPassword(): string {
  return randomBytes(12).toString('hex');
}

/** Lays a cluster out in a folder, and keeps this in the folder for other programs. */
export async function createLayout(folder: string, bin: string): Promise<Layout> {
  const isRoot = process.getuid!() === 0;
  const user = isRoot ? await findUser() : { uid: process.getuid!(), gid: process.getgid!() };
  const [writer, readers, ...ports] = await findPorts(2 + machineNames.length * portNames.length);
  const machines = machineNames.map((name): Machine => {
    const own = portNames.map((portName) => [portName, ports.shift()!]);
    const its = Object.fromEntries(own) as Machine['ports'];
    return { name, folder: join(folder, name), ports: its };
  });
  const passwords = {
    postgres: inventPassword(),
    replicator: inventPassword(),
    registry: inventPassword(),
  };
  const its = { writer: writer!, readers: readers! };
  const layout = { folder, bin, user, ports: its, passwords, machines };
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  for (const machine of machines) {
    await mkdir(machine.folder);
    await chown(machine.folder, user.uid, user.gid);
  }
  await writeFile(fileOf(folder), JSON.stringify(layout, null, 2), { mode: 0o600, flag: 'wx' });
  return layout;
}

export async function readLayout(folder: string): Promise<Layout> {
  return JSON.parse(await readFile(fileOf(folder), 'utf8')) as Layout;
}

/** The database of the product, by a port of HAProxy or of one machine. */
export function urlOf({ passwords }: Layout, port: number): string {
  return `postgresql://registry:${passwords.registry}@127.0.0.1:${port}/registry`;
}

/** The database of the administrator. */
export function adminUrlOf({ passwords }: Layout, port: number, database = 'postgres'): string {
  return `postgresql://postgres:${passwords.postgres}@127.0.0.1:${port}/${database}`;
}
