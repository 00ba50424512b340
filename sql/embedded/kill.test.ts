import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { processStart } from './process.ts';
import { postmasterOf, query, spawnHolder, startHolder, until } from './embedded.fixture.ts';
import { acquireEmbedded, destroyEmbedded } from './embedded.ts';

const root = await mkdtemp(join(tmpdir(), 'embedded-kill-'));
// As root, Postgres runs as somebody else.
await chmod(root, 0o755);
const shared = join(root, 'shared');
const interrupted = join(root, 'interrupted');
const cluster = join(shared, 'postgres');

async function acquire(dataDir = shared) {
  return await acquireEmbedded(dataDir, { durable: false });
}

/** kill -9, and wait until the process is gone. */
async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(() => processStart(pid) === undefined);
}

afterAll(async () => {
  await destroyEmbedded(shared);
  await destroyEmbedded(interrupted);
  await rm(root, { recursive: true });
});

describe('kill -9 of the server', () => {
  test('with nobody left: the next start clears what it left and finds what was committed', async () => {
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

  test('with a session at work that does not notice: it is ended', async () => {
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
    expect(processStart(survivor)).toBeDefined();
    const server = await acquire();
    expect(processStart(survivor)).toBeUndefined();
    expect(await query(server.connection, 'select n from kept')).toEqual([{ n: 7 }]);
    expect(await lost).toMatch(/terminated/);
    await server.release();
  });

  test('under a share: it is started again, and a pool that tries again goes on', async () => {
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
    expect(processStart(revived)).toBeUndefined();
  });

  test('and its number given to another process: that one is left alone', async () => {
    await (await acquire()).release();
    await writeFile(
      join(cluster, 'postmaster.pid'),
      `${process.pid}\n${cluster}\n1\n5432\n/tmp\n\n\nready\n`,
    );
    const server = await acquire();
    expect(await postmasterOf(cluster)).not.toBe(process.pid);
    await server.release();
  });

  test('before it has written its number: an empty postmaster.pid is no obstacle', async () => {
    await writeFile(join(cluster, 'postmaster.pid'), '');
    await (await acquire()).release();
    expect(existsSync(join(cluster, 'postmaster.pid'))).toBe(false);
  });
});

describe('kill -9 of a holder', () => {
  test('leaves a server which the next one adopts, and stops', async () => {
    const holder = await startHolder(shared);
    const pid = await postmasterOf(cluster);
    await kill(holder.child.pid!);
    const server = await acquire();
    expect(await postmasterOf(cluster)).toBe(pid);
    // The server, too, has to notice that the holder is gone.
    const keepers = "select pid from pg_stat_activity where application_name = 'registry keeper'";
    await until(async () => (await query(server.connection, keepers)).length === 1);
    await server.release();
    expect(processStart(pid)).toBeUndefined();
  });

  test('in the middle of initdb leaves nothing that is taken for a cluster', async () => {
    const child = spawnHolder(interrupted);
    const unfinished = async () =>
      (await readdir(interrupted).catch(() => [])).filter((name) =>
        name.startsWith('postgres.new'),
      );
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

  test('while it holds the lock: the lock is broken, by one of those who wait', async () => {
    // Its start time tells our own number in the hands of another process from us.
    for (const holder of ['999999999 1', `${process.pid} 1`, 'no holder at all']) {
      await writeFile(join(shared, 'postgres.lock'), holder);
      const servers = await Promise.all([acquire(), acquire(), acquire()]);
      await Promise.all(servers.map((server) => server.release()));
    }
    expect((await readdir(shared)).toSorted()).toEqual(['postgres', 'postgres.log']);
  });
});

test('ctrl-C of a holder does not reach the server', async () => {
  const holder = await startHolder(shared, { detached: true });
  const pid = await postmasterOf(cluster);
  // What a terminal does: a signal to the whole group of processes.
  process.kill(-holder.child.pid!, 'SIGINT');
  await until(() => processStart(holder.child.pid!) === undefined);
  const server = await acquire();
  expect(await postmasterOf(cluster)).toBe(pid);
  await server.release();
});

describe('destroyEmbedded', () => {
  test('removes a cluster whoever holds it, and nobody brings it back', async () => {
    const [server, holder] = [await acquire(), await startHolder(shared)];
    await destroyEmbedded(shared);
    expect(await readdir(shared)).toEqual([]);
    await server.release();
    await holder.release();
    expect(await readdir(shared)).toEqual([]);
    expect(existsSync(server.connection.host)).toBe(false);
  });
});
