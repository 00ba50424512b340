import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { runCommand, type Started, startScript } from '../fixtures/process/cli.ts';
import { shareAllSources, shareDemonstration } from '../fixtures/dump/three-sources.ts';
import type { TestDatabase } from '../fixtures/database/test-database.ts';
import { demoFile } from './demo-account.ts';

const script = fileURLToPath(new URL('start.ts', import.meta.url));

/** A copy of a database in which all fixture days are published. */
let db: TestDatabase;
let dataDir: string;

const loaded = await shareDemonstration();

beforeEach(async () => {
  db = await loaded.copy();
  dataDir = await mkdtemp(join(tmpdir(), 'registry-demo-'));
  return async () => {
    await db.drop();
    await rm(dataDir, { recursive: true });
  };
});

async function start(variables: NodeJS.ProcessEnv = {}): Promise<Started> {
  const own = { DATABASE_URL: db.url, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info' };
  const started = startScript(script, [], { ...own, ...variables });
  onTestFinished(() => void started.child.kill('SIGKILL'));
  await started.says('Ctrl-C stops everything.\n');
  return started;
}

async function stop(started: Started): Promise<void> {
  started.child.kill('SIGTERM');
  expect(await started.end).toBe(0);
}

/** Sends the request of a command line with `curl`; returns the status and the body of the answer. */
async function curl(line: string): Promise<{ status: number; body: unknown }> {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
  const after = (option: string) =>
    words.filter((_, at) => words[at - 1] === option && words[at] !== undefined);
  const body = after('-d')[0];
  const answer = await fetch(
    words.find((word) => word.startsWith('http'))!,
    {
      method: after('-X')[0] ?? (body === undefined ? 'GET' : 'POST'),
      headers: after('-H').map((header) => header.split(': ') as [string, string]),
      ...(body === undefined ? {} : { body }),
    },
  );
  return { status: answer.status, body: await answer.json() };
}

const tokenOf = ({ stdout }: Started) => /^ {2}Master Token (sk_live_\w+)$/m.exec(stdout)?.[1];
const curlsOf = ({ stdout }: Started) =>
  stdout.split('\n').filter((line) => /^ {2}curl .*-H/.test(line)) as [string, ...string[]];

describe('the account to try npm start with', () => {
  test('is made once, with things to do with it', async () => {
    await db.drop();
    db = await (await shareAllSources()).copy();
    const first = await start();
    const token = tokenOf(first);
    // The commands run in order, because the balance must be read before the search takes a credit.
    const answers: unknown[] = [];
    for (const command of curlsOf(first)) answers.push(await curl(command));
    expect(answers).toMatchObject([
      { status: 200, body: { data: { valid: true, user_name: 'Demo Account' } } },
      { status: 200, body: { data: { balance: 200 } } },
      // `npm start` publishes only the days of SIRENE, with two events: the other days are already published.
      { status: 200, body: { meta: { total: 2 } } },
      { status: 200, body: { data: { current_page: 1 } } },
      { status: 200, body: { data: { package: 'starter' } } },
    ]);
    await stop(first);

    const again = await start();
    expect(tokenOf(again)).toBe(token);
    expect((await curl(curlsOf(again)[0])).status).toBe(200);
    await stop(again);
    const { rows } = await db.pool.query(
      'select template, state, count(*)::int from customer.mail group by 1, 2 order by 1',
    );
    // There are three mails `import`, one for each submitted type of number: NIP, another Polish type, and SIREN.
    expect(rows).toEqual([
      { template: 'digest', state: 'sent', count: 1 },
      { template: 'import', state: 'sent', count: 3 },
      { template: 'init', state: 'sent', count: 1 },
    ]);
  });

  test('is kept for its owner alone, and nowhere in the database', async () => {
    const started = await start();
    const token = tokenOf(started)!;
    await stop(started);
    const file = demoFile(dataDir);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { email, password, master_token } = JSON.parse(await readFile(file, 'utf8')) as Record<
      string,
      string
    >;
    expect([email, master_token]).toEqual(['demo@registry.example', token]);
    expect(password).toHaveLength(16);
    expect(started.stderr).not.toContain(token);
    const kept = ['demo-account.json', 'inbox', 'mail', 'secret-key'];
    // The folder `search` is missing if the API was stopped before it saved the search index.
    const names = (await readdir(dataDir)).filter((name) => name !== 'search');
    expect(names.toSorted()).toEqual(kept);
  });

  test('can be recovered as it says, when the file is gone or of another database', async () => {
    await stop(await start());
    await writeFile(demoFile(dataDir), '{"master_token":"sk_live_other"}');
    const started = await start();
    expect(tokenOf(started)).toBeUndefined();
    expect(started.stdout).toContain(`${demoFile(dataDir)}, which held its Master Token, is gone`);
    const [line] = curlsOf(started);
    expect(await curl(line)).toMatchObject({ status: 200 });
    // Other mails, such as an alert, may be sent before the recovery mail.
    const findLinks = async () => {
      const names = await readdir(join(dataDir, 'mail'));
      const texts = names
        .filter((name) => name.endsWith('.txt'))
        .map((name) => readFile(join(dataDir, 'mail', name), 'utf8'));
      return (await Promise.all(texts)).flatMap(
        (text) => text.match(/^http\S+\/recover#token=\S+$/m) ?? [],
      );
    };
    await expect.poll(findLinks).toHaveLength(1);
    const link = await findLinks();
    const [address, token] = link[0]!.split('#token=');
    const body = new URLSearchParams({ token: token! });
    const page = await fetch(address!, { method: 'POST', body });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<form')]);
    await stop(started);
  });

  test('is made where an earlier start was ended before it was', async () => {
    await db.pool.query(
      `insert into customer.account (user_ref, email, name, password_hash, created_at)
       values ('AAAAAAAAAAAA', 'demo@registry.example', 'Demo Account', '', now())`,
    );
    const started = await start();
    expect((await curl(curlsOf(started)[1]!)).body).toMatchObject({ data: { balance: 200 } });
    await stop(started);
  });
});

test('with a dump beside those of fixtures the token is printed while it works, and the pages and the status say what is invented', async () => {
  const first = await start();
  await stop(first);
  await db.pool.query(
    `update registry.run set path = '/srv/inbox/ceidg/2026-11-06'
     where source = 'ceidg' and dump_date = '2026-11-06'`,
  );
  const second = await start();
  expect(tokenOf(second)).toBe(tokenOf(first));
  expect((await curl(curlsOf(second)[0])).status).toBe(200);
  expect(second.stdout).toContain('The days of fixtures/ are invented');
  const [, url] = /^The API listens on (\S+)$/m.exec(second.stdout)!;
  expect(await (await fetch(`${url}/terms`)).text()).toContain(
    'Some of the data on this page is invented sample data',
  );
  const { stdout } = await runCommand(['status'], { DATABASE_URL: db.url });
  expect(stdout.match(/^ {2}\w+ +\S+ +\d+ days? old .* entries  invented$/gm)).toHaveLength(4);
  await stop(second);
  const opened = await start({ HOST: '0.0.0.0' });
  expect(opened.stdout).not.toContain('Master Token');
  await stop(opened);
});

async function expectNone(variables: NodeJS.ProcessEnv): Promise<void> {
  const started = await start(variables);
  expect(started.stdout).not.toContain('to try it with');
  await stop(started);
  const { rows } = await db.pool.query('select from customer.account');
  expect(rows).toEqual([]);
}

describe('there is no account to try npm start with', () => {
  test('where mails are sent', () =>
    expectNone({
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'no-reply@registry.example',
      BASE_URL: 'http://localhost:8080',
    }));

  test('where payments are real', () =>
    expectNone({
      PAYMENT_PROVIDER: 'stripe',
      STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
      BASE_URL: 'https://api.registry.example',
    }));

  test('where others reach the API', () => expectNone({ HOST: '0.0.0.0' }));

  test('where registration is closed: it says why', async () => {
    const started = await start({ REGISTRATION_OPEN: 'false' });
    expect(started.stdout).toMatch(/^There is no account to try it with: \S.+$/m);
    await stop(started);
  });

  test('where other dumps than those of fixtures are published', async () => {
    await db.pool.query(`update registry.run set path = '/srv/inbox/ceidg/2026-11-06'`);
    await expectNone({});
  });
});
