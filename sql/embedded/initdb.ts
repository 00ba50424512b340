import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, chown, mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';
import { run } from '../process/system-process.ts';
import { removeUnfinished, unfinished } from './killed-server.ts';
import type { ServerOptions } from './settings.ts';

const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
const access = ['--username=postgres', '--auth-local=trust', '--auth-host=reject'];
const initdbOptions = ['--encoding=UTF8', ...locale, ...access, '--no-instructions'];

export function isCluster(directory: string): boolean {
  return existsSync(join(directory, 'PG_VERSION'));
}

/**
 * Creates a database cluster. initdb writes into a temporary directory, which is renamed when it is complete, so that
 * the files of a killed initdb are never taken for a cluster. Throws a readable error when `directory` is not empty.
 */
export async function createCluster(
  { home, directory, user }: Cluster,
  bin: string,
  { durable = true }: ServerOptions,
): Promise<void> {
  if ((await readdir(directory).catch(() => [])).length > 0) {
    throw new Error(
      `${directory} is no Postgres cluster (it has no PG_VERSION) and is not empty: move it away.`,
    );
  }
  await removeUnfinished(home);
  const fresh = join(home, `${unfinished}${randomBytes(4).toString('hex')}`);
  await mkdir(fresh, { mode: 0o700 });
  await chown(fresh, user.uid, user.gid);
  const args = ['-D', fresh, ...initdbOptions, ...(durable ? [] : ['--no-sync'])];
  const { code, output } = await run(join(bin, 'initdb'), args, { user });
  if (code !== 0) {
    await removeUnfinished(home);
    throw new Error(
      `initdb could not make a database cluster in ${home} (DATABASE_URL is the way to another Postgres):\n${output}`,
    );
  }
  await appendFile(join(fresh, 'postgresql.conf'), "\ninclude = 'registry.conf'\n");
  await rename(fresh, directory);
  if (!durable) return;
  // Flushes the directory to the disk, so that the rename survives a crash of the system.
  await using folder = await open(home);
  await folder.sync();
}
