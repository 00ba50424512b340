import { readFile } from 'node:fs/promises';
import type { Client, ClientConfig, DatabaseError, Pool, PoolClient, QueryResult } from 'pg';
import { types } from 'pg';
import { acquireEmbedded } from '../embedded/embedded.ts';
import { openPool, socketOf } from './pool.ts';
import type { Readers } from './readers.ts';
import { settleSessions } from './session-settings.ts';

/** The oldest server whose SQL this project may use: `server_version_num`. */
const OLDEST_SERVER = 150000;

// A date is a day of a registry, not a moment: it stays the text YYYY-MM-DD.
types.setTypeParser(types.builtins.DATE, (value) => value);

export interface DatabaseOptions {
  /** A Postgres connection string; absent: the embedded server below `dataDir`. */
  databaseUrl?: string | undefined;
  dataDir: string;
  /** Of the embedded server, where it does not run yet: the port of 127.0.0.1 for readers. */
  readerPort?: number | undefined;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** The longest wait for a session, a lock or the end of a statement; absent: ten seconds for a session. */
  patience_ms?: number;
  /** Sessions that the process has at most on each server; absent: 10. */
  mostSessions?: number;
  /** Whether statements have no names, since a pooler gives each another session. */
  isNameless?: boolean;
  /** Standbys that answer what is only read; absent or none: the writer does. */
  readUrls?: readonly string[];
  /** A standby that is further behind is passed over; absent: ten seconds. */
  mostLag_s?: number;
  /** So long a standby speaks for a writer that is away: a revoked token may live on; absent: a minute. */
  mostAway_s?: number;
}

export interface Database {
  pool: Pool;
  /** Undefined: there are no standbys. */
  readers: Readers | undefined;
  /** How its sessions connect, in values that another thread can be given. */
  connection: ClientConfig;
  /** How sessions on each of the readers connect. */
  readConnections: readonly ClientConfig[];
  close(): Promise<void>;
}

/** Opens a pool. Throws a sentence when the server cannot be reached or is too old, or the encoding wrong. */
export async function connect(options: DatabaseOptions): Promise<Database> {
  const embedded = options.databaseUrl
    ? undefined
    : await acquireEmbedded(options.dataDir, options);
  const shared: ClientConfig = {
    application_name: options.applicationName,
    // A statement would wait for ever for a machine that is lost, which these questions detect.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  const connection: ClientConfig = {
    ...(embedded
      ? // PGSSLMODE is meant for other servers.
        { ...embedded.connection, ssl: false }
      : { connectionString: options.databaseUrl }),
    ...shared,
  };
  const readConnections = (options.readUrls ?? []).map((connectionString) => ({
    connectionString,
    ...shared,
  }));
  const pool = openSessions(connection, options);
  const readPools = readConnections.map((one) => openSessions(one, options));
  let readers: Readers | undefined;
  const close = async () => {
    await readers?.close();
    if (!pool.ended) await pool.end();
    await embedded?.release();
  };
  try {
    await checkServer(pool);
    await settleSessions(pool);
  } catch (error) {
    await close();
    throw error;
  }
  if (readPools.length > 0) {
    // Half of what a command takes to start: few have standbys.
    const { openReaders } = await import('./readers.ts');
    readers = await openReaders(pool, readPools, options.mostLag_s ?? 10, options.mostAway_s ?? 60);
  }
  return { pool, readers, connection, readConnections, close };
}

/**
 * Opens sessions that end when they wait for longer than the patience of the program.
 *
 * @param options.mostWait_ms for a session; absent: as long as for all else
 */
export function openSessions(
  connection: ClientConfig,
  options: Pick<DatabaseOptions, 'patience_ms' | 'mostSessions' | 'isNameless'> & {
    mostWait_ms?: number;
  },
): Pool {
  const { patience_ms, mostSessions = 10, isNameless = false } = options;
  const pool = openPool({
    ...connection,
    isNameless,
    max: mostSessions,
    connectionTimeoutMillis: options.mostWait_ms ?? patience_ms ?? 10_000,
    onConnect: (client) =>
      patience_ms === undefined ? undefined : limitWaits(client, patience_ms, isNameless),
  });
  if (patience_ms === undefined) return pool;
  pool.on('acquire', (client) => void socketOf(client).setTimeout(silenceOf(patience_ms)));
  pool.on('release', (_error, client) => void socketOf(client).setTimeout(0));
  return pool;
}

