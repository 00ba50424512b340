import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import type { Tables } from '../tables/tables.ts';

/** Gives typed access to the tables of the database, through a pool or in a transaction. */
export type Db = Kysely<Tables>;

/** An open transaction, which the caller has begun. */
export type Tx = Transaction<Tables>;

export function openKysely(pool: Pool): Db {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/**
 * Takes the lock of a name until the transaction ends; waits while another transaction holds the lock. Names are hashed
 * to 256 locks, so two names may share a lock.
 */
export async function lockName(tx: Tx, name: string): Promise<void> {
  await sql`select registry.lock_until_commit('customer ' || (hashtext(${name}) & 255))`.execute(
    tx,
  );
}
