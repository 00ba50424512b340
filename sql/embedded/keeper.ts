import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Server } from './server.ts';

/** How to reach the embedded Postgres; `host` is the directory of its unix socket. */
export type Connection = { host: string; port: number; user: string; database: string };

/**
 * The session by which a process shows all others that it needs the server, however idle its pools
 * are. It keeps no process alive.
 */
export type Keeper = Client & { ref(): void; unref(): void };

const keeperName = 'registry keeper';
const leaverName = 'registry leaver';

// SQLSTATEs, and errors of the socket, of a server that starts, stops, has just died, or is full.
const passing = [
  '57P01',
  '57P02',
  '57P03',
  '53300',
  'ENOENT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
];

// How long a session that is being closed may still be seen by others.
const closing_ms = 2000;

export function connectionOf({ socketDirectory, port }: Server, database = 'registry'): Connection {
  return { host: socketDirectory, port, user: 'postgres', database };
}

/**
 * Connects to the database `registry`, which is made when it is absent. Returns undefined where it
 * is worth trying again, with a look at the server first; throws a sentence where it is not.
 */
export async function tryKeep(server: Server): Promise<Keeper | undefined> {
  try {
    return await openSession(server, 'registry');
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string };
    if (code === '3D000') {
      await createDatabase(server);
      return undefined;
    }
    if (code !== undefined && passing.includes(code)) {
      return undefined;
    }
    throw new Error(
      `The embedded Postgres (process ${server.pid}, socket in ${server.socketDirectory}) takes no connection: ${message}`,
      { cause },
    );
  }
}

/**
 * Whether anybody but this session is connected; marks it as one that is leaving. A keeper counts at
 * once, any other session when it does not go away.
 */
export async function isShared(keeper: Keeper): Promise<boolean> {
  await keeper.query(`set application_name to '${leaverName}'`);
  for (const deadline = Date.now() + closing_ms; ; await sleep(20)) {
    const { rows } = await keeper.query<{ application_name: string }>(
      `select application_name
       from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    if (rows.length === 0) {
      return false;
    }
    if (Date.now() > deadline || rows.some((row) => row.application_name === keeperName)) {
      return true;
    }
  }
}

async function openSession(server: Server, database: string): Promise<Keeper> {
  const client = new Client({
    ...connectionOf(server, database),
    application_name: keeperName,
    // Not what PGSSLMODE says: there is none on a unix socket.
    ssl: false,
    connectionTimeoutMillis: 10_000,
    query_timeout: 30_000,
  }) as Keeper;
  // Its end is what counts, and is listened to where it matters.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function createDatabase(server: Server): Promise<void> {
  const session = await openSession(server, 'postgres');
  try {
    await session.query('create database registry');
  } finally {
    await session.end();
  }
}