/** A session in use whose server says nothing for so long is ended: a lost machine reports no timeout. */
const silenceOf = (patience_ms: number) => patience_ms + 250;

/**
 * Limits the waits of a new session. A pooler refuses such settings at its start.
 *
 * @param isNameless a pooler stands between: a setting would reach the statements of other clients, so none is made
 */
async function limitWaits(client: Client, patience_ms: number, isNameless: boolean): Promise<void> {
  const socket = socketOf(client);
  socket.on('timeout', () => {
    const code = 'ETIMEDOUT';
    socket.destroy(Object.assign(new Error('The database does not answer'), { code }));
  });
  if (isNameless) return;
  socket.setTimeout(silenceOf(patience_ms));
  await client.query(`set lock_timeout = ${patience_ms}; set statement_timeout = ${patience_ms}`);
  socket.setTimeout(0);
}

async function checkServer(pool: Pool): Promise<void> {
  const { rows } = await pool
    .query<{ version: number; encoding: string }>(
      `select current_setting('server_version_num')::int as version,
         current_setting('server_encoding') as encoding`,
    )
    .catch((cause: NodeJS.ErrnoException) => {
      // Several addresses that all refuse make an error without a message.
      const reason = cause.message || cause.code;
      throw new Error(`The database cannot be reached: ${reason}`, { cause });
    });
  const { version, encoding } = rows[0]!;
  if (version < OLDEST_SERVER) {
    throw new Error(`PostgreSQL 15 or newer is needed; the server is ${version / 10000}`);
  }
  if (encoding !== 'UTF8') {
    throw new Error(
      `The encoding of the database must be UTF8; it is ${encoding}: make one by createdb --template=template0 --encoding=UTF8`,
    );
  }
}

/** What gives sessions, such as a pool. */
export type Sessions = { connect(): Promise<PoolClient> };

/** Does some work in its own session; an error ends the session, and its open transaction. */
export async function inSession<T>(
  pool: Sessions,
  use: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    const result = await use(client);
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

export function inSnapshot<T>(pool: Pool, use: (client: PoolClient) => Promise<T>): Promise<T> {
  return inSession(pool, async (client) => {
    await client.query('begin isolation level repeatable read read only');
    const result = await use(client);
    await client.query('commit');
    return result;
  });
}

/** A session, or a pool, which runs a query in any of its sessions. */
type Queryable = Pick<Pool, 'query'>;

/** Whether there is a table or a view of this name, such as `registry.run`. */
export async function isThere(client: Queryable, relation: string): Promise<boolean> {
  const found = await client.query('select where to_regclass($1) is not null', [relation]);
  return found.rowCount === 1;
}

/** Inserts rows into a table; the first row names the columns that all of them have. */
export async function insertRows(
  client: Queryable,
  table: string,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0]!).join(', ');
  await client.query(
    `insert into ${table} (${columns})
     select ${columns} from jsonb_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(rows)],
  );
}

/**
 * Runs one `.sql` file of this folder in one transaction: the open one of `client`, or an implicit one.
 *
 * @param file path below `sql/`, such as `nightly/2_compare/pair.sql`
 * @param values for `$1` …; a file that takes values holds one statement
 * @param stage the schema that `stage` stands for
 */
export async function runFile(
  client: Queryable,
  file: string,
  values?: unknown[],
  stage?: string,
): Promise<QueryResult[]> {
  const written = await readFile(new URL(`../${file}`, import.meta.url), 'utf8');
  const text = stage === undefined ? written : inStage(written, stage);
  try {
    const results = await client.query(text, values);
    return Array.isArray(results) ? results : [results];
  } catch (cause) {
    throw new Error(`sql/${file}: ${(cause as Error).message}${whereIn(text, cause)}`, { cause });
  }
}

/** The rows of the last statement of a file. */
export async function queryFile<Row>(...asked: Parameters<typeof runFile>): Promise<Row[]> {
  const results = await runFile(...asked);
  return results.at(-1)!.rows as Row[];
}

/** A text of SQL with the schema of a night's tables instead of `stage`. */
export function inStage(text: string, stage: string): string {
  return text.replaceAll(/\bstage\b/g, stage);
}

function whereIn(text: string, cause: unknown): string {
  const position = Number((cause as DatabaseError).position);
  return position > 0 ? ` (line ${text.slice(0, position).split('\n').length})` : '';
}
