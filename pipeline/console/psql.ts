import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Pool } from 'pg';
import { connect } from '../../sql/connection/database.ts';
import { EnvironmentError } from '../../sql/process/environment.ts';
import { readEnvironment } from '../environment.ts';
import { WrongUsage } from '../errors.ts';
import { endSignal, whenAborted } from '../signals.ts';
import { withDatabase } from './session.ts';

/** The database role that may only read the analyst views. */
const reader = 'registry_reader';

const noLogin = `DATABASE_READER_URL must be set where DATABASE_URL is: it logs in as ${reader}. An owner gives the role a login: alter role ${reader} password '…';`;

/** Runs `registry psql`: opens psql as `registry_reader`, prints the URL, or keeps a port of the database open. */
export async function openPsql(
  args: readonly string[],
  { port, print }: { port?: string; print?: boolean },
): Promise<void> {
  const given = { ...process.env, ...(port !== undefined && { READER_PORT: port }) };
  const { DATABASE_READER_URL, DATABASE_URL, DATA_DIR, READER_PORT } = readEnvironment(given);
  if (port !== undefined && (DATABASE_READER_URL ?? DATABASE_URL))
    throw new WrongUsage('--port is for the embedded server, not for DATABASE_URL');
  if (DATABASE_URL && !DATABASE_READER_URL) throw new EnvironmentError(noLogin);
  const server = { DATABASE_URL: DATABASE_READER_URL, DATA_DIR, READER_PORT };
  const db = await connect({ ...server, applicationName: 'registry psql' });
  try {
    if (DATABASE_READER_URL) await requireReader(db.pool);
    // `withDatabase` migrates an embedded database, which creates the role `registry_reader`.
    else await withDatabase(() => Promise.resolve());
    const login = DATABASE_READER_URL
      ? splitUrl(DATABASE_READER_URL)
      : { url: embeddedUrl(db.pool), password: '' };
    if (port !== undefined) await keepPort(db.pool, Number(port));
    else if (print) process.stdout.write(`${login.url}\n`);
    else await runPsql(login, args);
  } finally {
    await db.close();
  }
}

/** Returns a sentence on how to create the role `registry_reader`; undefined when the role exists. */
export async function whyNoReader(pool: Pool): Promise<string | undefined> {
  const { rowCount } = await pool.query(`select where to_regrole('${reader}') is not null`);
  return rowCount === 1
    ? undefined
    : `There is no role ${reader}. An administrator runs: create role ${reader} login; then run registry migrate again`;
}

/** Throws an error if the login cannot read the analyst views, or may use the schema `registry` or `customer`. */
async function requireReader(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ login: string; may_read: boolean; may_more: boolean }>(
    `select
       quote_ident(session_user) as login,
       has_schema_privilege(to_regnamespace('analyst')::oid, 'usage') as may_read,
       bool_or(has_schema_privilege(oid, 'usage') or pg_has_role(nspowner, 'member')) as may_more
     from pg_namespace
     where nspname in ('registry', 'customer')`,
  );
  const { login, may_read, may_more } = rows[0]!;
  if (!may_read) throw new Error(`${login} may not read the views: grant ${reader} to ${login};`);
  if (may_more)
    throw new Error(`DATABASE_READER_URL: ${login} may do more than read the views: use ${reader}`);
}

/** Splits the password off a database URL, because the list of processes shows the URL as an argument of psql. */
function splitUrl(readerUrl: string) {
  const url = new URL(readerUrl);
  const { password } = url;
  url.password = '';
  return { url: url.href, password: decodeURIComponent(password) };
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
  // This timer keeps the process alive until a signal; signal listeners and idle database sessions do not.
  const awake = setInterval(() => undefined, 60_000);
  await whenAborted(endSignal().signal);
  clearInterval(awake);
}

// The process ignores Ctrl-C while psql runs, because psql itself cancels a query on Ctrl-C.
const ignore = () => undefined;

async function runPsql(
  { url, password }: ReturnType<typeof splitUrl>,
  args: readonly string[],
): Promise<void> {
  const env = { ...process.env, ...(password && { PGPASSWORD: password }) };
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
