import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import type { Tables } from '../tables/tables.ts';

/** Typed access to the tables, through a pool or in a transaction. */
export type Db = Kysely<Tables>;

/** An open transaction, which the caller has begun. */
export type Tx = Transaction<Tables>;

export function openKysely(pool: Pool): Db {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/**
 * Locks a name until the transaction ends; waits while another transaction holds the lock. All names share 256
 * locks.
 */
export async function lockName(tx: Tx, name: string): Promise<void> {
  await sql`select registry.lock_until_commit('customer ' || (hashtext(${name}) & 255))`.execute(
    tx,
  );
}
