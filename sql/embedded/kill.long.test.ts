import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { findProcess } from '../process/system-process.ts';
import {
  postmasterOf,
  query,
  spawnHolder,
  startHolder,
  until,
} from '../../fixtures/process/embedded.ts';
import { destroyEmbedded } from '../../fixtures/database/destroy-embedded.ts';
import { acquireEmbedded } from './embedded.ts';

const root = await mkdtemp(join(tmpdir(), 'embedded-kill-'));
// If root runs the tests, Postgres runs as another user, who must be able to enter the folder.
await chmod(root, 0o755);
const shared = join(root, 'shared');
const interrupted = join(root, 'interrupted');
const cluster = join(shared, 'postgres');

async function acquire(dataDir = shared) {
  return await acquireEmbedded(dataDir, { durable: false });
}

/** Kills a process with SIGKILL, and waits until it has ended. */
async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(() => findProcess(pid) === undefined);
}

afterAll(async () => {
  await destroyEmbedded(shared);
  await destroyEmbedded(interrupted);
  await rm(root, { recursive: true });
});

test('kill -9 of server and holder: the next start clears the rest and finds all commits', async () => {
  const holder = await startHolder(shared);
  await query(holder.connection, 'create table kept (n int)', 'insert into kept values (7)');
  const killed = await postmasterOf(cluster);
  await kill(holder.child.pid!);
  await kill(killed);
  expect(await postmasterOf(cluster)).toBe(killed);
  const server = await acquire();
  expect(await postmasterOf(cluster)).not.toBe(killed);
  expect(await query(server.connection, 'select n from kept')).toEqual([{ n: 7 }]);
  await server.release();
});

test('kill -9 of the server during a busy session: the next start ends the session', async () => {
  const holder = await startHolder(shared);
  const session = new Client(holder.connection);
  session.on('error', () => undefined);
  await session.connect();
  const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
  const busy = session.query('do $$ begin loop end loop; end $$');
  const lost = busy.catch((error: Error) => error.message);
  await kill(holder.child.pid!);
  await kill(await postmasterOf(cluster));
  const survivor = rows[0]!.pid;
  expect(findProcess(survivor)).toBeDefined();
  const server = await acquire();
  expect(findProcess(survivor)).toBeUndefined();
  expect(await query(server.connection, 'select n from kept')).toEqual([{ n: 7 }]);
  expect(await lost).toMatch(/terminated/);
  await server.release();
});

test('kill -9 of the server under a share: the share starts it again, and a retry succeeds', async () => {
  const server = await acquire();
  const killed = await postmasterOf(cluster);
  await kill(killed);
  await until(() =>
    query(server.connection, 'select n from kept').then(
      (rows) => rows.length === 1,
      () => false,
    ),
  );
  const revived = await postmasterOf(cluster);
  expect(revived).not.toBe(killed);
  await server.release();
  expect(findProcess(revived)).toBeUndefined();
});

test('kill -9 of one session: the server recovers, and the last release stops it', async () => {
  const server = await acquire();
  const pid = await postmasterOf(cluster);
  const keepers = `select pid from pg_stat_activity where application_name = 'registry keeper'`;
  const [keeper] = (await query(server.connection, keepers)) as [{ pid: number }];
  await kill(keeper.pid);
  await server.release();
  expect(findProcess(pid)).toBeUndefined();
  const next = await acquire();
  expect(await query(next.connection, 'select n from kept')).toEqual([{ n: 7 }]);
  await next.release();
});

test.each([
  [
    'whose pid another process gets: that process stays untouched',
    `${process.pid}\n${cluster}\n1\n5432\n/tmp\n\n\nready\n`,
  ],
  ['before it writes its pid: an empty postmaster.pid is no obstacle', ''],
])('kill -9 of the server %s', async (_, remains) => {
  await writeFile(join(cluster, 'postmaster.pid'), remains);
  const server = await acquire();
  expect(await postmasterOf(cluster)).not.toBe(process.pid);
  await server.release();
  expect(existsSync(join(cluster, 'postmaster.pid'))).toBe(false);
});

test('kill -9 of a holder: the next one adopts its server, and stops it', async () => {
  const holder = await startHolder(shared);
  const pid = await postmasterOf(cluster);
  await kill(holder.child.pid!);
  const server = await acquire();
  expect(await postmasterOf(cluster)).toBe(pid);
  // Waits until the server has ended the session of the killed holder (a process with a share of the server).
  const keepers = "select pid from pg_stat_activity where application_name = 'registry keeper'";
  await until(async () => (await query(server.connection, keepers)).length === 1);
  await server.release();
  expect(findProcess(pid)).toBeUndefined();
});

test('kill -9 of a holder during initdb: the rest is not taken for a cluster', async () => {
  const child = spawnHolder(interrupted);
  const unfinished = async () =>
    (await readdir(interrupted).catch(() => [])).filter((name) => name.startsWith('postgres.new'));
  await until(async () => {
    const [name] = await unfinished();
    return name !== undefined && existsSync(join(interrupted, name, 'base', '1'));
  });
  await kill(child.pid!);
  expect(existsSync(join(interrupted, 'postgres'))).toBe(false);
  const server = await acquire(interrupted);
  expect(await query(server.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await until(async () => (await unfinished()).length === 0);
  await server.release();
});

test('kill -9 of a holder that has the lock: one waiting caller breaks the lock', async () => {
  // By the start time, a running process is distinguished from an earlier process with the same pid.
  for (const holder of ['999999999 1', `${process.pid} 1`, 'no holder at all']) {
    await symlink(holder, join(shared, 'postgres.lock'));
    const servers = await Promise.all([acquire(), acquire(), acquire()]);
    await Promise.all(servers.map((server) => server.release()));
  }
  expect((await readdir(shared)).toSorted()).toEqual(['postgres', 'postgres.log']);
});

test('ctrl-C at a holder does not reach the server', async () => {
  const holder = await startHolder(shared, { detached: true });
  const pid = await postmasterOf(cluster);
  // On Ctrl-C, a terminal sends SIGINT to the whole process group.
  process.kill(-holder.child.pid!, 'SIGINT');
  await until(() => findProcess(holder.child.pid!) === undefined);
  const server = await acquire();
  expect(await postmasterOf(cluster)).toBe(pid);
  await server.release();
});

test('destroyEmbedded removes a shared cluster, and no share restores it', async () => {
  const [server, holder] = [await acquire(), await startHolder(shared)];
  await destroyEmbedded(shared);
  expect(await readdir(shared)).toEqual([]);
  await server.release();
  await holder.release();
  expect(await readdir(shared)).toEqual([]);
  expect(existsSync(server.connection.host)).toBe(false);
});
