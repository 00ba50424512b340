import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { AlreadyRunning } from '../errors.ts';

/** The class of our advisory locks: 'regi' in ASCII. */
const LOCK_CLASS = 0x72656769;
/** How long the session of a process that was killed may take to notice and let go. */
const PATIENCE_MS = 3000;

/**
 * Takes the locks of a run, held until the session ends. One run of a source at a time: throws
 * `AlreadyRunning` for the second. Runs of different sources meet in the same companies: they wait
 * for each other.
 *
 * @param onWaiting called when another source's run has to be waited for
 */
export async function lockSource(
  client: pg.ClientBase,
  source: string,
  onWaiting: () => void,
): Promise<void> {
  await noticeLostClients(client);
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (!(await tryLock(client, source))) {
    if (Date.now() > giveUpAt) {
      throw new AlreadyRunning(`Another run of ${source} is under way`);
    }
    await sleep(100);
  }
  if (await tryLock(client, '')) return;
  onWaiting();
  await client.query(`select pg_advisory_lock($1, hashtext(''))`, [LOCK_CLASS]);
}

/**
 * Takes the lock that all runs share, for answers to what was asked for on demand: no run of any
 * source is held up longer than they take. Throws `AlreadyRunning` when a run is under way.
 */
export async function lockImport(client: pg.ClientBase): Promise<void> {
  await noticeLostClients(client);
  if (!(await tryLock(client, ''))) throw new AlreadyRunning('A run is under way');
}

async function tryLock(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ is_locked: boolean }>(
    'select pg_try_advisory_lock($1, hashtext($2)) as is_locked',
    [LOCK_CLASS, name],
  );
  return rows[0]!.is_locked;
}

/** Lets the server end a long statement soon after the process that wants it was killed. */
async function noticeLostClients(client: pg.ClientBase): Promise<void> {
  try {
    await client.query(`set client_connection_check_interval = '500ms'`);
  } catch {
    // Not every system that Postgres runs on can tell; the statement then runs to its end.
  }
}
