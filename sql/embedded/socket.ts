import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, rm, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Cluster } from './cluster.ts';
import { canEnter } from './cluster.ts';

// The shortest limit of a socket's path among the systems is 104 bytes with a NUL at the end.
const longestSocket_bytes = 103;
const prefix = 'registry-';

/**
 * Makes the directory of a cluster's socket, empty of what a killed server left, and returns its
 * path. It is short whatever DATA_DIR is, one per cluster, and closed to everybody but the user
 * Postgres runs as (and root): it is the only lock on the door, for Postgres trusts its clients.
 * Whoever wants to connect reads the path from postmaster.pid, so it may differ between starts.
 */
export async function makeSocketDirectory(cluster: Cluster): Promise<string> {
  const digest = createHash('sha256').update(cluster.directory).digest('hex').slice(0, 12);
  for (const parent of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    // A name that somebody else has taken is left to him.
    for (const suffix of ['', '-1', '-2', '-3']) {
      const directory = join(parent, `${prefix}${digest}${suffix}`);
      if (await claimDirectory(directory, cluster)) {
        await rm(join(directory, '.s.PGSQL.5432'), { force: true });
        await rm(join(directory, '.s.PGSQL.5432.lock'), { force: true });
        return directory;
      }
    }
  }
  throw new Error(
    `No directory for the socket of Postgres: neither ${tmpdir()} nor /tmp can hold one that only its user can enter. Set TMPDIR to a short path that is writable.`,
  );
}

/** Removes the directory of a stopped server's socket, if it is one of ours and empty. */
export async function removeSocketDirectory(directory: string): Promise<void> {
  if (basename(directory).startsWith(prefix)) {
    await rmdir(directory).catch(() => undefined);
  }
}

async function claimDirectory(directory: string, { user }: Cluster): Promise<boolean> {
  if (Buffer.byteLength(join(directory, '.s.PGSQL.5432')) > longestSocket_bytes) {
    return false;
  }
  const parent = await stat(dirname(directory)).catch(() => undefined);
  // Where everybody may rename what others own, nothing is safe from them.
  if (parent === undefined || (parent.mode & 0o1002) === 0o0002) {
    return false;
  }
  const isMade = await mkdir(directory, { mode: 0o700 }).then(
    () => true,
    () => false,
  );
  if (isMade && user !== undefined) {
    await chown(directory, user.uid, user.gid);
  }
  const found = await lstat(directory).catch(() => undefined);
  return (
    found !== undefined &&
    found.isDirectory() &&
    found.uid === (user?.uid ?? process.getuid?.()) &&
    (found.mode & 0o077) === 0 &&
    (user === undefined || (await canEnter(user, directory)))
  );
}
