// Creates and opens the demo account of `npm start`, with which a newcomer tries the product.
import { randomBytes } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../pipeline/environment.ts';
import type { Database } from '../sql/connection/database.ts';
import { DEMO_EMAIL as EMAIL } from '../sql/demo-account.ts';
import { until } from '../sql/process/system-process.ts';
import { type IssuedToken, signOneTimeToken } from '../sql/secrets/signed-token.ts';
import { writeSecretFile } from '../sql/secrets/secret-file.ts';
import { readSecretKey } from '../sql/secrets/secret-key.ts';

/** The longest wait in ms until the one-time token is sent by mail; the account is opened even without this mail. */
const mailWait_ms = 10_000;

/** How many companies the demo account watches for each type of number; a request may add no more than 100. */
const watchedCount = 100;

type DemoOptions = Pick<Environment, 'DATA_DIR' | 'SECRET_KEY'> & {
  db: Database;
  /** The address on which the API listens, such as `http://localhost:8080`. */
  url: string;
  /** Whether a demo account is created if the data folder has none. */
  isMade: boolean;
};

/** Returns the path of the file with the demo account's token and password, which the database stores only hashed. */
export function demoFile(dataDir: string): string {
  return join(dataDir, 'demo-account.json');
}

/**
 * Opens the saved demo account if its token is valid, else creates an account through the API if `isMade`. An account
 * that watches no company is made to watch the published companies.
 *
 * @returns the Master Token, the `fault` of the creation, or `isLost` if the token is lost; empty without an account
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

/** Returns the saved Master Token; undefined if the file is missing, damaged or of another database. */
async function readToken({ url, DATA_DIR }: DemoOptions): Promise<string | undefined> {
  try {
    const text = await readFile(demoFile(DATA_DIR), 'utf8');
    const { master_token } = JSON.parse(text) as { master_token: string };
    await call(url, 'POST tokens/verify', {}, master_token);
    return master_token;
  } catch {
    return undefined;
  }
}

/** Creates the demo account, saves its secrets, and returns the Master Token of the account. */
async function createAccount(options: DemoOptions): Promise<string> {
  const { url, DATA_DIR } = options;
  const password = randomBytes(12).toString('base64url');
  const registration = { email: EMAIL, name: 'Demo Account', password };
  await call(url, 'POST auth/register', { ...registration, password_confirmation: password });
  const opened = await call(url, 'POST auth/init', { token: await signMailedToken(options) });
  const { email, user_ref, master_token } = opened as Record<string, string>;
  const account = { email, password, user_ref, master_token };
  await writeSecretFile(demoFile(DATA_DIR), `${JSON.stringify(account, undefined, 2)}\n`, rename);
  return master_token!;
}

/** Returns the answer to a request, as in `call(url, 'POST tokens/verify', {}, token)`; throws an error's message. */
async function call(url: string, route: string, body: object, token = ''): Promise<unknown> {
  const [method = '', path] = route.split(' ');
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
  const options = { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(`${url}/api/v1/${path}`, options);
  const said: unknown = await answer.json();
  if (!answer.ok) throw new Error((said as { message: string }).message);
  return said;
}

/** Returns the one-time token that is sent by mail, once the mail is sent, but at the latest after `mailWait_ms`. */
async function signMailedToken({ db, DATA_DIR, SECRET_KEY }: DemoOptions): Promise<string> {
  let token: IssuedToken | undefined;
  await until(async () => {
    const { rows } = await db.pool.query<IssuedToken & { is_queued: boolean }>(
      `select one_time_token_id, purpose, user_ref, one_time_token.created_at, expires_at,
         exists (select from customer.mail where recipient = email and state = 'queued') as is_queued
       from customer.one_time_token
       join customer.account using (account_id)
       where email = $1 and used_at is null and cancelled_at is null`,
      [EMAIL],
    );
    [token] = rows;
    return !rows[0]!.is_queued;
  }, mailWait_ms);
  return signOneTimeToken(await readSecretKey(DATA_DIR, SECRET_KEY), token!);
}

/**
 * Makes the account watch the published companies with alerts by mail, so that later nights add events to its feed.
 * Does nothing if the account already watches a company.
 */
async function watchCompanies(db: Database, url: string, token: string): Promise<void> {
  const { rows } = await db.pool.query<{ identifier_type: string; identifier_value: string[] }>(
    `select identifier_type, (array_agg(number order by company_id))[:$1] as identifier_value
     from registry.company
     cross join lateral registry.identifier_type(company) as identifier_type
     cross join lateral registry.primary_identifier(company) as number
     where
       merged_into_id is null
       -- A registry may have given numbers that the API takes for a slip.
       and registry.is_number(identifier_type, number)
       and not exists (
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
