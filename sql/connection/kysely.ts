import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import type { Tables } from '../tables/tables.ts';

/** Gives typed access to the tables of the database, through a pool or in a transaction. */
export type Db = Kysely<Tables>;

/** An open transaction, begun by the caller of a function. */
export type Tx = Transaction<Tables>;

export function openKysely(pool: Pool): Db {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/**
 * Takes the lock with the given name until the transaction ends; waits while another transaction holds the lock. There
 * are 256 locks and the name is hashed, so two names may have the same lock.
 */
export async function lockName(tx: Tx, name: string): Promise<void> {
  await sql`select registry.lock_until_commit('customer ' || (hashtext(${name}) & 255))`.execute(
    tx,
  );
}
