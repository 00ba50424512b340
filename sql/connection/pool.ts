import type { Socket } from 'node:net';
import {
  Client,
  type DatabaseError,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
} from 'pg';
import { isNoWriter } from './lost-connection.ts';

/** For each pool, the sessions that are in use. */
const inUse = new WeakMap<Pool, Set<PoolClient>>();

/** A session that sends statements without their names: the pooler may run each statement in another session. */
class NamelessClient extends Client {
  override query(...[asked, ...rest]: unknown[]): never {
    const { name: _, ...nameless } = asked as QueryConfig;
    const isNamed = typeof asked === 'object' && asked !== null && 'name' in asked;
    return super.query(...([isNamed ? nameless : asked, ...rest] as [string])) as never;
  }
}

export function socketOf(client: PoolClient | Client): Socket {
  return client.connection.stream as Socket;
}

/** Closes the sockets of all sessions in use when the server does not answer, so that their statements fail at once. */
export function endSessions(pool: Pool): void {
  for (const client of sessionsInUse(pool)) socketOf(client).destroy();
}

export function sessionsInUse(pool: Pool): ReadonlySet<PoolClient> {
  return inUse.get(pool) ?? new Set();
}

/** Returns the time in ms without data after which a session in use is closed: a lost server sends no timeout error. */
const silenceOf = (patience_ms: number) => patience_ms + 250;

/**
 * Limits the waits of a new session by `set` statements, because a pooler refuses these settings as session options.
 *
 * @param isNameless whether the session goes through a pooler; then no limit is set, because the limit would also apply
 * to other clients of the pooler
 */
async function limitWaits(client: Client, patience_ms: number, isNameless: boolean): Promise<void> {
  const socket = socketOf(client);
  socket.on('timeout', () => {
    const code = 'ETIMEDOUT';
    socket.destroy(Object.assign(new Error('The database does not answer'), { code }));
  });
  if (isNameless) return;
  socket.setTimeout(silenceOf(patience_ms));
  await client.query(`set lock_timeout = ${patience_ms}; set statement_timeout = ${patience_ms}`);
  socket.setTimeout(0);
}

/**
 * Makes a pool that survives the loss of its server: only the next query fails. Dates are texts (database.ts).
 *
 * @param config.patience_ms the longest wait for a session, a lock or a statement, in ms, after which the session
 * ends; by default 10 s for a session, and no other limit
 * @param config.isNameless whether statements have no names, so that each execution is planned again
 */
export function openPool({
  patience_ms,
  isNameless = false,
  ...config
}: PoolConfig & { patience_ms?: number | undefined; isNameless?: boolean | undefined }): Pool {
  const onConnect = (client: Client): unknown => limitWaits(client, patience_ms!, isNameless);
  const pool = new Pool({
    connectionTimeoutMillis: patience_ms ?? 10_000,
    ...config,
    ...(isNameless && { Client: NamelessClient }),
    ...(patience_ms !== undefined && { onConnect }),
  } as PoolConfig);
  const used = new Set<PoolClient>();
  inUse.set(pool, used);
  pool.on('acquire', (client) => {
    used.add(client);
    if (patience_ms !== undefined) socketOf(client).setTimeout(silenceOf(patience_ms));
  });
  pool.on('release', (_error, client) => {
    used.delete(client);
    socketOf(client).setTimeout(0);
  });
  // An `error` event without a listener ends the process or thread. The pool itself listens only to idle clients, not
  // to a client that is in use between two queries.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    // A session is closed when its server has become a standby, because a standby refuses every change.
    (client as unknown as Client).connection.on('errorMessage', (said: DatabaseError) => {
      if (isNoWriter(said)) (client as unknown as Client).end().catch(() => undefined);
    });
  });
  return pool;
}
