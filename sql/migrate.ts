import { hash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase, DatabaseError, Pool } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { inSession, isThere } from './connection/database.ts';
import { productVersion, requireSuitable } from './version-check.ts';

/**
 * Matches a line of a `.sql` file that names another file: a path below `dictionary/`, or below `country/*`. `\copy
 * <table> from '<file>'` copies a CSV file into the table; the first line of the file names the columns. `\load
 * <dictionary> from '<file>'` replaces all rows of the dictionary. `\include '<file>'` runs the statements of the file.
 * `country/*` in a path stands for each country's folder that has the file.
 */
const FILE_LINE = /^\\(copy|load|include)(?: (.+) from)? '([^']+)'$/gm;

/** A part of the schema: the record of the release, a migration, or a file of functions and views. */
interface Part {
  name: string;
  /** The hash of the part, which is applied again if its hash has changed; empty: the part is applied only once. */
  sha256: string;
  apply: (client: ClientBase) => Promise<void>;
}

/**
 * Upgrades the schema to this version; several processes may do so at the same time. Applies the migrations first, then
 * the dictionaries, functions, triggers and views. Also creates the role of analysts, which a backup does not contain.
 * Throws a readable error if the database is not suitable.
 *
 * @param options.folder the folder with `migrations/`, `function/`, `dictionary/` and `country/`
 * @returns the names of the parts that were applied
 */
export async function migrate(
  { pool }: { pool: Pool },
  { folder = new URL('./', import.meta.url), version = productVersion } = {},
): Promise<string[]> {
  return inSession(pool, async (holder) => {
    await lockMigrations(holder, version);
    const applied = await inSession(pool, async (client) => {
      const pending = await findPending(client, [
        // The release is recorded first, so that no process of an older version can restore its functions any more.
        { name: `release ${version}`, sha256: '', apply: () => Promise.resolve() },
        ...(await readParts(folder, 'migrations')),
        ...(await readParts(folder, 'function')),
      ]);
      for (const part of pending) await applyPart(client, part);
      await client.query('call registry.make_reader()');
      return pending.map(({ name }) => name);
    });
    await holder.query('commit');
    return applied;
  });
}

/**
 * Waits until no other process migrates the database, and locks `registry.applied_migration` until the commit. Only the
 * owner of this table can lock it. The mode of the lock lets this process's second session write to the table.
 */
async function lockMigrations(holder: ClientBase, version: string): Promise<void> {
  await requireSuitable(holder, version);
  if (!(await isThere(holder, 'registry.applied_migration'))) await createBookkeeping(holder);
  await holder.query(
    `begin;
     set local idle_in_transaction_session_timeout = 0;
     lock table registry.applied_migration in share update exclusive mode`,
  );
  // Another process may have upgraded the database while this process waited for the lock.
  await requireSuitable(holder, version);
}

async function createBookkeeping(client: ClientBase): Promise<void> {
  const created = client.query(
    `create schema if not exists registry;
     create table registry.applied_migration (
       name text primary key,
       sha256 text not null,
       applied_at timestamptz not null default now()
     )`,
  );
  await created.catch((error: DatabaseError) => {
    // The three codes mean that another process created the schema or the table at the same time.
    if (!['23505', '42P06', '42P07'].includes(error.code ?? '')) throw error;
  });
}

/** Returns the parts of the schema that the database lacks. */
async function findPending(client: ClientBase, parts: readonly Part[]): Promise<Part[]> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from registry.applied_migration',
  );
  const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]));
  return parts.filter(({ name, sha256 }) => applied.get(name) !== sha256);
}

/** Applies one part of the schema in its own transaction. */
async function applyPart(client: ClientBase, { name, sha256, apply }: Part): Promise<void> {
  await client.query('begin');
  await client.query(
    `insert into registry.applied_migration (name, sha256)
     values ($1, $2)
     on conflict (name) do update set sha256 = excluded.sha256, applied_at = excluded.applied_at`,
    [name, sha256],
  );
  await apply(client).catch((cause: Error) => {
    throw new Error(`Migration ${name} failed: ${cause.message}`, { cause });
  });
  await client.query('commit');
}

/**
 * Reads the `.sql` files of one folder and its subfolders as parts of the schema, in the order of their numbers. A file
 * of functions is applied again if its own text has changed, or the text of a file that it names.
 */
async function readParts(folder: URL, kind: 'migrations' | 'function'): Promise<Part[]> {
  const names = (await readdir(new URL(kind, folder), { recursive: true })).filter((name) =>
    name.endsWith('.sql'),
  );
  const sorted = names.toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1));
  const parts = sorted.map(async (file) => {
    const text = await readFile(new URL(`${kind}/${file}`, folder), 'utf8');
    const apply = (client: ClientBase) => run(client, text, folder);
    if (kind === 'migrations') return { name: basename(file, '.sql'), sha256: '', apply };
    const named = [...text.matchAll(FILE_LINE)].flatMap((line) => findFiles(line[3]!, folder));
    const texts = named.map(async ({ country, url }) => country + (await readFile(url, 'utf8')));
    const sha256 = hash('sha256', [text, ...(await Promise.all(texts))].join(''));
    return { name: `function/${basename(file)}`, sha256, apply };
  });
  return Promise.all(parts);
}

/** Returns the files that a line names, each with the code of its country; `dictionary/` has the empty code. */
function findFiles(pattern: string, folder: URL): { country: string; url: URL }[] {
  if (!pattern.startsWith('country/*/')) {
    return [{ country: '', url: new URL(`dictionary/${pattern}`, folder) }];
  }
  return readdirSync(new URL('country', folder))
    .toSorted()
    .map((name) => ({
      country: name.toUpperCase(),
      url: new URL(pattern.replace('*', name), folder),
    }))
    .filter(({ url }) => existsSync(url));
}

/** Runs the statements of a text and, at each line that names a file, the named file. */
async function run(client: ClientBase, text: string, folder: URL): Promise<void> {
  // `split` also returns the groups of the pattern: statements, verb, target, file, statements, and so on.
  const parts = text.split(FILE_LINE);
  for (let at = 0; at < parts.length; at += 4) {
    const [statements = '', verb, target = '', pattern] = parts.slice(at, at + 4);
    if (statements.trim() !== '') await client.query(statements);
    if (pattern === undefined) continue;
    if (verb === 'load') await client.query('select registry.start_loading($1)', [target]);
    for (const { country, url } of findFiles(pattern, folder)) {
      await client.query(`select set_config('registry.country', $1, true)`, [country]);
      const content = await readFile(url, 'utf8');
      if (verb === 'include') await client.query(content);
      else await copyRows(client, verb === 'load' ? 'loaded' : target, content);
    }
    if (verb === 'load') await client.query('select registry.load_dictionary($1)', [target]);
  }
}

/** Copies the rows of a CSV file, whose first line names the columns, into a table. */
async function copyRows(client: ClientBase, table: string, csv: string): Promise<void> {
  const columns = csv.slice(0, csv.indexOf('\n'));
  const copy = client.query(copyFrom(`copy ${table} (${columns}) from stdin (format csv, header)`));
  await pipeline(Readable.from([csv]), copy);
}
