import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import type { TestDatabase } from '../../fixtures/database/test-database.ts';
import { createFirstDay } from '../../fixtures/dump/night.ts';
import { runCommand } from '../../fixtures/process/cli.ts';
import { sendOptions } from '../../fixtures/process/mail-delivery.ts';
import { sendMail } from '../../pipeline/mail/send.ts';
import { boundDefaults } from '../bounds.ts';

let moment = new Date('2026-11-20T10:00:00Z');

let database: TestDatabase;
let api: TestApi;
let account: Awaited<ReturnType<typeof createAccount>>;
let token: string;
let other: string;
let path: string;

beforeAll(async () => {
  database = await createFirstDay();
  const bounds = { ...boundDefaults, CHALLENGES_PER_ACCOUNT: 2 };
  api = await startTestApi({ db: database.kysely, now: () => moment, bounds });
  account = await createAccount(database.kysely);
  ({ plaintext: token } = await createApiToken(database.kysely, account.account_id));
  other = (await createAccount(database.kysely)).master_token;
  const { rows } = await database.pool.query<{ company_id: string }>(
    `select company_id from registry.company where nip = '1000201006'`,
  );
  path = `/companies/${rows[0]!.company_id}/challenges`;
});

afterAll(async () => {
  await api.close();
  await database.drop();
});

const body = {
  field: 'address',
  value: ' ul. Polna 3,\nWarszawa ',
  evidence: 'The register names\r\nthe new seat.',
};

const shown = () => ({
  challenge_ref: '1',
  company_ref: path.split('/')[2],
  field: 'address',
  value: 'ul. Polna 3,\nWarszawa',
  evidence: 'The register names\nthe new seat.',
  state: 'open',
  answer: null,
  created_at: '2026-11-20T10:00:00+00:00',
  ended_at: null,
});

const contest = (asked: object = body) => askJson(api, `POST ${path}`, { token, body: asked });

function registry(...args: string[]) {
  return runCommand(['challenge', ...args], { DATABASE_URL: database.url, LOG_LEVEL: 'warn' });
}

async function readCounts(): Promise<unknown> {
  const { body: answer } = await askJson(api, 'GET /quality');
  return (answer as { challenges: unknown }).challenges;
}

describe('POST /companies/{company_ref}/challenges', () => {
  test('201 opens one, which only the own account sees', async () => {
    expect(await contest()).toEqual({ status: 201, body: { success: true, data: shown() } });
    expect(await askJson(api, `GET ${path}`, { token })).toMatchObject({
      body: { data: [shown()], meta: { total: 1 } },
    });
    expect(await askJson(api, `GET ${path}`, { token: other })).toMatchObject({
      body: { data: [], meta: { total: 0 } },
    });
  });

  test('401, 404 and 422 for a caller, a company and a body that are none', async () => {
    expect((await askJson(api, `POST ${path}`, { body })).status).toBe(401);
    for (const ref of ['999999999', 'x']) {
      const asked = { token: other, body };
      expect((await askJson(api, `POST /companies/${ref}/challenges`, asked)).status).toBe(404);
    }
    for (const wrong of [
      { ...body, field: 'phone' },
      { ...body, value: ' ' },
      { ...body, value: '\u{1b}[2J' },
      { ...body, value: 'ź'.repeat(501) },
      { ...body, evidence: 'ź'.repeat(2001) },
    ]) {
      expect((await contest(wrong)).status).toBe(422);
    }
  });

  test('422 names the bound of open ones', async () => {
    expect((await contest({ ...body, evidence: 'ź'.repeat(2000) })).status).toBe(201);
    expect(await contest()).toMatchObject({
      status: 422,
      body: { message: 'An account has at most 2 open challenges.' },
    });
  });
});

describe('registry challenge', () => {
  test('lists what is open with its evidence, and answers it once', async () => {
    expect((await registry('list', '--limit', '1')).stdout).toMatch(
      /^ {4}1 {2}2026-11-20 10:00 UTC {2}open {6}company \d+, address, by \w{12}\n {7}is right: ul\. Polna 3,\n {9}Warszawa\n {7}evidence: The register names\n {9}the new seat\.\n$/,
    );
    moment = new Date('2026-11-23T10:00:00Z');
    expect(await readCounts()).toEqual({
      open: 2,
      accepted: 0,
      declined: 0,
      oldest_open_days: 3,
      median_days_to_answer: null,
    });
    expect(await registry('answer', '1', '--accept')).toMatchObject({ code: 2 });
    const answer = ['answer', '1', '--accept', '--text', 'KRS was told.'] as const;
    expect(await registry(...answer)).toMatchObject({
      code: 0,
      stdout: 'Challenge 1 is accepted; a mail brings the answer\n',
    });
    expect(await registry(...answer)).toMatchObject({ code: 5 });
    expect(await registry('answer', '9', '--decline', '--text', 'x')).toMatchObject({ code: 5 });
    const { stdout } = await registry('list', '--all', '--json');
    const answered = { challenge_id: 1, state: 'accepted', answer: 'KRS was told.' };
    expect(JSON.parse(stdout)).toMatchObject({
      challenges: [answered, { challenge_id: 2, state: 'open', answer: null }],
    });
    expect(await askJson(api, `GET ${path}`, { token })).toMatchObject({
      body: { data: [{ state: 'open' }, { state: 'accepted', answer: 'KRS was told.' }] },
    });
    await database.pool.query(
      `update customer.challenge set ended_at = created_at + interval '36 hours' where challenge_id = 1`,
    );
    expect(await readCounts()).toMatchObject({
      open: 1,
      accepted: 1,
      median_days_to_answer: 1.5,
    });
    const page = await (await api.ask('/quality?lang=en')).text();
    expect(page).toContain('1 challenge is open. Within a year 1 were accepted and 0 declined.');
    expect(page).toContain('The oldest open one waits for 3 days.');
    expect(page).toContain('Half of the answers came within 1.5 days.');
  });

  test('mails the answer in the language of the account, and all goes with the account', async () => {
    const { account_id } = account;
    const owned = 'from customer.challenge where account_id = $1';
    await database.pool.query(`update customer.account set language = 'pl' where account_id = $1`, [
      account_id,
    ]);
    const { rows } = await database.pool.query<{ mail_id: number }>(
      `select mail_id::int from customer.mail where template = 'challenge'`,
    );
    const sent: string[] = [];
    const deliver = ({ subject, text }: { subject?: unknown; text?: unknown }) => {
      sent.push(String(subject), String(text));
      return Promise.resolve();
    };
    expect(await sendMail(sendOptions(database, deliver), rows[0]!.mail_id, false)).toMatchObject({
      state: 'sent',
    });
    const ref = path.split('/')[2];
    expect(sent).toEqual([
      `Uwzględniono Twoje zastrzeżenie do firmy ${ref}`,
      expect.stringContaining(
        `Zgłoszone 20 listopada 2026 zastrzeżenie do firmy ${ref}, pole address, operator uwzględnił i pisze:\n\nKRS was told.`,
      ),
    ]);
    await database.pool.query('select customer.end_account($1, null, null, $2)', [
      account_id,
      moment,
    ]);
    expect((await database.pool.query(`select ${owned}`, [account_id])).rowCount).toBe(0);
  });
});
