import {
  type DatabaseIntrospector,
  type Kysely,
  PostgresDialect,
  PostgresIntrospector,
  sql,
  type TableMetadata,
} from 'kysely';

/**
 * Postgres, where tables may come and go while the migrator asks which ones there are: the query of
 * the library looks each of them up once more by its name, and fails when a night, which replaces its
 * own tables, has dropped one meanwhile (kysely 0.29.9, postgres-introspector.js).
 */
export class LivelyPostgresDialect extends PostgresDialect {
  override createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new NameIntrospector(db);
  }
}

/** Knows tables by their names alone, which is all that a migrator asks for. */
class NameIntrospector extends PostgresIntrospector {
  readonly #db: Kysely<unknown>;

  constructor(db: Kysely<unknown>) {
    super(db);
    this.#db = db;
  }

  override async getTables(): Promise<TableMetadata[]> {
    const { rows } = await sql<{ schema: string; name: string }>`
      select pg_namespace.nspname as schema, pg_class.relname as name
      from pg_catalog.pg_class
      join pg_catalog.pg_namespace on pg_namespace.oid = pg_class.relnamespace
      where pg_class.relkind in ('r', 'p') and pg_namespace.nspname !~ '^pg_'
    `.execute(this.#db);
    return rows.map((row) => ({ ...row, isView: false, isForeign: false, columns: [] }));
  }
}
