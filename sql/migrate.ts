import { readdir, readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { type Kysely, sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';

const migrations = new URL('migrations/', import.meta.url);
const dictionary = new URL('dictionary/', import.meta.url);

/** `\copy <table> (<columns>) from '<file>'` on a line of its own, as psql has it. */
const COPY_LINE = /^\\copy\s+(\S+)\s+\(([^)]+)\)\s+from\s+'([^']+)'\s*;?\s*$/m;

/**
 * Brings the schema up to date; safe to run from several processes at once.
 *
 * @returns the names of the migrations that were applied now
 */
export async function migrate<T>(kysely: Kysely<T>): Promise<string[]> {
  const migrator = new Migrator({ db: kysely, provider: new SqlFiles() });
  const { error, results } = await migrator.migrateToLatest();
  if (error) {
    const failed = results?.find((result) => result.status === 'Error')?.migrationName;
    throw new Error(`Migration ${failed ?? ''} failed: ${(error as Error).message ?? error}`, {
      cause: error,
    });
  }
  return (results ?? []).map((result) => result.migrationName);
}

/** The names of the migrations that the database lacks. */
export async function pendingMigrations<T>(kysely: Kysely<T>): Promise<string[]> {
  const migrator = new Migrator({ db: kysely, provider: new SqlFiles() });
  const known = await migrator.getMigrations();
  return known.filter((migration) => !migration.executedAt).map((migration) => migration.name);
}

/** Plain `.sql` files in which `\copy` loads a CSV file of `dictionary/`. */
class SqlFiles implements MigrationProvider {
  async getMigrations(): Promise<Record<string, Migration>> {
    const files = (await readdir(migrations)).filter((file) => file.endsWith('.sql')).toSorted();
    return Object.fromEntries(
      files.map((file) => [
        file.replace(/\.sql$/, ''),
        { up: (db: Kysely<unknown>) => applyFile(db, file) },
      ]),
    );
  }
}

async function applyFile(db: Kysely<unknown>, file: string): Promise<void> {
  const text = await readFile(new URL(file, migrations), 'utf8');
  // split() keeps the groups of the pattern: statements, table, columns, file, statements, …
  const parts = text.split(COPY_LINE);
  for (let at = 0; at < parts.length; at += 4) {
    if (parts[at]!.trim() !== '') await sql.raw(parts[at]!).execute(db);
    const [table, columns, source] = parts.slice(at + 1, at + 4);
    if (table && columns && source) await loadCsv(db, table, columns, source);
  }
}

async function loadCsv(
  db: Kysely<unknown>,
  table: string,
  columns: string,
  file: string,
): Promise<void> {
  const rows: unknown = parse(await readFile(new URL(file, dictionary)), {
    columns: true,
    bom: true,
    cast: (value) => (value === '' ? null : value),
  });
  await sql`
    insert into ${sql.raw(table)} (${sql.raw(columns)})
    select ${sql.raw(columns)}
    from jsonb_populate_recordset(null::${sql.raw(table)}, ${JSON.stringify(rows)}::jsonb)
  `.execute(db);
}
