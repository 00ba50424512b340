import { readFile } from 'node:fs/promises';
import type { ClientConfig, Pool, PoolClient, QueryResult } from 'pg';
import { types } from 'pg';
import { acquireEmbedded } from '../embedded/embedded.ts';
import { checkServer } from './check-server.ts';
import { openPool } from './pool.ts';
import type { Readers } from './readers.ts';
import { settleSessions } from './session-settings.ts';

// The driver returns a date as the text YYYY-MM-DD, because a date is a day of a registry, not a moment.
types.setTypeParser(types.builtins.DATE, (value) => value);

export interface DatabaseOptions {
  /** A PostgreSQL connection string; absent: the process uses the embedded server in `DATA_DIR`. */
  DATABASE_URL?: string | undefined;
  DATA_DIR: string;
  /** The port of 127.0.0.1 on which an embedded server that this process starts admits analysts. */
  READER_PORT?: number | undefined;
  /** The name of this process's database sessions, as `pg_stat_activity` shows it. */
  applicationName: string;
  /** The longest wait for a session, a lock or a statement, in ms; by default only 10 s for a session. */
  patience_ms?: number;
  /** The largest number of sessions that the process opens on each server; by default 10. */
  DATABASE_SESSIONS?: number;
  /**
   * Whether statements have names; by default true. Must be false if a pooler runs each statement in another session.
   */
  DATABASE_NAMED_STATEMENTS?: boolean;
  /** The addresses of standbys that answer reads; without an address, the writer answers all reads. */
  DATABASE_READ_URL?: readonly string[];
  /** The largest lag of a standby that still answers reads, in seconds; by default 10. */
  DATABASE_READ_LAG_SECONDS?: number;
  /**
   * How long a standby answers reads of customers' data if the writer does not, in seconds; by default 60. A token that
   * was just revoked may work for so long.
   */
  mostAway_s?: number;
}

export interface Database {
  pool: Pool;
  /** Routes reads to the standbys; undefined without standbys. */
  readers: Readers | undefined;
  /** The settings of sessions on the writer, in a form that can be passed to another thread. */
  connection: ClientConfig;
  /** The connection settings of sessions on each standby. */
  readConnections: readonly ClientConfig[];
  close(): Promise<void>;
}

/**
 * Opens connection pools on the writer and the standbys. Throws a readable error when the writer is unreachable or too
 * old, or the encoding of its database is not UTF-8.
 */
export async function connect(options: DatabaseOptions): Promise<Database> {
  const embedded = options.DATABASE_URL
    ? undefined
    : await acquireEmbedded(options.DATA_DIR, { readerPort: options.READER_PORT });
  const shared: ClientConfig = {
    application_name: options.applicationName,
    // Keepalive probes detect a lost machine; without them, a statement would wait for its answer for ever.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  const connection: ClientConfig = {
    ...(embedded
      ? // PGSSLMODE is meant for other servers.
        { ...embedded.connection, ssl: false }
      : { connectionString: options.DATABASE_URL }),
    ...shared,
  };
  const readConnections = (options.DATABASE_READ_URL ?? []).map((connectionString) => ({
    connectionString,
    ...shared,
  }));
  const { patience_ms, DATABASE_SESSIONS: max = 10 } = options;
  const isNameless = options.DATABASE_NAMED_STATEMENTS === false;
  const open = (config: ClientConfig) => openPool({ ...config, max, patience_ms, isNameless });
  const pool = open(connection);
  const readPools = readConnections.map(open);
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
    // Loading readers.ts takes half of the start time of a command, so readers.ts is loaded only if there are standbys.
    const { openReaders } = await import('./readers.ts');
    const { DATABASE_READ_LAG_SECONDS: mostLag_s = 10, mostAway_s = 60 } = options;
    readers = await openReaders(pool, readPools, mostLag_s, mostAway_s);
  }
  return { pool, readers, connection, readConnections, close };
}

/** A provider of database sessions, such as a connection pool. */
export type Sessions = { connect(): Promise<PoolClient> };

/** Runs `use` in a database session of its own. If `use` throws, the session is closed with its open transaction. */
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

/** A session or a pool; a pool may run each query in a different session. */
type Queryable = Pick<Pool, 'query'>;

/** Checks whether a table or view exists, by a name with its schema, such as `registry.run`. */
export async function isThere(client: Queryable, relation: string): Promise<boolean> {
  const found = await client.query('select where to_regclass($1) is not null', [relation]);
  return found.rowCount === 1;
}

/** Inserts rows into a table. The keys of the first row are the columns that are inserted for all rows. */
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
 * Runs one `.sql` file in one transaction: the open transaction of `client`, or an implicit transaction.
 *
 * @param file path below `sql/`, such as `nightly/2_compare/records.sql`
 * @param values the values of the parameters `$1` …, which only a file of one statement can have
 * @param stage the schema of a night's tables, whose name replaces `stage` in the file
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
    throw new Error(`sql/${file}: ${(cause as Error).message}`, { cause });
  }
}

/** Runs one `.sql` file and returns the rows of its last statement. */
export async function queryFile<Row>(...asked: Parameters<typeof runFile>): Promise<Row[]> {
  const results = await runFile(...asked);
  return results.at(-1)!.rows as Row[];
}

/** Returns the SQL text with the name of the schema of a night's tables in place of the word `stage`. */
export function inStage(text: string, stage: string): string {
  return text.replaceAll(/\bstage\b/g, stage);
}
