import { readFile } from 'node:fs/promises';
import { Kysely } from 'kysely';
import { type ClientBase, type DatabaseError, Pool, type QueryResult, types } from 'pg';
import { LivelyPostgresDialect } from './dialect.ts';
import { acquireEmbedded } from './embedded/embedded.ts';
import { PreparingClient } from './prepared.ts';
import type { Tables } from './tables/tables.ts';

/** The oldest server whose SQL this project may use: `server_version_num`. */
const OLDEST_SERVER = 150000;

// A date is a day of a registry, not a moment: it stays the text YYYY-MM-DD.
types.setTypeParser(types.builtins.DATE, (value) => value);

export interface DatabaseOptions {
  /** A Postgres connection string; absent: the embedded server below `dataDir`. */
  databaseUrl?: string | undefined;
  dataDir: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
}

export interface Database {
  pool: Pool;
  kysely: Kysely<Tables>;
  close(): Promise<void>;
}

/**
 * Opens the only pool of a process; starts the embedded server when no `databaseUrl` is given.
 * Throws a sentence when no server can be reached or it is too old.
 */
export async function connect(options: DatabaseOptions): Promise<Database> {
  const embedded = options.databaseUrl ? undefined : await acquireEmbedded(options.dataDir);
  const pool = new Pool({
    Client: PreparingClient,
    ...(embedded
      ? // Whatever PGSSLMODE asks of other servers.
        { ...embedded.connection, ssl: false }
      : { connectionString: options.databaseUrl }),
    application_name: options.applicationName,
    connectionTimeoutMillis: 10_000,
    // A machine that is lost says nothing more: without these questions, to which it owes an answer
    // within some 20 seconds, a statement would wait for it for ever.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    max: 10,
    // Fingerprints and state hashes depend on how dates and floats are written.
    options: '-c datestyle=ISO,YMD -c timezone=UTC -c extra_float_digits=1',
  });
  // A server that goes away must not take the process with it: neither through a client that is
  // idle, nor through one that is between two queries; the next query tells.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const kysely = new Kysely<Tables>({ dialect: new LivelyPostgresDialect({ pool }) });
  const close = async () => {
    // Ends the pool as well, but only once Kysely has used it.
    await kysely.destroy();
    if (!pool.ended) await pool.end();
    await embedded?.release();
  };
  try {
    await checkServer(pool);
  } catch (error) {
    await close();
    throw error;
  }
  return { pool, kysely, close };
}

async function checkServer(pool: Pool): Promise<void> {
  let version: number;
  try {
    const { rows } = await pool.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`,
    );
    version = rows[0]!.version;
  } catch (cause) {
    // Several addresses that all refuse make an error without a message.
    const { message, code } = cause as NodeJS.ErrnoException;
    throw new Error(`The database cannot be reached: ${message || code}`, { cause });
  }
  if (version < OLDEST_SERVER) {
    throw new Error(`PostgreSQL 15 or newer is needed; the server is ${version / 10000}`);
  }
}

/**
 * Runs one `.sql` file of this folder, all its statements in one implicit transaction (or in the
 * one that is open on `client`).
 *
 * @param file path below `sql/`, such as `nightly/2a_pair.sql`
 * @param values for `$1` …; a file that takes values holds one statement
 */
export async function runFile(
  client: ClientBase,
  file: string,
  values?: unknown[],
): Promise<QueryResult[]> {
  const text = await readFile(new URL(file, import.meta.url), 'utf8');
  try {
    const results = await client.query(text, values);
    return Array.isArray(results) ? results : [results];
  } catch (cause) {
    throw new Error(`sql/${file}: ${(cause as Error).message}${whereIn(text, cause)}`, { cause });
  }
}

function whereIn(text: string, cause: unknown): string {
  const position = Number((cause as DatabaseError).position);
  return position > 0 ? ` (line ${text.slice(0, position).split('\n').length})` : '';
}
