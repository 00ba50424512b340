import { readlink, rm, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProcess } from './system-process.ts';

const poll_ms = 20;

/**
 * Runs `work` under the lock `path`, which only one caller in all processes holds; waits until the lock is free. The
 * lock is a symbolic link, because a link appears together with its target. The target is the pid and start time of the
 * lock's holder, so that the lock of a killed process is removed. Throws a readable error if the folder is read-only.
 *
 * @param onHeld is called before each wait with the pid of the lock's running holder; may throw to end the wait
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  onHeld?: (pid: number) => void,
): Promise<T> {
  while (!(await tryLock(path))) {
    const holder = await readHolder(path);
    if (holder === undefined) continue;
    const pid = Number.parseInt(holder, 10);
    if (holder === describe(pid)) {
      onHeld?.(pid);
      await sleep(poll_ms);
    } else await breakLock(path, holder);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function tryLock(path: string): Promise<boolean> {
  try {
    await symlink(describe(process.pid), path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    const { message } = cause as Error;
    throw new Error(`The folder ${dirname(path)} cannot be written: ${message}`, { cause });
  }
}

/** Removes a lock whose holder has ended. A second lock prevents a slower process from removing a new lock. */
async function breakLock(path: string, holder: string): Promise<void> {
  await withLock(`${path}.break`, async () => {
    if ((await readHolder(path)) === holder) await rm(path, { force: true });
  });
}

function describe(pid: number): string {
  return `${pid} ${findProcess(pid)?.start}`;
}

/** Returns the holder of a lock, which is the target of the link; undefined without a lock. */
async function readHolder(path: string): Promise<string | undefined> {
  return await readlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
