import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { worker as figures } from '../figures.ts';
import { keepSession, tryLock } from '../night/lock.ts';
import { queryFile } from '../../sql/connection/database.ts';

/**
 * Holds the lock of a living worker until the signal is aborted; the server releases the lock of a dead
 * process. Replaces a lost session. Resolves when the first attempt to take the lock has ended.
 */
export function keepAlive(pool: pg.Pool, worker: string, signal: AbortSignal): Promise<void> {
  const first = Promise.withResolvers<void>();
  const hold = async () => {
    const client = await pool.connect();
    const end = Promise.withResolvers<void>();
    client.once('error', end.resolve);
    client.once('end', end.resolve);
    signal.addEventListener('abort', () => end.resolve(), { once: true });
    try {
      await keepSession(client);
      if (!(await tryLock(client, `worker ${worker}`))) return;
      first.resolve();
      if (!signal.aborted) await end.promise;
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

/** Gives back the jobs of lost workers, and returns the workers' names; graphile-worker waits four hours. */
export async function releaseJobs(pool: pg.Pool): Promise<string[]> {
  type Released = { workers: string[] };
  const released = await queryFile<Released>(pool, 'mail/release_jobs.sql');
  return released.flatMap(({ workers }) => workers);
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
