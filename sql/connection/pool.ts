import { Pool, type PoolConfig } from 'pg';

/** Makes a pool of sessions that survives the loss of its server; the next query throws. */
export function openPool(config: PoolConfig): Pool {
  const pool = new Pool(config);
  // An error without a listener ends the process or thread. The pool listens only to idle clients,
  // not to a client between two queries.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
