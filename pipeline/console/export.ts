import { open, rename, rm } from 'node:fs/promises';
import type { ClientBase, Pool } from 'pg';
import { type Database, inSnapshot, isThere } from '../../sql/connection/database.ts';
import { type Format, isFormat, writers } from '../../sql/export/formats.ts';
import type { Put } from '../../sql/export/csv.ts';
import { writeCursor } from '../../sql/feed-cursor.ts';
import { WrongUsage } from '../errors.ts';
import { print } from './print.ts';
import { withDatabase } from './session.ts';

/** The schemas whose views and tables may be exported, because these schemas hold no secrets. */
const schemas = new Set(['analyst', 'registry', 'billing']);

/** Runs `registry export`: writes a view or table to stdout, or to a file that appears when it is complete. */
export async function exportTo(
  name: string,
  { format, output, json }: { format: string; output?: string; json?: boolean },
): Promise<void> {
  if (!isFormat(format)) throw new WrongUsage(`--format is ${Object.keys(writers).join(' or ')}`);
  if (json && output === undefined) throw new WrongUsage('--json needs --output: stdout has rows');
  if (format === 'parquet' && output === undefined && process.stdout.isTTY)
    throw new WrongUsage('Parquet is nothing to read on a terminal: give --output <file>');
  await withDatabase(
    async (db) => {
      const relation = await findRelation(db, name);
      const pool = db.readers?.chooseReader() ?? db.pool;
      const exportBy = (put: Put) => exportRelation(pool, relation, format, put);
      const exported =
        output === undefined ? await exportBy(putToStdout) : await writeWhole(output, exportBy);
      const { rows, cursor } = exported;
      if (json) print([JSON.stringify({ ...exported, output })]);
      else
        process.stderr.write(
          `${rows} rows of ${relation}; the event feed goes on with scope=all&after=${cursor}\n`,
        );
    },
    { reads: true },
  ).catch((error: unknown) => {
    if (!(error instanceof ReaderGone)) throw error;
    process.exitCode = exitByClosedPipe;
  });
}

async function findRelation(db: Database, name: string): Promise<string> {
  const [, schema = 'analyst', relation] = /^(?:([a-z_]+)\.)?([a-z_0-9]+)$/.exec(name) ?? [];
  const found = `${schema}.${relation}`;
  if (relation === undefined || !schemas.has(schema) || !(await isThere(db.pool, found)))
    throw new WrongUsage(`'${name}' is no view or table of ${[...schemas].join(', ')}`);
  return found;
}

/** Signals that the program that reads stdout, such as `head`, has closed the pipe. */
class ReaderGone extends Error {}

/** The exit code if the reader of stdout closed the pipe: 128 + 13, the number of SIGPIPE, as shells report it. */
const exitByClosedPipe = 141;

function putToStdout(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) =>
    process.stdout.write(bytes, (error?: NodeJS.ErrnoException | null) => {
      if (error) reject(error.code === 'EPIPE' ? new ReaderGone() : error);
      else resolve();
    }),
  );
}

/** Calls `use` to write the file `<path>.part`, then renames this file to `path`. Returns the result of `use`. */
async function writeWhole<T>(path: string, use: (put: Put) => Promise<T>): Promise<T> {
  const partial = `${path}.part`;
  const write = async () => {
    await using file = await open(partial, 'w', 0o600);
    return await use((bytes) => file.appendFile(bytes));
  };
  try {
    // `write` also closes the file, which can fail, so the file is renamed only after `write` has succeeded.
    const written = await write();
    await rename(partial, path);
    return written;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Returns the query of all rows of a table or view, except rows of companies whose owner objects to bulk sales. */
async function queryOf(client: ClientBase, relation: string): Promise<string> {
  const { rowCount } = await client.query(
    `select from pg_attribute where attrelid = $1::regclass and attname = 'company_id'`,
    [relation],
  );
  const all = `select * from ${relation} as listed`;
  if (rowCount === 0) return all;
  return `${all} where not exists (
    select from registry.objecting_company
    where objecting_company.company_id = listed.company_id
  )`;
}

/**
 * Exports a table or view in one snapshot of the database, in bounded memory. Returns a `cursor`: a client that reads
 * the event feed (`scope=all`) from this cursor on receives the changes since the export.
 */
async function exportRelation(pool: Pool, relation: string, format: Format, put: Put) {
  return inSnapshot(pool, async (client) => {
    const { rows: last } = await client.query<{ event_id: string }>(
      `select coalesce((array_agg(last_event_id order by snapshot_no desc))[1], 0) as event_id
       from registry.event_range`,
    );
    const rows = await writers[format](client, await queryOf(client, relation), put);
    return { relation, rows, cursor: writeCursor({ scope: 'all', ...last[0]! }) };
  });
}
