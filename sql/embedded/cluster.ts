import { randomBytes } from 'node:crypto';
import { chmod, mkdir, realpath, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readText, run, type SystemUser } from '../process/system-process.ts';
import { chooseUser } from './system-user.ts';

/** Describes where a database cluster (a server's files) is stored, and which system user runs the server. */
export type Cluster = {
  /** The real path of DATA_DIR; DATA_DIR also holds the log of the server and the lock. */
  dataDir: string;
  /** The folder that holds the cluster: DATA_DIR, or its own folder below `sharedDirectory`. */
  home: string;
  /** The data directory of the cluster (PGDATA of Postgres). */
  directory: string;
  user: SystemUser;
};

/** The longest wait in ms for the start or end of a server, or for the end of its sessions. */
export const wait_ms = 120_000;
const sharedDirectory = '/var/lib/company-registry';

/**
 * Returns the cluster of DATA_DIR, or where to create it. The caller must hold the lock of DATA_DIR.
 *
 * The cluster is `<DATA_DIR>/postgres`. When root starts a server whose system user cannot reach DATA_DIR, the cluster
 * is `/var/lib/company-registry/<id>/postgres`, and `<DATA_DIR>/postgres.location` names the folder `<id>`. A moved
 * DATA_DIR then keeps its cluster, and a copied DATA_DIR gets a new cluster.
 */
export async function locateCluster(path: string): Promise<Cluster> {
  const dataDir = await realpath(path);
  const location = join(dataDir, 'postgres.location');
  const named = (await readText(location))?.trim();
  const home = named !== undefined && (await isHomeOf(named, dataDir)) ? named : dataDir;
  const directory = join(home, 'postgres');
  const owner = await stat(directory).catch(() => undefined);
  const user = await chooseUser(directory, owner);
  if (process.getuid!() !== 0) return { dataDir, home, directory, user };
  // Tests access to a path by a program that runs as Postgres's system user: permission bits alone do not prove access.
  const { code, output } = await run('/bin/sh', ['-c', 'test -x "$0"', home], { user });
  if (code === 0) return { dataDir, home, directory, user };
  if (code === null) {
    throw new Error(
      `Postgres refuses to run as root, and this root may not switch to the system user ${user.uid} (${output}): start as an ordinary user, or set DATABASE_URL.`,
    );
  }
  if (owner !== undefined) {
    throw new Error(
      `The cluster ${directory} is out of reach of the system user ${user.uid}, whom Postgres runs as: give the folders above it their execute permission back.`,
    );
  }
  const elsewhere = join(await makeSharedDirectory(), randomBytes(8).toString('hex'));
  await mkdir(elsewhere);
  await chmod(elsewhere, 0o711);
  await writeFile(join(elsewhere, 'owner'), dataDir);
  await writeFile(location, `${elsewhere}\n`);
  return { dataDir, home: elsewhere, directory: join(elsewhere, 'postgres'), user };
}

/** Creates the directory for clusters and programs that Postgres cannot reach elsewhere; returns its path. */
export async function makeSharedDirectory(): Promise<string> {
  await mkdir(sharedDirectory, { recursive: true });
  await chmod(sharedDirectory, 0o755);
  return sharedDirectory;
}

/** Checks whether the folder `home` belongs to this DATA_DIR; updates its owner after DATA_DIR was moved. */
async function isHomeOf(home: string, dataDir: string): Promise<boolean> {
  const owner = await readText(join(home, 'owner'));
  if (owner === undefined || owner === dataDir) return owner === dataDir;
  if ((await readText(join(owner, 'postgres.location')))?.trim() === home) return false;
  await writeFile(join(home, 'owner'), dataDir);
  return true;
}

/** Checks whether the command line of a process (postmaster, session or pg_ctl) contains the name of a cluster. */
export function isNamed(command: string, name: string): boolean {
  const isSession = command.startsWith(`postgres: ${name}: `);
  return isSession || `${command} `.includes(`cluster_name=${name} `);
}

/** Returns a cluster's name in its processes' command lines; a moved cluster keeps its name, a copy gets another. */
export async function nameOf({ directory }: Cluster): Promise<string> {
  const { dev, ino } = await stat(directory, { bigint: true });
  return `registry-${dev.toString(36)}-${ino.toString(36)}`;
}
