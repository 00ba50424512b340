import { Client } from 'pg';
import { until } from '../process/system-process.ts';

/** An idle database session that represents one share of a server; Node may exit although this session is open. */
export type Session = Client & { ref(): void; unref(): void };

export const database = 'registry';
const keeperName = 'registry keeper';
const leaverName = 'registry leaver';

// The longest time in ms after the close of a session for which other processes still see this session.
const closing_ms = 2000;

/** Opens the session of a share, and creates the database `registry` if it is missing. */
export async function openSession(host: string, port: number): Promise<Session> {
  const session = new Client({
    host,
    port,
    user: 'postgres',
    database: 'postgres',
    application_name: keeperName,
    // The embedded server has no TLS, so this setting overrides PGSSLMODE, which is meant for other servers.
    ssl: false,
    connectionTimeoutMillis: 10_000,
    query_timeout: 30_000,
  }) as Session;
  // An `error` event is ignored, because the event `end` also reports a lost connection.
  session.on('error', () => undefined);
  try {
    await session.connect();
    const find = `select from pg_database where datname = '${database}'`;
    const { rowCount } = await session.query(find);
    if (rowCount === 0) await session.query(`create database ${database}`);
  } catch (error) {
    void session.end();
    throw error;
  }
  session.unref();
  return session;
}

/**
 * Checks whether a server has no session besides `session`, and marks `session` as leaving. Returns false at once for a
 * session of another share; any other session has two seconds to end.
 */
export async function isLast(session: Session): Promise<boolean> {
  await session.query(`set application_name to '${leaverName}'`);
  let others: string[] = [];
  await until(async () => {
    const { rows } = await session.query<{ application_name: string }>(
      `select application_name
       from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    others = rows.map((row) => row.application_name);
    return others.length === 0 || others.includes(keeperName);
  }, closing_ms);
  return others.length === 0;
}
