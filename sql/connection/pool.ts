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

/** The sessions of each pool that are in use. */
const inUse = new WeakMap<Pool, Set<PoolClient>>();

/** A session that removes the names of statements, for a pooler that runs each statement in another session. */
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

export type SessionConfig = Omit<PoolConfig, 'onConnect'> & {
  isNameless?: boolean;
  onConnect?: ((client: Client) => unknown) | undefined;
};

/** Cuts all sessions in use on a silent server, so that their statements fail at once. */
export function endSessions(pool: Pool): void {
  for (const client of inUse.get(pool) ?? []) socketOf(client).destroy();
}

/**
 * Makes a pool that survives the loss of its server: the next query throws.
 *
 * @param config.isNameless whether statements have no names, so that each execution is planned again
 * @param config.onConnect prepares a new session; an error ends the session, and the caller of `connect` gets
 *   the error
 */
export function openPool({ isNameless, ...config }: SessionConfig): Pool {
  const own = isNameless ? { ...config, Client: NamelessClient } : config;
  const pool = new Pool(own as PoolConfig);
  const used = new Set<PoolClient>();
  inUse.set(pool, used);
  pool.on('acquire', (client) => void used.add(client));
  pool.on('release', (_error, client) => void used.delete(client));
  // An error without a listener ends the process or thread. The pool listens only to idle clients, not to a
  // client in use between two queries.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    // A session on a server that became a standby is ended: it would refuse every change.
    (client as unknown as Client).connection.on('errorMessage', (said: DatabaseError) => {
      if (isNoWriter(said)) (client as unknown as Client).end().catch(() => undefined);
    });
  });
  return pool;
}
