import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Pool } from 'pg';
import { connect } from '../../sql/connection/database.ts';
import { readEnvironment } from '../environment.ts';
import { WrongUsage } from '../errors.ts';
import { whenAborted } from '../signals.ts';
import { reader, serveReaders } from './reader-port.ts';
import { endSignal, withDatabase } from './session.ts';

interface PsqlOptions {
  print?: boolean;
  port?: string;
}

/** `registry psql`: opens psql as the reader, or prints the connection, while the database is open. */
export async function openPsql(args: readonly string[], options: PsqlOptions): Promise<void> {
  const { databaseUrl, dataDir } = readEnvironment();
  const port = options.port === undefined ? undefined : readPort(options.port, databaseUrl);
  const db = await connect({ databaseUrl, dataDir, applicationName: 'registry psql' });
  try {
    await withDatabase(({ pool }) => requireReader(pool));
    const url = databaseUrl ? asReader(databaseUrl) : embeddedUrl(db.pool);
    if (port !== undefined) await keepPort(db.pool, port);
    else if (options.print) process.stdout.write(`${url}\n`);
    else await runPsql(url, args, databaseUrl ? new URL(databaseUrl).password : '');
  } finally {
    await db.close();
  }
}

function readPort(text: string, databaseUrl: string | undefined): number {
  if (databaseUrl) throw new WrongUsage('--port is for the embedded server, not for DATABASE_URL');
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new WrongUsage(`'${text}' is no port: 0 to 65535`);
  return Number(text);
}

async function requireReader(pool: Pool): Promise<void> {
  const reason = await whyNoReader(pool);
  if (reason !== undefined) throw new Error(reason);
}

/** Why this login cannot be the reader, and what an administrator does about it; undefined when it can. */
export async function whyNoReader(pool: Pool): Promise<string | undefined> {
  // Before PostgreSQL 16 each member of a role may take it.
  const { rows } = await pool.query<{ login: string; is_there: boolean; may_take: boolean | null }>(
    `select
       quote_ident(current_user) as login,
       to_regrole($1) is not null as is_there,
       pg_has_role(
         to_regrole($1)::oid,
         case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end
       ) as may_take`,
    [reader],
  );
  const { login, is_there, may_take } = rows[0]!;
  if (!is_there) {
    return `There is no role ${reader}. An administrator runs: create role ${reader} login; grant ${reader} to ${login}; then run registry migrate again`;
  }
  if (!may_take) {
    return `${login} may not take the role ${reader}. An administrator runs: grant ${reader} to ${login};`;
  }
  return undefined;
}

/** The login of the product takes the role of the reader for the session. Leaves the password out. */
function asReader(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.password = '';
  const given = url.searchParams.get('options');
  const role = `-c role=${reader} -c default_transaction_read_only=on`;
  url.searchParams.set('options', given ? `${given} ${role}` : role);
  // libpq takes a plus sign for itself.
  return url.href.replaceAll('+', '%20');
}

function embeddedUrl({ options: { host = '', port, database } }: Pool): string {
  return `postgresql://${reader}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}

async function keepPort(pool: Pool, port: number): Promise<void> {
  const { host = '', port: socketPort, database } = pool.options;
  const server = serveReaders(`${host}/.s.PGSQL.${socketPort}`);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: given } = server.address() as { port: number };
  process.stdout.write(`postgresql://${reader}@127.0.0.1:${given}/${database}\n`);
  await whenAborted(endSignal());
  server.close();
}

// Ctrl-C is for psql, which ends a query by it.
const ignore = () => undefined;

async function runPsql(url: string, args: readonly string[], password: string): Promise<void> {
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
