import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import type { Tables } from '../tables/tables.ts';

/** The tables: a pool, or a transaction. */
export type Db = Kysely<Tables>;

/** A transaction, which another function has begun. */
export type Tx = Transaction<Tables>;

export function openKysely(pool: Pool): Db {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Runs after the other transactions that lock this name, until the end of its own. Names share 256 locks. */
export async function lockName(tx: Tx, name: string): Promise<void> {
  await sql`select registry.lock_until_commit('customer ' || (hashtext(${name}) & 255))`.execute(
    tx,
  );
}
