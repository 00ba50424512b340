import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SystemUser } from './process.ts';
import { runCommand } from './process.ts';

/** Where a cluster lies and who owns it. */
export type Cluster = {
  /** The real path of DATA_DIR: log, lock. */
  dataDir: string;
  /** The folder that holds the cluster: DATA_DIR, or one of its own below `sharedDirectory`. */
  home: string;
  /** What Postgres calls PGDATA. */
  directory: string;
  /** Whom Postgres runs as; absent for the caller. */
  user?: SystemUser;
};

const sharedDirectories = ['/var/lib/company-registry', join(tmpdir(), 'company-registry')];

/**
 * Says where the cluster of DATA_DIR lies, and makes its home where there is none.
 *
 * An ordinary user's cluster is `<DATA_DIR>/postgres`. Postgres refuses to run as root, so for root
 * it runs as the owner of the cluster that is there, else as `postgres` or `nobody`; and where that
 * user cannot reach DATA_DIR, as in a clone below /root, the cluster lies in
 * `/var/lib/company-registry/<id>/postgres` and `<DATA_DIR>/postgres.location` says so. That file
 * decides: without it (DATA_DIR was removed) the next start begins with an empty cluster; a DATA_DIR
 * that was moved keeps its cluster; a copy of a DATA_DIR gets a new one.
 */
export async function locateCluster(path: string): Promise<Cluster> {
  const dataDir = await realpath(path);
  const pointer = join(dataDir, 'postgres.location');
  const pointed = (await readText(pointer))?.trim();
  if (process.getuid?.() !== 0) {
    if (pointed !== undefined) {
      throw new Error(
        `The database of ${dataDir} was made by root and lies in ${pointed}: start as root again, or remove ${pointer} to begin with an empty one.`,
      );
    }
    const directory = join(dataDir, 'postgres');
    const owner = await ownerOf(directory);
    if (owner !== undefined && owner.uid !== process.getuid?.()) {
      throw new Error(
        `The cluster ${directory} belongs to the system user ${owner.name}: start as that user or as root.`,
      );
    }
    return { dataDir, home: dataDir, directory };
  }
  const home = pointed !== undefined && (await isHomeOf(pointed, dataDir)) ? pointed : dataDir;
  const directory = join(home, 'postgres');
  const owner = await ownerOf(directory);
  const user = owner === undefined || owner.uid === 0 ? await findUser() : owner;
  if (await canEnter(user, home)) {
    return { dataDir, home, directory, user };
  }
  if (owner !== undefined) {
    throw new Error(
      `The cluster ${directory} is out of reach of the system user ${user.name}, whom Postgres runs as: give the folders above it their execute permission back.`,
    );
  }
  const elsewhere = await makeHome(dataDir, user);
  return { dataDir, home: elsewhere, directory: join(elsewhere, 'postgres'), user };
}

/**
 * A folder that root owns and every user can enter, for what Postgres must reach: clusters of
 * unreachable data directories, copies of the binaries.
 */
export async function sharedDirectory(user: SystemUser): Promise<string> {
  for (const directory of sharedDirectories) {
    try {
      await mkdir(directory, { recursive: true });
      // Below /tmp somebody else may have been there before, with a link perhaps.
      const found = await lstat(directory);
      if (found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0) {
        await chmod(directory, 0o755);
        if (await canEnter(user, directory)) {
          return directory;
        }
      }
    } catch {
      // The next one.
    }
  }
  throw new Error(
    `The system user ${user.name} can enter neither DATA_DIR nor ${sharedDirectories.join(' nor ')}: set DATA_DIR to a folder that it can enter, or DATABASE_URL to another Postgres.`,
  );
}

/** Whether a user can pass through a directory: asked of the system, for modes do not say it all. */
export async function canEnter(user: SystemUser, directory: string): Promise<boolean> {
  const { code, output } = await runCommand('/bin/sh', ['-c', 'test -x "$0"', directory], user);
  if (code === null) {
    throw new Error(
      `Postgres refuses to run as root, and this root may not switch to the system user ${user.name} (${output}): start as an ordinary user, or set DATABASE_URL.`,
    );
  }
  return code === 0;
}

/** The text of a file; undefined when there is none. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

async function makeHome(dataDir: string, user: SystemUser): Promise<string> {
  const home = join(await sharedDirectory(user), randomBytes(8).toString('hex'));
  await mkdir(home);
  await chmod(home, 0o711);
  await writeFile(join(home, 'owner'), dataDir);
  await writeFile(join(dataDir, 'postgres.location'), `${home}\n`);
  return home;
}

async function isHomeOf(home: string, dataDir: string): Promise<boolean> {
  const owner = await readText(join(home, 'owner'));
  if (owner === undefined || owner === dataDir) {
    return owner === dataDir;
  }
  const claimed = await readText(join(owner, 'postgres.location'));
  if (claimed?.trim() === home) {
    return false;
  }
  await writeFile(join(home, 'owner'), dataDir);
  return true;
}

async function ownerOf(directory: string): Promise<SystemUser | undefined> {
  const found = await stat(directory).catch(() => undefined);
  if (found === undefined) {
    return undefined;
  }
  const { uid, gid } = found;
  const entry = (await readUsers()).find((user) => user.uid === uid);
  return { name: entry?.name ?? `${uid}`, uid, gid: entry?.gid ?? gid };
}

async function findUser(): Promise<SystemUser> {
  const users = await readUsers();
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const user = users.find((candidate) => candidate.name === name && candidate.uid !== 0);
    if (user !== undefined) {
      return user;
    }
  }
  throw new Error(
    'Postgres refuses to run as root, and this system has neither a user postgres nor a user nobody: start as an ordinary user, or set DATABASE_URL.',
  );
}

async function readUsers(): Promise<SystemUser[]> {
  const lines = ((await readText('/etc/passwd')) ?? '').split('\n');
  return lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}
