import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import type { Tables } from '../tables/tables.ts';

/** The tables: a pool, or a transaction. */
export type Db = Kysely<Tables>;

/** A transaction, which another function has begun. */
export type Tx = Transaction<Tables>;

export function openKysely(pool: Pool): Db {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
