import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { Logger, runMigrations } from 'graphile-worker';
import { type Kysely, sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import type { Pool } from 'pg';
import type { Database } from './database.ts';

const migrations = new URL('migrations/', import.meta.url);
const dictionary = new URL('dictionary/', import.meta.url);

/** `\copy <table> (<columns>) from '<file>'` on a line of its own, as psql has it. */
const COPY_LINE = /^\\copy\s+(\S+)\s+\(([^)]+)\)\s+from\s+'([^']+)'\s*;?\s*$/m;

/** Whoever migrates holds this lock: 'migrate' in ASCII. */
const MIGRATION_LOCK = 0x6d696772617465n;

/**
 * Brings the schema up to date, that of the job queue (graphile-worker's, in `graphile_worker`)
 * before ours, which enqueues jobs; safe to run from several processes at once, and to run again
 * after it was killed.
 *
 * @returns the names of the migrations that were applied now; the job queue counts as one
 */
export async function migrate(db: Pick<Database, 'kysely' | 'pool'>): Promise<string[]> {
  const holder = await db.pool.connect();
  let failure: Error | undefined;
  try {
    await holder.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const pending = await pendingMigrations(db);
    if (pending.length > 0) await applyAll(db);
    return pending;
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    if (!failure) await holder.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    // After a fault the session is not used again, and its end gives the lock back.
    holder.release(failure);
  }
}

async function applyAll({ kysely, pool }: Pick<Database, 'kysely' | 'pool'>): Promise<void> {
  try {
    await runMigrations({ pgPool: pool, logger: new Logger(() => () => undefined) });
  } catch (cause) {
    throw new Error(`The migration of the job queue failed: ${(cause as Error).message}`, {
      cause,
    });
  }
  const migrator = new Migrator({ db: kysely, provider: new SqlFiles() });
  const { error, results } = await migrator.migrateToLatest();
  if (error) {
    const failed = results?.find((result) => result.status === 'Error')?.migrationName;
    throw new Error(`Migration ${failed ?? ''} failed: ${(error as Error).message ?? error}`, {
      cause: error,
    });
  }
}

/** The names of the migrations that the database lacks; the job queue counts as one. */
export async function pendingMigrations({
  kysely,
  pool,
}: Pick<Database, 'kysely' | 'pool'>): Promise<string[]> {
  const migrator = new Migrator({ db: kysely, provider: new SqlFiles() });
  const pending = (await migrator.getMigrations()).filter((migration) => !migration.executedAt);
  const names = pending.map((migration) => migration.name);
  const newest = await newestOfQueue();
  return (await revisionOfQueue(pool)) < newest ? [`graphile_worker_${newest}`, ...names] : names;
}

/** The number of the newest migration that graphile-worker brings with it. */
async function newestOfQueue(): Promise<number> {
  const entry = createRequire(import.meta.url).resolve('graphile-worker');
  const files = await readdir(join(dirname(entry), '../sql'));
  return Math.max(...files.map((file) => Number.parseInt(file, 10)));
}

/** The number of the newest migration of graphile-worker that was applied; 0: none was. */
async function revisionOfQueue(pool: Pool): Promise<number> {
  const { rows: tables } = await pool.query<{ is_there: boolean }>(
    `select to_regclass('graphile_worker.migrations') is not null as is_there`,
  );
  if (!tables[0]!.is_there) return 0;
  const { rows } = await pool.query<{ revision: number }>(
    'select coalesce(max(id), 0) as revision from graphile_worker.migrations',
  );
  return rows[0]!.revision;
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
