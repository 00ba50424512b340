import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { runFile } from '../../sql/database.ts';

/** The class of the advisory locks by which workers are known to live: 'work' in ASCII. */
const LOCK_CLASS = 0x776f726b;
/** Between two attempts to be known again, after the session was lost. */
const pause_ms = 1_000;

/**
 * Makes a worker known as alive until the signal: a session holds a lock for it, which the server
 * lets go of as soon as the process is gone, however it ended. A session that is lost is replaced.
 *
 * @returns when it is known, or cannot be made known at once
 */
export function keepPresent(pool: pg.Pool, worker: string, signal: AbortSignal): Promise<void> {
  const first = Promise.withResolvers<void>();
  void (async () => {
    while (!signal.aborted) {
      await hold(pool, worker, signal, first.resolve).catch(() => undefined);
      first.resolve();
      await delay(pause_ms, undefined, { ref: false, signal }).catch(() => undefined);
    }
  })();
  return first.promise;
}

/** Ends with the signal, or with the session. */
async function hold(
  pool: pg.Pool,
  worker: string,
  signal: AbortSignal,
  onHeld: () => void,
): Promise<void> {
  const client = await pool.connect();
  const end = Promise.withResolvers<void>();
  client.once('error', end.resolve);
  client.once('end', end.resolve);
  signal.addEventListener('abort', () => end.resolve(), { once: true });
  try {
    // Of a machine that is lost the server hears nothing: it has to ask.
    await client.query(`
      set idle_session_timeout = 0;
      set tcp_keepalives_idle = 30;
      set tcp_keepalives_interval = 10;
      set tcp_keepalives_count = 3`);
    await client.query('select pg_advisory_lock($1, hashtext($2))', [LOCK_CLASS, worker]);
    onHeld();
    if (!signal.aborted) await end.promise;
  } finally {
    client.release(true);
  }
}

/**
 * Gives back the jobs of workers that are gone; without this they would wait for four hours.
 *
 * @returns the names of these workers
 */
export async function releaseJobs(client: pg.ClientBase): Promise<string[]> {
  const [result] = await runFile(client, 'mail/release_jobs.sql', [LOCK_CLASS]);
  return (result!.rows[0] as { workers: string[] } | undefined)?.workers ?? [];
}
