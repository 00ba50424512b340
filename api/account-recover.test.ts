import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createApiToken, type TestAccount } from '../fixtures/account.ts';
import { type Answer, askJson } from '../fixtures/json-client.ts';
import { startTestApi, type TestApi } from '../fixtures/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../fixtures/test-database.ts';

const start = new Date('2026-05-01T10:00:00.750Z');
const password = 'a new password';

const sent = {
  status: 200,
  body: {
    message: 'If an account has this e-mail address, a recovery link was sent to it.',
    expires_at: '2026-05-02T10:00:00+00:00',
  },
};

let database: TestDatabase;
let api: TestApi;
let now = start;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startTestApi({ db: database.kysely, now: () => now });
});

afterAll(async () => {
  await api.close();
  await database.drop();
});

function recover(email: string, chosen = password): Promise<Answer> {
  return askJson(api, 'POST /auth/recover', { body: { email, password: chosen } });
}

async function rowsOf({ account_id }: Pick<TestAccount, 'account_id'>) {
  const query = async (text: string) => (await database.pool.query(text, [account_id])).rows;
  return {
    links: await query(
      `select purpose, password_hash, created_at, expires_at, used_at, cancelled_at
      from customer.one_time_token where account_id = $1 order by used_at`,
    ),
    mails: await query('select recipient, template, data from customer.mail where account_id = $1'),
    tokens: await query(
      'select kind, revoked_at from customer.token where account_id = $1 order by token_id',
    ),
    hash: (await query('select password_hash from customer.account where account_id = $1'))[0],
  };
}

describe('POST /auth/recover', () => {
  it('200 mails a link and changes nothing else', async () => {
    const account = await createAccount(database.kysely, { now: start });
    await createApiToken(database.kysely, account.account_id);
    expect(await recover(account.email)).toEqual(sent);
    const { links, mails, tokens, hash } = await rowsOf(account);
    expect(links).toEqual([
      {
        purpose: 'recover',
        password_hash: expect.stringMatching(/^\$argon2id\$/),
        created_at: start,
        expires_at: new Date('2026-05-02T10:00:00Z'),
        used_at: null,
        cancelled_at: null,
      },
    ]);
    expect(mails).toEqual([
      {
        recipient: account.email,
        template: 'recover',
        data: { one_time_token_id: expect.any(String), user_name: account.name },
      },
    ]);
    expect(tokens).toEqual([
      { kind: 'master', revoked_at: null },
      { kind: 'api', revoked_at: null },
    ]);
    expect(hash).toEqual({ password_hash: '-' });
    const { master_token: token } = account;
    expect((await askJson(api, 'POST /tokens/verify', { token })).status).toBe(200);
  });

  it('200 finds the address however it is cased', async () => {
    const account = await createAccount(database.kysely, { email: 'Anna.Nowak@firma.pl' });
    expect(await recover('anna.nowak@FIRMA.pl')).toEqual(sent);
    expect((await rowsOf(account)).mails).toHaveLength(1);
  });

  it('200 alike for an address without an account, and for one never initialized', async () => {
    const email = 'waiting@firma.pl';
    await askJson(api, 'POST /auth/register', {
      body: { email, name: 'Anna', password, password_confirmation: password },
    });
    expect(await recover(email)).toEqual(sent);
    expect(await recover('nobody@firma.pl')).toEqual(sent);
    expect(await recover('nobody@gmail.com')).toEqual(sent);
    const { rows } = await database.pool.query(
      `select template from customer.mail where recipient = any($1)`,
      [[email, 'nobody@firma.pl', 'nobody@gmail.com']],
    );
    expect(rows).toEqual([{ template: 'init' }]);
  });

  it('429 after 5 requests for an address within an hour, whoever asks and whether it is known', async () => {
    now = start;
    const account = await createAccount(database.kysely);
    for (const email of [account.email, 'unknown@firma.pl']) {
      for (let at = 0; at < 5; at += 1) expect(await recover(email)).toEqual(sent);
      expect(await recover(email.toUpperCase())).toEqual({
        status: 429,
        body: { message: 'Too Many Attempts.' },
      });
    }
    expect((await rowsOf(account)).mails).toHaveLength(5);
    now = new Date(start.getTime() + 3_600_000);
    expect((await recover(account.email)).status).toBe(200);
  });

  it('429 after 10 requests of a client within an hour', async () => {
    const one = { address: '192.0.2.70', body: { email: 'x', password } };
    for (let at = 0; at < 10; at += 1) {
      expect((await askJson(api, 'POST /auth/recover', one)).status).toBe(422);
    }
    expect((await askJson(api, 'POST /auth/recover', one)).status).toBe(429);
  });

  it.each([
    [{ password }, { email: ['The email field is required.'] }],
    [
      { email: 'anna@firma.pl', password: 'seven77' },
      { password: ['The password field must be at least 8 characters.'] },
    ],
    [
      { email: 'anna@firma', password },
      { email: ['The email field must be a valid e-mail address.'] },
    ],
    [{ email: 'anna@firma.pl', password, name: 'A' }, { name: ['The name field is unknown.'] }],
  ])('422 for a wrong body: %j', async (body, errors) => {
    expect(await askJson(api, 'POST /auth/recover', { body })).toEqual({
      status: 422,
      body: { message: Object.values(errors)[0]![0], errors },
    });
  });
});
