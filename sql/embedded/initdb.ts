import { randomBytes } from 'node:crypto';
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { readText } from './cluster.ts';
import type { SystemUser } from './process.ts';
import { runCommand } from './process.ts';

const unfinished = 'postgres.new-';

const initdbOptions = [
  '--encoding=UTF8',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  '--username=postgres',
  '--auth=trust',
  '--no-instructions',
];

/**
 * Makes the cluster where there is none, and checks the one that is there: made by the same major
 * version, in the right hands. The caller holds the lock of DATA_DIR.
 *
 * initdb works in a directory of its own that gets its name when it is whole: what a kill leaves
 * half made is never taken for a cluster, and is removed here.
 */
export async function prepareCluster(
  cluster: Cluster,
  binaries: Binaries,
  durable: boolean,
): Promise<void> {
  const { directory, user } = cluster;
  const version = (await readText(join(directory, 'PG_VERSION')))?.trim();
  if (version === undefined) {
    await createCluster(cluster, binaries, durable);
  } else if (version !== binaries.major) {
    throw new Error(
      `The cluster ${directory} was made by PostgreSQL ${version}, and the installed one is ${binaries.major}: install the former version to go on, or remove the directory to begin with an empty database.`,
    );
  } else if (user !== undefined && (await stat(directory)).uid !== user.uid) {
    // A cluster that root has copied.
    await runCommand('chown', ['-Rh', `${user.uid}:${user.gid}`, directory]);
  }
  // Postgres refuses a directory that others can enter, and copies are seldom closed.
  await chmod(directory, 0o700);
}

/** Replaces a file at once and whole, in the hands of `user`, without following a link. */
export async function replaceFile(path: string, text: string, user?: SystemUser): Promise<void> {
  const fresh = `${path}.new`;
  await rm(fresh, { force: true });
  await writeFile(fresh, text, { flag: 'wx', mode: 0o600 });
  if (user !== undefined) {
    await chown(fresh, user.uid, user.gid);
  }
  await rename(fresh, path);
}

async function createCluster(
  { home, directory, user }: Cluster,
  { bin, libraries }: Binaries,
  durable: boolean,
): Promise<void> {
  const present = await readdir(directory).catch(() => []);
  if (present.length > 0) {
    throw new Error(
      `${directory} is no Postgres cluster (it has no PG_VERSION) and is not empty: move it away.`,
    );
  }
  await removeUnfinished(home);
  const fresh = join(home, `${unfinished}${randomBytes(4).toString('hex')}`);
  await mkdir(fresh, { mode: 0o700 });
  if (user !== undefined) {
    await chown(fresh, user.uid, user.gid);
  }
  const { code, output } = await runCommand(
    join(bin, 'initdb'),
    ['-D', fresh, ...initdbOptions, ...(durable ? [] : ['--no-sync'])],
    user,
    libraries,
  );
  if (code !== 0) {
    await rm(fresh, { recursive: true, force: true, maxRetries: 3 });
    const lines = output.split('\n').slice(-10).join('\n');
    throw new Error(
      `initdb could not make a database cluster in ${home} (DATABASE_URL is the way to another Postgres):\n${lines}`,
    );
  }
  await replaceFile(join(fresh, 'pg_hba.conf'), 'local all all trust\n', user);
  await appendFile(join(fresh, 'postgresql.conf'), "\ninclude = 'registry.conf'\n");
  await rename(fresh, directory);
  if (durable) {
    await syncDirectory(home);
  }
}

/** Removes what killed runs left; an initdb that has outlived its parent may still write there. */
export async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith(unfinished)) {
      const path = join(home, name);
      await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    }
  }
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
