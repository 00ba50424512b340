// Three machines of PostgreSQL, Patroni and etcd behind HAProxy, all on this one.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { until } from '../../sql/process/system-process.ts';
import { adminUrlOf, createLayout, type Layout, type Machine, type MachineName } from './layout.ts';
import { addDisk, removeMachine, startMachine, startProgram } from './machine.ts';

/** What Patroni says of a machine. */
interface Member {
  name: MachineName;
  role: 'leader' | 'sync_standby' | 'replica';
  state: string;
  timeline?: number;
  /** Bytes; a text when it is not known. */
  lag?: number | string;
}

const start_ms = 120_000;

/** What the first machine that answers knows of all. */
export async function readMembers({ machines }: Layout): Promise<Member[]> {
  const asked = machines.map(async ({ ports }) => {
    const signal = AbortSignal.timeout(2_000);
    const response = await fetch(`http://127.0.0.1:${ports.patroni}/cluster`, { signal });
    return ((await response.json()) as { members: Member[] }).members;
  });
  return Promise.any(asked).catch(() => []);
}

export async function findLeader(layout: Layout): Promise<Machine | undefined> {
  const leader = (await readMembers(layout)).find(({ role }) => role === 'leader');
  return layout.machines.find(({ name }) => name === leader?.name);
}

/** Whether there is a leader, and both others follow it, one of them synchronously. */
export async function isWhole(layout: Layout): Promise<boolean> {
  const members = await readMembers(layout);
  const roles = members.map(({ role }) => role).toSorted();
  const timelines = new Set(members.map(({ timeline }) => timeline));
  return (
    roles.join() === 'leader,replica,sync_standby' &&
    timelines.size === 1 &&
    members.every(
      ({ state, lag = 0 }) => /running|streaming/.test(state) && Number(lag) < 2 ** 20,
    ) &&
    (await isSynchronous(layout))
  );
}

/** Whether PostgreSQL itself makes commits wait for a standby: Patroni may only believe so. */
async function isSynchronous(layout: Layout): Promise<boolean> {
  const client = new Client({ connectionString: adminUrlOf(layout, layout.ports.writer) });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const state = `select from pg_stat_replication where sync_state = 'sync'`;
    return (await client.query(state)).rowCount === 1;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function waitUntilWhole(layout: Layout, limit_ms = start_ms): Promise<void> {
  if (await until(async () => (await pause(250), isWhole(layout)), limit_ms)) return;
  const members = JSON.stringify(await readMembers(layout));
  throw new Error(`The cluster is not whole after ${limit_ms / 1000} s: ${members}`);
}

const pause = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

async function startHaproxy(layout: Layout): Promise<void> {
  const folder = join(layout.folder, 'haproxy');
  await mkdir(folder, { recursive: true });
  const env: NodeJS.ProcessEnv = {
    WRITER: `127.0.0.1:${layout.ports.writer}`,
    READERS: `127.0.0.1:${layout.ports.readers}`,
  };
  for (const { name, ports } of layout.machines) {
    env[name.toUpperCase()] = `127.0.0.1:${ports.server}`;
    env[`${name.toUpperCase()}_CHECK`] = String(ports.patroni);
  }
  const args = ['-db', '-f', join(import.meta.dirname, 'haproxy.cfg')];
  await startProgram(layout, { name: 'haproxy', folder, program: 'haproxy', args, env });
}

async function runStatements(url: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/**
 * Makes a cluster with an empty database `registry` in a folder that does not exist yet.
 *
 * @param hasDisks whether each machine has a disk of its own, which can be filled, where this user may
 */
export async function createCluster(folder: string, bin: string, hasDisks = false) {
  const layout = await createLayout(folder, bin);
  try {
    const areDisks = hasDisks && layout.machines.map((one) => addDisk(layout, one)).every(Boolean);
    for (const machine of layout.machines) await startMachine(layout, machine);
    await startHaproxy(layout);
    await waitUntilWhole(layout);
    await createDatabase(layout);
    return { layout, areDisks };
  } catch (error) {
    await removeCluster(layout);
    throw error;
  }
}

async function createDatabase(layout: Layout): Promise<void> {
  if (!(await until(() => isOpen(layout), start_ms))) throw new Error('HAProxy finds no writer');
  await runStatements(
    adminUrlOf(layout, layout.ports.writer),
    `create role registry login password '${layout.passwords.registry}'`,
    'create role registry_reader login',
    'create database registry owner registry template template0 encoding UTF8',
  );
}

function isOpen(layout: Layout): Promise<boolean> {
  const opened = runStatements(adminUrlOf(layout, layout.ports.writer), 'select');
  return opened.then(
    () => true,
    async () => (await pause(250), false),
  );
}

/** Ends everything, and removes the folder. */
export async function removeCluster({ folder, machines }: Layout): Promise<void> {
  const haproxy: Machine = { ...machines[0]!, folder: join(folder, 'haproxy') };
  await Promise.all([...machines, haproxy].map(removeMachine));
  await rm(folder, { recursive: true, force: true });
}

/** Asks Patroni to make another machine the writer, before an upgrade of this one. */
export async function switchOver(layout: Layout, leader: Machine): Promise<void> {
  const members = await readMembers(layout);
  const candidate = members.find(({ role }) => role === 'sync_standby')?.name;
  const response = await fetch(`http://127.0.0.1:${leader.ports.patroni}/switchover`, {
    method: 'POST',
    body: JSON.stringify({ leader: leader.name, candidate }),
  });
  if (!response.ok) throw new Error(`Switchover: ${response.status} ${await response.text()}`);
}
