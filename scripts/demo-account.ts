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

const demoAccount = z.object({
  email: z.string(),
  password: z.string(),
  user_ref: z.string(),
  master_token: z.string(),
});

export type DemoAccount = z.output<typeof demoAccount>;

export interface DemoOptions {
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
 * The account to try the API with: the one that was kept, or a new one, made as everybody makes
 * theirs.
 *
 * @returns a sentence instead, where it was made before but not kept, or cannot be made
 */
export async function openDemoAccount(options: DemoOptions): Promise<DemoAccount | string> {
  const { db, url, dataDir } = options;
  const kept = await readKept(demoFile(dataDir));
  if (kept && (await isValid(url, kept))) return kept;
  const { rowCount } = await db.pool.query(
    'select from customer.account where email = $1 and initialized_at is not null',
    [EMAIL],
  );
  if (rowCount !== 0) return describeRecovery(url, dataDir);
  const password = randomBytes(12).toString('base64url');
  const registered = await post(url, 'register', {
    email: EMAIL,
    name: 'Demo Account',
    password,
    password_confirmation: password,
  });
  if (typeof registered === 'string') return `There is no account to try it with: ${registered}`;
  const token = await signMailedToken(options);
  const initialized = await post(url, 'init', { token });
  if (typeof initialized === 'string') return `There is no account to try it with: ${initialized}`;
  const account = demoAccount.parse({ ...initialized, password });
  const text = `${JSON.stringify(account, undefined, 2)}\n`;
  await writeSecretFile(demoFile(dataDir), text, rename);
  return account;
}

async function readKept(file: string): Promise<DemoAccount | undefined> {
  try {
    return demoAccount.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Not there, or not what was written: as good as lost.
    return undefined;
  }
}

/** Whether its Master Token opens this very database. */
async function isValid(url: string, { master_token }: DemoAccount): Promise<boolean> {
  const answer = await fetch(`${url}/api/v1/tokens/verify`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${master_token}` },
  });
  return answer.ok;
}

/** @returns the answer; what the API says instead, where it refuses */
async function post(url: string, operation: string, body: object): Promise<object | string> {
  const answer = await fetch(`${url}/api/v1/auth/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said = (await answer.json()) as { message: string };
  return answer.ok ? said : said.message;
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

function describeRecovery(url: string, dataDir: string): string {
  return [
    `There is an account to try it with, ${EMAIL}, but ${demoFile(dataDir)}, which held its Master Token, is gone. To recover it:`,
    `  curl ${url}/api/v1/auth/recover -H 'Content-Type: application/json' -d '{"email":"${EMAIL}","password":"a new password"}'`,
    `  then open the link of the newest .txt in ${mailFolder(dataDir)}`,
  ].join('\n');
}

/** The account, and what to do with it. */
export function describeDemoAccount(
  { email, master_token }: DemoAccount,
  url: string,
  dataDir: string,
): string {
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
