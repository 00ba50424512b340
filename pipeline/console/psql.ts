import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client, type Pool } from 'pg';
import { connect } from '../../sql/connection/database.ts';
import { EnvironmentError } from '../../sql/process/environment.ts';
import { findPort } from '../../sql/process/system-process.ts';
import { readEnvironment } from '../environment.ts';
import { WrongUsage } from '../errors.ts';
import { whenAborted } from '../signals.ts';
import { endSignal, withDatabase } from './session.ts';

/** The role that may read the analyst views and nothing else. */
const reader = 'registry_reader';

interface PsqlOptions {
  print?: boolean;
  port?: string;
}

/** `registry psql`: opens psql as a reader, or prints the connection, while the database is open. */
export async function openPsql(args: readonly string[], options: PsqlOptions): Promise<void> {
  const { databaseUrl, readerUrl, ...environment } = readEnvironment();
  if (readerUrl ?? databaseUrl) {
    if (options.port !== undefined)
      throw new WrongUsage('--port is for the embedded server, not for DATABASE_URL');
    const url = new URL(await requireReader(readerUrl));
    const { password } = url;
    url.password = '';
    await openLogin({ url: url.href, password }, args, options);
    return;
  }
  const asked = options.port === undefined ? undefined : await readPort(options.port);
  const readerPort = asked ?? environment.readerPort;
  const server = { dataDir: environment.dataDir, readerPort, applicationName: 'registry psql' };
  const db = await connect(server);
  try {
    // The first command makes the role.
    await withDatabase(() => Promise.resolve());
    if (asked === undefined)
      await openLogin({ url: embeddedUrl(db.pool), password: '' }, args, options);
    else await keepPort(db.pool, asked);
  } finally {
    await db.close();
  }
}

async function readPort(text: string): Promise<number> {
  if (text === '0') return await findPort();
  if (!/^\d{4,5}$/.test(text) || Number(text) < 1024 || Number(text) > 65_535)
    throw new WrongUsage(`'${text}' is no port: 1024 to 65535, or 0 for a free one`);
  return Number(text);
}

/** Why there is no reader, and what an administrator does about it; undefined where there is one. */
export async function whyNoReader(pool: Pool): Promise<string | undefined> {
  const { rowCount } = await pool.query(`select where to_regrole('${reader}') is not null`);
  return rowCount === 1
    ? undefined
    : `There is no role ${reader}. An administrator runs: create role ${reader} login; then run registry migrate again`;
}

/** The address of a login that can do nothing but read the views; throws a sentence about any other. */
async function requireReader(readerUrl: string | undefined): Promise<string> {
  if (readerUrl === undefined) {
    throw new EnvironmentError(
      `DATABASE_READER_URL must be set where DATABASE_URL is: it logs in as ${reader}. Its owner gives the role a login: alter role ${reader} password '…';`,
    );
  }
  const client = new Client({ connectionString: readerUrl });
  await client.connect().catch((cause: Error) => {
    throw new Error(`The database of DATABASE_READER_URL cannot be reached: ${cause.message}`, {
      cause,
    });
  });
  const { rows } = await client.query<{ login: string; may_read: boolean; may_more: boolean }>(
    `select
       quote_ident(session_user) as login,
       has_schema_privilege(to_regnamespace('analyst')::oid, 'usage') as may_read,
       bool_or(has_schema_privilege(oid, 'usage') or pg_has_role(nspowner, 'member')) as may_more
     from pg_namespace
     where nspname in ('registry', 'customer')`,
  );
  await client.end();
  const { login, may_read, may_more } = rows[0]!;
  if (!may_read) throw new Error(`${login} may not read the views: grant ${reader} to ${login};`);
  if (may_more)
    throw new Error(
      `${login} of DATABASE_READER_URL may do more than read the views: use ${reader}`,
    );
  return readerUrl;
}

function embeddedUrl({ options: { host = '', port, database } }: Pool): string {
  return `postgresql://${reader}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}

async function keepPort({ options: { port, database } }: Pool, asked: number): Promise<void> {
  if (port !== asked) {
    throw new Error(
      `The embedded server runs without the port ${asked}: stop the other processes of the product, or start them with READER_PORT=${asked}`,
    );
  }
  process.stdout.write(`postgresql://${reader}@127.0.0.1:${port}/${database}\n`);
  await whenAborted(endSignal());
}

// Ctrl-C is for psql, which ends a query by it.
const ignore = () => undefined;

/** Opens psql, or prints its connection without the password. */
async function openLogin(
  { url, password }: { url: string; password: string },
  args: readonly string[],
  { print }: PsqlOptions,
): Promise<void> {
  if (print) {
    process.stdout.write(`${url}
`);
    return;
  }
  // A password does not belong into the list of processes.
  const env = { ...process.env, ...(password && { PGPASSWORD: decodeURIComponent(password) }) };
  const child = spawn('psql', [url, ...args], { stdio: 'inherit', env });
  process.on('SIGINT', ignore);
  try {
    await once(child, 'spawn');
    const [code] = (await once(child, 'close')) as [number | null];
    process.exitCode = code ?? 1;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    process.stderr.write('There is no psql here; the connection is:\n');
    process.stdout.write(`${url}\n`);
  } finally {
    process.off('SIGINT', ignore);
  }
}
