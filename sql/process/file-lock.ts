import { readlink, rm, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart } from './system-process.ts';

const poll_ms = 20;

/**
 * Does `work` while this caller alone, in any process, holds the lock `path`; waits until it is free.
 * The lock is a symbolic link, which appears together with its content. Its target is the pid and
 * the start time of its holder, so that the lock of a killed process is detected and removed.
 * Throws a sentence when the folder of the lock cannot be written.
 *
 * @param onHeld called with the pid of a living holder before each wait; may throw instead of waiting
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

/** Removes the lock of a dead holder; a second lock keeps a slower process from removing a new lock. */
async function breakLock(path: string, holder: string): Promise<void> {
  await withLock(`${path}.break`, async () => {
    if ((await readHolder(path)) === holder) await rm(path, { force: true });
  });
}

function describe(pid: number): string {
  return `${pid} ${processStart(pid)}`;
}

/** Reads the target of a lock; undefined where there is no lock. */
async function readHolder(path: string): Promise<string | undefined> {
  return await readlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
