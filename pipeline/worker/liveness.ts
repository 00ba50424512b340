import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { worker as figures } from '../figures/worker-pauses.ts';
import { whileLocked } from '../night/lock.ts';
import { whenAborted } from '../signals.ts';

/**
 * Holds the lock of a living worker until the signal is aborted; the server releases the lock of a dead
 * process. Replaces a lost session. Resolves when the first attempt to take the lock has ended.
 */
export function keepAlive(pool: pg.Pool, worker: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const hold = (lost: AbortSignal) => {
      resolve();
      return whenAborted(AbortSignal.any([signal, lost]));
    };
    const lock = () =>
      whileLocked(pool, `worker ${worker}`, 'The worker lives', hold).finally(resolve);
    void repeat(lock, figures.retry_ms, signal, () => undefined);
  });
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
