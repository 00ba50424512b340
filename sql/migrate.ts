import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ClientBase, Pool } from 'pg';
import { inSession, isThere } from './database.ts';

const migrations = new URL('migrations/', import.meta.url);
const functions = new URL('function/', import.meta.url);
const dictionary = new URL('dictionary/', import.meta.url);

/** `\copy <table> (<columns>) from '<file>'` on a line of its own, as psql has it: a CSV of `dictionary/`. */
const COPY_LINE = /^\\copy\s+(\S+)\s+\(([^)]+)\)\s+from\s+'([^']+)'\s*;?\s*$/gm;

/** The lock of a process that migrates: 'migrate' in ASCII. */
const MIGRATION_LOCK = 0x6d696772617465n;

/**
 * Brings the schema up to date: the job queue (graphile-worker's, in `graphile_worker`), the migrations,
 * which refer to the queue, then the functions, triggers and views. Several processes may run it at
 * once. A later run completes one that was killed.
 *
 * @returns the names of the migrations that were applied now; the job queue counts as one
 */
export async function migrate({ pool }: { pool: Pool }): Promise<string[]> {
  // After a fault the end of the session gives the lock back.
  return inSession(pool, async (holder) => {
    await holder.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const pending = await pendingMigrations({ pool });
    if (pending.length > 0) await applyAll(pool);
    await holder.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    return pending;
  });
}

async function applyAll(pool: Pool): Promise<void> {
  // Commands need it only where something is to be applied.
  const { Logger, runMigrations } = await import('graphile-worker');
  try {
    await runMigrations({ pgPool: pool, logger: new Logger(() => () => undefined) });
  } catch (cause) {
    throw new Error(`The migration of the job queue failed: ${(cause as Error).message}`, {
      cause,
    });
  }
  await pool.query(
    `create table if not exists public.applied_migration (
       name text primary key,
       applied_at timestamptz not null default now()
     )`,
  );
  await inTransactions(pool, await listPending(pool), async (client, name) => {
    await client.query('insert into public.applied_migration (name) values ($1)', [name]);
    const text = await readFile(new URL(`${name}.sql`, migrations), 'utf8');
    await apply(client, text).catch((cause: Error) => {
      throw new Error(`Migration ${name} failed: ${cause.message}`, { cause });
    });
  });
  await inTransactions(pool, await changedFunctions(pool), async (client, changed) => {
    const { file, text, sha256 } = changed;
    await apply(client, text).catch((cause: Error) => {
      throw new Error(`sql/function/${file}: ${cause.message}`, { cause });
    });
    await client.query(
      `insert into registry.applied_function (file, sha256)
       values ($1, $2)
       on conflict (file) do update set sha256 = excluded.sha256`,
      [file, sha256],
    );
  });
}

/** Does some work for each item, in a transaction of its own. */
async function inTransactions<Item>(
  pool: Pool,
  items: readonly Item[],
  work: (client: ClientBase, item: Item) => Promise<void>,
): Promise<void> {
  await inSession(pool, async (client) => {
    for (const item of items) {
      await client.query('begin');
      await work(client, item);
      await client.query('commit');
    }
  });
}

/** The functions, triggers and views that were not applied as they are now, in the order of their files. */
async function changedFunctions(pool: Pool) {
  const names = (await readdir(functions)).filter((file) => file.endsWith('.sql')).toSorted();
  const files = await Promise.all(
    names.map(async (file) => {
      const text = await readFile(new URL(file, functions), 'utf8');
      const copied = [...text.matchAll(COPY_LINE)].map(([, , , source = '']) =>
        readFile(new URL(source, dictionary), 'utf8'),
      );
      const sha256 = hash('sha256', [text, ...(await Promise.all(copied))].join(''));
      return { file, text, sha256 };
    }),
  );
  if (!(await isThere(pool, 'registry.applied_function'))) return files;
  const { rows } = await pool.query<{ file: string; sha256: string }>(
    'select file, sha256 from registry.applied_function',
  );
  const applied = new Map(rows.map(({ file, sha256 }) => [file, sha256]));
  return files.filter(({ file, sha256 }) => applied.get(file) !== sha256);
}

/** The names of the migrations and functions that the database lacks; the job queue counts as one. */
export async function pendingMigrations({ pool }: { pool: Pool }): Promise<string[]> {
  const changed = await changedFunctions(pool);
  const names = [...(await listPending(pool)), ...changed.map(({ file }) => `function/${file}`)];
  const newest = await newestOfQueue();
  return (await revisionOfQueue(pool)) < newest ? [`graphile_worker_${newest}`, ...names] : names;
}

/**
 * The migrations that were not applied, in the order of their numbers. Throws when one was that this
 * version does not know.
 */
async function listPending(pool: Pool): Promise<string[]> {
  const known = (await readdir(migrations))
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.replace(/\.sql$/, ''));
  if (!(await isThere(pool, 'public.applied_migration'))) return known.toSorted();
  const { rows } = await pool.query<{ name: string }>('select name from public.applied_migration');
  const applied = new Set(rows.map(({ name }) => name));
  const [unknown] = [...applied].filter((name) => !known.includes(name));
  if (unknown) throw new Error(`The database is of a newer version: it has migration ${unknown}`);
  return known.filter((name) => !applied.has(name)).toSorted();
}

/** The number of the newest migration that graphile-worker brings with it. */
async function newestOfQueue(): Promise<number> {
  const entry = createRequire(import.meta.url).resolve('graphile-worker');
  const files = await readdir(join(dirname(entry), '../sql'));
  return Math.max(...files.map((file) => Number.parseInt(file, 10)));
}

/** The number of the newest migration of graphile-worker that was applied; 0: none was. */
async function revisionOfQueue(pool: Pool): Promise<number> {
  if (!(await isThere(pool, 'graphile_worker.migrations'))) return 0;
  const { rows } = await pool.query<{ revision: number }>(
    'select coalesce(max(id), 0) as revision from graphile_worker.migrations',
  );
  return rows[0]!.revision;
}

/** Runs the text of a file, in which `\copy` loads a CSV file of `dictionary/`. */
async function apply(client: ClientBase, text: string): Promise<void> {
  // split() keeps the groups of the pattern: statements, table, columns, file, statements, …
  const parts = text.split(COPY_LINE);
  for (let at = 0; at < parts.length; at += 4) {
    if (parts[at]!.trim() !== '') await client.query(parts[at]!);
    const [table, columns, source] = parts.slice(at + 1, at + 4);
    if (source === undefined) continue;
    const { parse } = await import('csv-parse/sync');
    const rows: unknown = parse(await readFile(new URL(source, dictionary)), {
      columns: true,
      bom: true,
      cast: (value) => (value === '' ? null : value),
    });
    await client.query(
      `insert into ${table} (${columns})
       select ${columns} from jsonb_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows)],
    );
  }
}
