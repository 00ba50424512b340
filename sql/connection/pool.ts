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

/** Sessions of a pool that run something. */
const inUse = new WeakMap<Pool, Set<PoolClient>>();

/** A session whose statements have no names, for a pooler that gives each statement another session. */
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

/** Cuts the sessions of a server that is silent: what waits for it fails at once. */
export function endSessions(pool: Pool): void {
  for (const client of inUse.get(pool) ?? []) socketOf(client).destroy();
}

/**
 * Makes a pool of sessions that survives the loss of its server; the next query throws.
 *
 * @param config.isNameless statements are not named, so that each is planned anew
 * @param config.onConnect prepares a new session; an error ends it, and is thrown to who waits for one
 */
export function openPool({ isNameless, ...config }: SessionConfig): Pool {
  const own = isNameless ? { ...config, Client: NamelessClient } : config;
  const pool = new Pool(own as PoolConfig);
  const used = new Set<PoolClient>();
  inUse.set(pool, used);
  pool.on('acquire', (client) => void used.add(client));
  pool.on('release', (_error, client) => void used.delete(client));
  // An error without a listener ends the process or thread. The pool listens only to idle clients,
  // not to a client between two queries.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    // The server is no writer any more: the session would go on to refuse every change.
    (client as unknown as Client).connection.on('errorMessage', (said: DatabaseError) => {
      if (isNoWriter(said)) (client as unknown as Client).end().catch(() => undefined);
    });
  });
  return pool;
}
