// The account to try `npm start` with.
import { randomBytes } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { mailFolder } from '../pipeline/worker/worker.ts';
import type { Database } from '../sql/database.ts';
import { DEMO_EMAIL as EMAIL } from '../sql/demo.ts';
import { type IssuedToken, signOneTimeToken } from '../sql/secrets/one-time-token.ts';
import { writeSecretFile } from '../sql/secrets/secret-file.ts';
import { readSecretKey } from '../sql/secrets/secret-key.ts';

/** Its mail is waited for, so that it can be looked at; the account does not depend on it. */
const mailWait_ms = 10_000;

/** Companies that it watches: as many as one request may add. */
const watchedCount = 100;

const demoAccount = z.object({
  email: z.string(),
  password: z.string(),
  user_ref: z.string(),
  master_token: z.string(),
});

type DemoAccount = z.output<typeof demoAccount>;

interface DemoOptions {
  db: Database;
  /** Where the API listens. */
  url: string;
  dataDir: string;
  secretKey: string | undefined;
}

/** Where the demo account is kept: the database itself knows no secret. */
export function demoFile(dataDir: string): string {
  return join(dataDir, 'demo-account.json');
}

/**
 * Opens the account that was kept, or a new one, made as every client makes one. It watches the
 * companies that are known now.
 *
 * @returns what to say of it, or why it cannot be used
 */
export async function openDemoAccount(options: DemoOptions): Promise<string> {
  const { db, url, dataDir } = options;
  let account = await readKept(demoFile(dataDir));
  // A valid Master Token is of this very database.
  if (!account || !(await call(url, 'POST', 'tokens/verify', account)).ok) {
    const { rowCount } = await db.pool.query(
      'select from customer.account where email = $1 and initialized_at is not null',
      [EMAIL],
    );
    if (rowCount !== 0) return describeRecovery(url, dataDir);
    const created = await createAccount(options);
    if (typeof created === 'string') return `There is no account to try it with: ${created}`;
    account = created;
  }
  await watchCompanies(db, url, account);
  return describeAccount(account, url, dataDir);
}

async function readKept(file: string): Promise<DemoAccount | undefined> {
  try {
    return demoAccount.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Not there, or not what was written: as good as lost.
    return undefined;
  }
}

/** @returns what the API says instead, where it refuses */
async function createAccount(options: DemoOptions): Promise<DemoAccount | string> {
  const { url, dataDir } = options;
  const password = randomBytes(12).toString('base64url');
  const registered = await call(url, 'POST', 'auth/register', undefined, {
    email: EMAIL,
    name: 'Demo Account',
    password,
    password_confirmation: password,
  });
  if (!registered.ok) return registered.said.message;
  const token = await signMailedToken(options);
  const initialized = await call(url, 'POST', 'auth/init', undefined, { token });
  if (!initialized.ok) return initialized.said.message;
  const account = demoAccount.parse({ ...initialized.said, password });
  const text = `${JSON.stringify(account, undefined, 2)}\n`;
  await writeSecretFile(demoFile(dataDir), text, rename);
  return account;
}

/** Calls the API, with the Master Token of an account where one is given. */
async function call(
  url: string,
  method: string,
  path: string,
  account?: DemoAccount,
  body?: object,
): Promise<{ ok: boolean; said: { message: string } }> {
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (account) headers.set('Authorization', `Bearer ${account.master_token}`);
  const options = { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(`${url}/api/v1/${path}`, options);
  return { ok: answer.ok, said: (await answer.json()) as { message: string } };
}

/** The one-time token as the mail brings it, once the mail is there. */
async function signMailedToken({ db, dataDir, secretKey }: DemoOptions): Promise<string> {
  for (const end = Date.now() + mailWait_ms; Date.now() < end; await delay(50)) {
    const { rowCount } = await db.pool.query(
      `select from customer.mail where recipient = $1 and state = 'queued'`,
      [EMAIL],
    );
    if (rowCount === 0) break;
  }
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
async function watchCompanies(db: Database, url: string, account: DemoAccount): Promise<void> {
  const { rows } = await db.pool.query<{ identifier_type: string; identifier_value: string[] }>(
    `select
       case when nip is not null then 'NIP' when regon9 is not null then 'REGON9' else 'KRS' end
         as identifier_type,
       array_agg(coalesce(nip, regon9, krs)) as identifier_value
     from (
       select nip, regon9, krs
       from analyst.company
       where coalesce(nip, regon9, krs) is not null
       order by company_id
       limit $1
     ) as company
     where not exists (
       select from customer.watch
       join customer.account using (account_id)
       where account.email = $2
     )
     group by identifier_type`,
    [watchedCount, EMAIL],
  );
  if (rows.length === 0) return;
  const answers = [];
  for (const row of rows) answers.push(await call(url, 'POST', 'companies/add', account, row));
  const alerts = { alert_min_severity: 'notice', alerts_enabled: true, notify_via_email: true };
  answers.push(await call(url, 'PATCH', 'watchlist/alerts', account, alerts));
  const refused = answers.find(({ ok }) => !ok);
  if (refused) throw new Error(`The companies are not watched: ${refused.said.message}`);
}

function describeRecovery(url: string, dataDir: string): string {
  return [
    `There is an account to try it with, ${EMAIL}, but ${demoFile(dataDir)}, which held its Master Token, is gone. To recover it:`,
    `  curl ${url}/api/v1/auth/recover -H 'Content-Type: application/json' -d '{"email":"${EMAIL}","password":"a new password"}'`,
    `  then open the link of the newest .txt in ${mailFolder(dataDir)}`,
  ].join('\n');
}

/** The account, and what to do with it. */
function describeAccount({ email, master_token }: DemoAccount, url: string, dataDir: string) {
  const authorization = `-H 'Authorization: Bearer ${master_token}'`;
  return [
    `An account to try it with: ${email}`,
    `  Master Token ${master_token}`,
    `  curl -X POST ${url}/api/v1/tokens/verify ${authorization}`,
    `  curl ${url}/api/v1/wallet ${authorization}`,
    `  curl '${url}/api/v1/watchlist/events?per_page=5' ${authorization}`,
    `  curl '${url}/api/v1/companies/search?legal_form=spolka-z-ograniczona-odpowiedzialnoscia' ${authorization}`,
    `  curl ${url}/api/v1/wallet/topup ${authorization} -H 'Content-Type: application/json' -d '{"package_slug":"starter"}'`,
    `It watches the companies of the first day; what changed at them is in its feed, and in its mails.`,
    `The token is kept in ${demoFile(dataDir)}, readable by its owner alone. Mails are files in ${mailFolder(dataDir)}.`,
  ].join('\n');
}
