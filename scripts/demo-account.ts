// The account to try `npm start` with.
import { randomBytes } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../pipeline/environment.ts';
import type { Database } from '../sql/connection/database.ts';
import { DEMO_EMAIL as EMAIL } from '../sql/demo.ts';
import { until } from '../sql/process/system-process.ts';
import { type IssuedToken, signOneTimeToken } from '../sql/secrets/signed-token.ts';
import { writeSecretFile } from '../sql/secrets/secret-file.ts';
import { readSecretKey } from '../sql/secrets/secret-key.ts';

/** The longest wait for its mail, which is there to be looked at: the account does not depend on it. */
const mailWait_ms = 10_000;

/** Companies of a country that it watches: as many as one request may add. */
const watchedCount = 100;

type DemoOptions = Pick<Environment, 'dataDir' | 'secretKey'> & {
  db: Database;
  /** Where the API listens. */
  url: string;
  /** Whether an account is made where none was kept. */
  isMade: boolean;
};

/** Where the demo account is kept: the database itself knows no secret. */
export function demoFile(dataDir: string): string {
  return join(dataDir, 'demo-account.json');
}

/**
 * Opens the account that was kept while its token works. Else, where it may be made, opens a new one, made as
 * every client makes one. A new one watches the companies that are known now.
 *
 * @returns its Master Token, or why there is none; nothing where none may be made
 */
export async function openDemoAccount(
  options: DemoOptions,
): Promise<{ token?: string; fault?: string; isLost?: boolean }> {
  const { db, url, isMade } = options;
  let token = await readToken(options);
  if (!isMade) return token === undefined ? {} : { token };
  if (token === undefined) {
    const { rowCount } = await db.pool.query(
      'select from customer.account where email = $1 and initialized_at is not null',
      [EMAIL],
    );
    if (rowCount !== 0) return { isLost: true };
    try {
      token = await createAccount(options);
    } catch (error) {
      return { fault: (error as Error).message };
    }
  }
  await watchCompanies(db, url, token);
  return { token };
}

/** The Master Token that was kept; undefined when the file is gone, damaged or of another database. */
async function readToken({ url, dataDir }: DemoOptions): Promise<string | undefined> {
  try {
    const text = await readFile(demoFile(dataDir), 'utf8');
    const { master_token } = JSON.parse(text) as { master_token: string };
    await call(url, 'POST tokens/verify', {}, master_token);
    return master_token;
  } catch {
    return undefined;
  }
}

/** @returns the Master Token */
async function createAccount(options: DemoOptions): Promise<string> {
  const { url, dataDir } = options;
  const password = randomBytes(12).toString('base64url');
  const registration = { email: EMAIL, name: 'Demo Account', password };
  await call(url, 'POST auth/register', { ...registration, password_confirmation: password });
  const opened = await call(url, 'POST auth/init', { token: await signMailedToken(options) });
  const { email, user_ref, master_token } = opened as Record<string, string>;
  const account = { email, password, user_ref, master_token };
  await writeSecretFile(demoFile(dataDir), `${JSON.stringify(account, undefined, 2)}\n`, rename);
  return master_token!;
}

/** Calls the API: `call(url, 'POST tokens/verify', {}, token)`. Throws the message of a refusal. */
async function call(url: string, route: string, body: object, token = ''): Promise<unknown> {
  const [method = '', path] = route.split(' ');
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
  const options = { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(`${url}/api/v1/${path}`, options);
  const said: unknown = await answer.json();
  if (!answer.ok) throw new Error((said as { message: string }).message);
  return said;
}

/** The one-time token as the mail brings it, once the mail is sent. */
async function signMailedToken({ db, dataDir, secretKey }: DemoOptions): Promise<string> {
  await until(async () => {
    const { rowCount } = await db.pool.query(
      `select from customer.mail where recipient = $1 and state = 'queued'`,
      [EMAIL],
    );
    return rowCount === 0;
  }, mailWait_ms);
  const { rows } = await db.pool.query<IssuedToken>(
    `select one_time_token_id, purpose, user_ref, one_time_token.created_at, expires_at
     from customer.one_time_token
     join customer.account using (account_id)
     where email = $1 and used_at is null and cancelled_at is null`,
    [EMAIL],
  );
  return signOneTimeToken(await readSecretKey(dataDir, secretKey), rows[0]!);
}

/**
 * Makes the account watch the companies that are known now, with alerts by mail: the nights that follow
 * fill its feed. Does nothing where the account watches a company already.
 */
async function watchCompanies(db: Database, url: string, token: string): Promise<void> {
  const { rows } = await db.pool.query<{ identifier_type: string; identifier_value: string[] }>(
    `select
       registry.identifier_type(company) as identifier_type,
       array_agg(registry.primary_identifier(company)) as identifier_value
     from registry.company
     where company_id in (
       select company_id
       from (
         select company_id, row_number() over (partition by country_code order by company_id) as place
         from registry.company as listed
         where
           merged_into_id is null
           -- A registry may have given numbers that the API takes for a slip.
           and registry.is_number(
             registry.identifier_type(listed), registry.primary_identifier(listed)
           )
       ) as listed
       where place <= $1
     ) and not exists (
       select from customer.watch
       join customer.account using (account_id)
       where account.email = $2
     )
     group by identifier_type`,
    [watchedCount, EMAIL],
  );
  if (rows.length === 0) return;
  for (const body of rows) await call(url, 'POST companies/add', body, token);
  const alerts = { alert_min_severity: 'notice', alerts_enabled: true, notify_via_email: true };
  await call(url, 'PATCH watchlist/alerts', alerts, token);
}
