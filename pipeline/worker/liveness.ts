import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { worker as figures } from '../figures.ts';
import { keepSession, tryLock } from '../night/lock.ts';

/**
 * Holds the lock of a living worker until the signal is aborted; the server releases the lock of a dead
 * process. Replaces a lost session. Resolves when the first attempt to take the lock has ended.
 */
export function keepAlive(pool: pg.Pool, worker: string, signal: AbortSignal): Promise<void> {
  const first = Promise.withResolvers<void>();
  const hold = async () => {
    const client = await pool.connect();
    const end = once(client, 'end', { signal }).catch(() => undefined);
    try {
      await keepSession(client);
      if (!(await tryLock(client, `worker ${worker}`))) return;
      first.resolve();
      await end;
    } finally {
      client.release(true);
    }
  };
  void repeat(
    () => hold().finally(first.resolve),
    figures.retry_ms,
    signal,
    () => undefined,
  );
  return first.promise;
}

/** Repeats some work until the signal is aborted, also after a fault. */
export async function repeat(
  work: () => Promise<void>,
  pause_ms: number,
  signal: AbortSignal,
  onFault: (error: Error) => void,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch(onFault);
    await delay(pause_ms, undefined, { signal }).catch(() => undefined);
  }
}
