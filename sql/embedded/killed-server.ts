import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listProcesses, readText, until } from '../process/system-process.ts';
import { type Cluster, isNamed, nameOf, wait_ms } from './cluster.ts';

/** The prefix of the name of the temporary directory in which initdb works. */
export const unfinished = 'postgres.new-';

/**
 * Clears the remains of a killed postmaster: kills sessions that still use its shared memory, and removes
 * postmaster.pid, because another process may now have the pid in this file. The caller must hold the lock of DATA_DIR.
 * If the server still runs, `enter` of embedded.ts joins it.
 */
export async function clearRemains(cluster: Cluster): Promise<void> {
  const remains = join(cluster.directory, 'postmaster.pid');
  if ((await readText(remains)) === undefined) return;
  const name = await nameOf(cluster);
  const isClear = await until(() => {
    const survivors = listProcesses().filter(({ command }) => isNamed(command, name));
    for (const { pid } of survivors) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process had already ended when the signal was sent.
      }
    }
    return survivors.length === 0;
  }, wait_ms);
  if (!isClear) throw new Error(`Sessions of a killed Postgres do not end: ${cluster.directory}`);
  await rm(remains, { force: true });
}

/**
 * Removes the temporary directories of killed initdb programs. A killed initdb may still write files; the next start of
 * the server removes them.
 */
export async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(unfinished)) continue;
    const path = join(home, name);
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}
