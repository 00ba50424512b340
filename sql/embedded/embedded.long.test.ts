import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { findProcess } from '../process/system-process.ts';
import { postmasterOf, query, startHolder } from '../../fixtures/process/embedded.ts';
import { destroyEmbedded } from '../../fixtures/database/destroy-embedded.ts';
import { acquireEmbedded } from './embedded.ts';

// Only tests that damage their cluster have a cluster of their own; all other tests share one.
const root = await mkdtemp(join(tmpdir(), 'embedded-'));
// If root runs the tests, Postgres runs as another user, who must be able to enter the folder.
await chmod(root, 0o755);
const shared = join(root, 'shared');
const made = [shared];

async function acquire(dataDir = shared) {
  return await acquireEmbedded(dataDir, { durable: false });
}

function freshDirectory(name: string): string {
  const dataDir = join(root, name);
  made.push(dataDir);
  return dataDir;
}

function isRunning(dataDir = shared): boolean {
  return existsSync(join(dataDir, 'postgres', 'postmaster.pid'));
}

afterAll(async () => {
  for (const dataDir of made) {
    await destroyEmbedded(dataDir);
  }
  await rm(root, { recursive: true });
});

test('a share starts a server that answers, and its release stops the server', async () => {
  const server = await acquire();
  const rows = await query(
    server.connection,
    `select
           current_database() as database,
           current_setting('listen_addresses') as addresses,
           current_setting('timezone') as timezone,
           current_setting('wal_level') as wal_level,
           current_setting('fsync') as fsync,
           (select datlocale from pg_database where datname = current_database()) as locale`,
  );
  expect(rows).toEqual([
    {
      database: 'registry',
      addresses: '',
      timezone: 'UTC',
      wal_level: 'minimal',
      fsync: 'off',
      locale: 'C.UTF-8',
    },
  ]);
  const { mode } = await stat(server.connection.host);
  expect(mode & 0o777).toBe(0o700);
  const pid = await postmasterOf(join(shared, 'postgres'));
  await server.release();
  await server.release();
  expect(findProcess(pid)).toBeUndefined();
  expect(isRunning()).toBe(false);
  expect(existsSync(server.connection.host)).toBe(false);
});

test('shares within and between processes have one server, and the last release stops it', async () => {
  const [first, second] = [await acquire(), await acquire()];
  const other = await startHolder(shared);
  expect(second.connection).toEqual(first.connection);
  expect(other.connection).toEqual(first.connection);
  await first.release();
  expect(await query(second.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await second.release();
  expect(await query(other.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await other.release();
  expect(isRunning()).toBe(false);
});

test('an open session without a share keeps the server running', async () => {
  const server = await acquire();
  const analyst = new Client(server.connection);
  await analyst.connect();
  await server.release();
  expect((await analyst.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await analyst.end();
  await (await acquire()).release();
  expect(isRunning()).toBe(false);
});

test('locale, time zone, libraries and PG variables of the caller do not reach Postgres', async () => {
  const libraries = join(root, 'libraries');
  await mkdir(libraries);
  await writeFile(join(libraries, 'libicuuc.so.60'), 'another one');
  const holder = await startHolder(freshDirectory('environment'), {
    env: {
      LD_LIBRARY_PATH: libraries,
      LANG: 'xx_YY',
      LC_ALL: 'broken',
      TZ: 'Nowhere/Never',
      PGDATA: '/nonexistent',
      PGHOST: 'nowhere.invalid',
      PGPORT: '1',
      PGUSER: 'nobody',
      PGDATABASE: 'none',
      PGSSLMODE: 'require',
    },
  });
  expect(await query(holder.connection, 'show timezone')).toEqual([{ TimeZone: 'UTC' }]);
  await holder.release();
});

test('three processes that start at the same time share one server', async () => {
  const dataDir = freshDirectory('three');
  const holders = await Promise.all([1, 2, 3].map(() => startHolder(dataDir)));
  const starts = await Promise.all(
    holders.map(({ connection }) =>
      query(connection, 'select pg_postmaster_start_time()::text as start'),
    ),
  );
  expect(new Set(starts.map((rows) => JSON.stringify(rows))).size).toBe(1);
  await Promise.all(holders.map((holder) => holder.release()));
  expect(isRunning(dataDir)).toBe(false);
});

test('a share works while another one is released', async () => {
  let server = await acquire();
  for (let round = 0; round < 8; round += 1) {
    const [next] = await Promise.all([acquire(), server.release()]);
    expect(await query(next.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    server = next;
  }
  await server.release();
  expect(isRunning()).toBe(false);
});

test.each([
  ['very long', join('long', 'x'.repeat(120), 'y'.repeat(120))],
  ['that a shell would change', `$HOME "a" 'b' \`id\``],
])('a path %s works', async (_, name) => {
  const server = await acquire(freshDirectory(name));
  expect(await query(server.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.release();
});

test('a copy of a running data directory gets a server of its own', async () => {
  const copy = freshDirectory('copy');
  await cp(shared, copy, { recursive: true });
  const original = await acquire();
  const pidFile = join('postgres', 'postmaster.pid');
  await copyFile(join(shared, pidFile), join(copy, pidFile));
  const copied = await acquire(copy);
  expect(copied.connection.host).not.toBe(original.connection.host);
  await copied.release();
  expect(await query(original.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await original.release();
});

test('a long log is moved aside, and the error of a failed start quotes the log', async () => {
  await truncate(join(shared, 'postgres.log'), 11 * 1024 * 1024);
  const settings = join(shared, 'postgres', 'postgresql.auto.conf');
  await appendFile(settings, `max_connections = 'many'\n`);
  await expect(acquire()).rejects.toThrow(/did not start\..*max_connections/s);
  await writeFile(settings, '');
  expect((await stat(join(shared, 'postgres.log.1'))).size).toBe(11 * 1024 * 1024);
  await (await acquire()).release();
});

test('a cluster of another major version is refused', async () => {
  const dataDir = freshDirectory('old');
  await (await acquire(dataDir)).release();
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '15\n');
  await expect(acquire(dataDir)).rejects.toThrow(/initialized by PostgreSQL version 15/);
});

test('a directory that is no cluster is refused and stays untouched', async () => {
  const dataDir = freshDirectory('other');
  await mkdir(join(dataDir, 'postgres'), { recursive: true });
  await writeFile(join(dataDir, 'postgres', 'precious'), '');
  await expect(acquire(dataDir)).rejects.toThrow(/is no Postgres cluster/);
  expect(await readdir(join(dataDir, 'postgres'))).toEqual(['precious']);
});
