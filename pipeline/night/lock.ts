import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { AlreadyRunning } from '../errors.ts';
import { nights } from '../figures/night-timeouts.ts';

/** Runs `use` in a session and then closes the session, which releases its locks and rolls back an open transaction. */
export async function inLastSession<T>(
  pool: Pool,
  use: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    return await use(client);
  } finally {
    client.release(true);
  }
}

/** Takes the lock of a source until the session ends. Throws `AlreadyRunning` if another run holds the lock. */
export async function lockSource(client: ClientBase, source: string): Promise<void> {
  // With this setting, the server soon notices that this process was killed, and cancels the running statement.
  await client.query(`set client_connection_check_interval = '500ms'`).catch(() => undefined);
  await lockPatiently(client, source, `Another run of ${source} is under way`);
}

async function lockPatiently(client: ClientBase, name: string, held: string): Promise<void> {
  const giveUpAt = Date.now() + nights.lockPatience_ms;
  while (!(await tryLock(client, name))) {
    if (Date.now() > giveUpAt) throw new AlreadyRunning(held);
    await sleep(nights.lockPause_ms);
  }
}

/**
 * Holds a lock while `use` runs, perhaps for hours. Throws `AlreadyRunning` if another session holds the lock.
 *
 * @param held the message of the `AlreadyRunning` error
 * @param use the work; its parameter is a signal that is aborted when the session and thus the lock is lost
 */
export async function whileLocked<T>(
  pool: Pool,
  name: string,
  held: string,
  use: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  return inLastSession(pool, async (client) => {
    const lost = new AbortController();
    client.once('error', (error) => lost.abort(error));
    client.once('end', () => lost.abort(new Error('Connection terminated')));
    // By keepalive probes, the server notices that this machine was lost, even if the connection was not closed.
    await client.query(`
      set idle_session_timeout = 0;
      set tcp_keepalives_idle = 30;
      set tcp_keepalives_interval = 10;
      set tcp_keepalives_count = 3`);
    await lockPatiently(client, name, held);
    return use(lost.signal);
  });
}

/**
 * Takes a country's lock until the session ends. Runs of a country's sources read their dumps in parallel, but compare
 * and publish one after another, since the sources share companies.
 */
export async function lockPublishing(
  client: ClientBase,
  country_code: string,
  onWaiting: () => void,
): Promise<void> {
  const name = `night ${country_code}`;
  if (await tryLock(client, name)) return;
  onWaiting();
  while (!(await tryLock(client, name))) await sleep(nights.lockPause_ms);
}

/** Runs a transaction under the locks of all countries, during which no night compares or publishes. */
export async function whilePublishingWaits<T>(
  pool: Pool,
  use: (client: PoolClient) => Promise<T>,
): Promise<T> {
  return inLastSession(pool, async (client) => {
    while (!(await tryAllLocks(client))) await sleep(nights.lockPause_ms);
    await client.query('begin');
    const result = await use(client);
    await client.query('commit');
    return result;
  });
}

/** Takes the locks of all countries, or none if a night holds one, so that nights of other countries can start. */
async function tryAllLocks(client: ClientBase): Promise<boolean> {
  await client.query('begin');
  const { rows } = await client.query<{ is_locked: boolean }>(
    `select bool_and(registry.try_lock('night ' || country_code)) as is_locked
     from (select country_code from registry.country order by country_code) as country`,
  );
  await client.query(rows[0]!.is_locked ? 'commit' : 'rollback');
  return rows[0]!.is_locked;
}

/** Takes a lock until the session ends. Returns false if another session holds the lock. */
export async function tryLock(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ is_locked: boolean }>(
    'select registry.try_lock($1) as is_locked',
    [name],
  );
  return rows[0]!.is_locked;
}
