import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart } from './process.ts';

const poll_ms = 20;

let claims = 0;

/**
 * Does `work` while this process alone holds the lock file `path`; waits for whoever holds it now.
 * The file names its holder by pid and start time, so that one left by a killed process is known
 * for what it is and removed. Holders within one process exclude each other too.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await takeLock(path);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function takeLock(path: string): Promise<void> {
  for (;;) {
    const holder = await readHolder(path);
    if (holder === undefined) {
      if (await tryTake(path)) {
        return;
      }
    } else if (isAlive(holder)) {
      await sleep(poll_ms);
    } else {
      await breakLock(path, holder);
    }
  }
}

/**
 * A hard link appears with its content or not at all; a file that is created and then written would
 * have a moment in which it names nobody.
 */
async function tryTake(path: string): Promise<boolean> {
  const claim = `${path}.${process.pid}-${(claims += 1)}`;
  try {
    await writeFile(claim, `${process.pid} ${processStart(process.pid)}`);
  } catch (cause) {
    throw new Error(`The folder ${dirname(path)} cannot be written: ${(cause as Error).message}`, {
      cause,
    });
  }
  try {
    await link(claim, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      return false;
    }
    throw error;
  } finally {
    await rm(claim, { force: true });
  }
}

/**
 * Removes the lock of a dead holder. Two processes may find it dead at once, and the slower one must
 * not remove the lock that the faster one has taken meanwhile: only who holds the breaker removes,
 * and looks again before it does.
 */
async function breakLock(path: string, holder: string): Promise<void> {
  await withLock(`${path}.break`, async () => {
    if ((await readHolder(path)) === holder) {
      await rm(path, { force: true });
    }
  });
}

function isAlive(holder: string): boolean {
  const [, pid, start] = /^(\d+) (.*)$/.exec(holder) ?? [];
  return pid !== undefined && processStart(Number(pid)) === start;
}

async function readHolder(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
