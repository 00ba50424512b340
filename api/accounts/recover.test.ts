import { describe, expect, test } from 'vitest';
import { createAccount, createApiToken, type TestAccount } from '../../fixtures/client/account.ts';
import { type Answer, askJson, refusal } from '../../fixtures/client/json-client.ts';
import { password, readRecovery, recover, recoverySent } from '../../fixtures/client/recovery.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import jwt from 'jsonwebtoken';
import { readMailedToken, secretKey } from '../../fixtures/client/mailed-token.ts';
import { verifyPassword } from './password.ts';

const start = new Date('2026-05-01T10:00:00.750Z');

let now = start;

const { database, api } = await useApi({ now: () => now, secretKey });

/** Asks for recoveries at some moments. Each answer takes its time: the next one is asked before. */
async function recoverAt(account: TestAccount, moments: Date[], email = account.email) {
  const answers: Promise<Answer>[] = [];
  for (const moment of moments) {
    now = moment;
    answers.push(recover(api, email));
    const countLinks = async () => (await readRecovery(database.pool, account)).links.length;
    await expect.poll(countLinks, { interval: 10 }).toBe(answers.length);
  }
  now = start;
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
}

describe('POST /auth/recover', () => {
  test('200 mails a link and changes nothing else', async () => {
    const account = await createAccount(database.kysely, { now: start });
    await createApiToken(database.kysely, account.account_id);
    expect(await recover(api, account.email)).toEqual(recoverySent);
    const { links, mails, tokens, hash } = await readRecovery(database.pool, account);
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

  test('200 finds the address however it is cased', async () => {
    const account = await createAccount(database.kysely, { email: 'Anna.Nowak@firma.pl' });
    expect(await recover(api, 'anna.nowak@FIRMA.pl')).toEqual(recoverySent);
    expect((await readRecovery(database.pool, account)).mails).toHaveLength(1);
  });

  test('200 alike for an address without an account, and for one never initialized', async () => {
    const email = 'waiting@firma.pl';
    await askJson(api, 'POST /auth/register', {
      body: { email, name: 'Anna', password, password_confirmation: password },
    });
    expect(await recover(api, email)).toEqual(recoverySent);
    expect(await recover(api, 'nobody@firma.pl')).toEqual(recoverySent);
    expect(await recover(api, 'nobody@gmail.com')).toEqual(recoverySent);
    const { rows } = await database.pool.query(
      `select template from customer.mail where recipient = any($1)`,
      [[email, 'nobody@firma.pl', 'nobody@gmail.com']],
    );
    expect(rows).toEqual([{ template: 'init' }]);
  });

  test('200 beyond 5 mails an hour: later requests share one mail, which waits for its turn', async () => {
    const account = await createAccount(database.kysely);
    const moments = Array.from({ length: 8 }, (_, at) => new Date(start.getTime() + at * 60_000));
    await recoverAt(account, moments, account.email.toUpperCase());
    const sendings = async () => {
      const { rows } = await database.pool.query<{ minute: number; is_job_delayed: boolean }>(
        `select (extract(epoch from coalesce(send_after, mail.created_at) - $2) / 60)::int as minute,
          run_at = send_after as is_job_delayed
        from customer.mail
        join graphile_worker.jobs on jobs.key = 'mail:' || mail_id
        where account_id = $1
        order by mail_id`,
        [account.account_id, start],
      );
      return rows.map(({ minute, is_job_delayed }) => [minute, is_job_delayed]);
    };
    const immediate = [0, 1, 2, 3, 4].map((minute) => [minute, null]);
    expect(await sendings()).toEqual([...immediate, [60, true]]);
    expect((await readRecovery(database.pool, account)).links).toHaveLength(8);
    now = new Date(start.getTime() + 60 * 60_000);
    await recover(api, account.email);
    expect(await sendings()).toEqual([...immediate, [60, true], [61, true]]);
    now = start;
  });

  test('200 beyond 10 mails a day: the next one waits for the first to be a day old', async () => {
    const account = await createAccount(database.kysely);
    const hours = Array.from({ length: 14 }, (_, at) => new Date(start.getTime() + at * 3_600_000));
    await recoverAt(account, hours);
    const { rows } = await database.pool.query<{ hour: number }>(
      `select (extract(epoch from coalesce(send_after, created_at) - $2) / 3600)::int as hour
      from customer.mail where account_id = $1 order by mail_id`,
      [account.account_id, start],
    );
    expect(rows.map(({ hour }) => hour)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 24]);
  });

  test('200 alike, however often, for an address without an account', async () => {
    const asked = Array.from({ length: 7 }, () => recover(api, 'unknown@firma.pl'));
    for (const answer of await Promise.all(asked)) expect(answer).toEqual(recoverySent);
  });

  test('429 after 10 requests of a client within an hour', async () => {
    const one = { address: '192.0.2.70', body: { email: 'x', password } };
    for (let at = 0; at < 10; at += 1) {
      expect((await askJson(api, 'POST /auth/recover', one)).status).toBe(422);
    }
    expect((await askJson(api, 'POST /auth/recover', one)).status).toBe(429);
  });

  test.each([
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

const failed = 'Recovery confirmation failed';
const failure = refusal('token', failed);

function confirm(token: string, repeated = password): Promise<Answer> {
  return askJson(api, 'POST /auth/recover/confirm', { body: { token, password: repeated } });
}

/** An account with an API token that asked for its recovery; gives the token of the link too. */
async function askForRecovery() {
  now = start;
  const account = await createAccount(database.kysely, { now });
  const { plaintext: api_token } = await createApiToken(database.kysely, account.account_id);
  expect(await recover(api, account.email)).toEqual(recoverySent);
  return { ...account, api_token, link: await readMailedToken(database.kysely, account.email) };
}

async function statusOf(token: string): Promise<unknown> {
  const { status, body } = await askJson(api, 'POST /tokens/verify', { token });
  return status === 200 ? 200 : body;
}

describe('POST /auth/recover/confirm', () => {
  test('200 revokes every token and shows the new Master Token once', async () => {
    const account = await askForRecovery();
    const { status, body } = await confirm(account.link);
    expect(status).toBe(200);
    expect(body).toEqual({
      user_ref: account.user_ref,
      email: account.email,
      master_token: expect.stringMatching(/^sk_live_[0-9A-Za-z]{49}$/),
      token_ref: expect.stringMatching(/^[0-9A-Z]{12}$/),
      message: 'The account is recovered. Store the Master Token now: it will not be shown again.',
    });
    const { master_token, token_ref } = body as { master_token: string; token_ref: string };
    expect(token_ref).not.toBe(account.token_ref);
    expect(await statusOf(master_token)).toBe(200);
    const revoked = { error: 'Token revoked', code: 'UNAUTHORIZED' };
    expect(await statusOf(account.master_token)).toEqual(revoked);
    expect(await statusOf(account.api_token)).toEqual(revoked);

    const { links, mails, tokens, hash } = await readRecovery(database.pool, account);
    expect(tokens).toEqual([
      { kind: 'master', revoked_at: start },
      { kind: 'api', revoked_at: start },
      { kind: 'master', revoked_at: null },
    ]);
    expect(links).toMatchObject([{ used_at: start, cancelled_at: null }]);
    expect(mails).toMatchObject([
      { template: 'recover' },
      {
        recipient: account.email,
        template: 'recovered',
        data: { user_name: account.name, recovered_at: start.toISOString() },
      },
    ]);
    expect(hash).toEqual({ password_hash: (links[0] as { password_hash: string }).password_hash });
  });

  test.each(['his', 'the other'])('200 with %s link after another request', async (link) => {
    const account = await askForRecovery();
    expect(await recover(api, account.email, 'chosen by a stranger')).toEqual(recoverySent);
    const other = await readMailedToken(database.kysely, account.email);
    expect((await confirm(link === 'his' ? account.link : other)).status).toBe(200);
    // Both links ended with it.
    for (const ended of [account.link, other]) {
      expect(await confirm(ended)).toEqual(failure);
      expect(await confirm(ended, 'chosen by a stranger')).toEqual(failure);
    }
    expect((await readRecovery(database.pool, account)).links).toMatchObject([
      { used_at: start, cancelled_at: null },
      { used_at: null, cancelled_at: start },
    ]);
  });

  test('200 for the owner, by any mailed link, with 5 requests of strangers before and 25 after', async () => {
    now = start;
    const account = await createAccount(database.kysely, { now });
    const ask = (chosen?: string) => recover(api, account.email, chosen);
    await Promise.all([1, 2, 3, 4, 5].map((at) => ask(`of a stranger ${at}`)));
    const mailed = await readMailedToken(database.kysely, account.email);
    await ask();
    expect((await readRecovery(database.pool, account)).mails).toHaveLength(6);
    await Promise.all(Array.from({ length: 25 }, (_, at) => ask(`of a stranger after ${at}`)));
    expect((await readRecovery(database.pool, account)).mails).toHaveLength(6);
    expect((await confirm(mailed)).status).toBe(200);
    const { hash } = await readRecovery(database.pool, account);
    expect(await verifyPassword(password, hash!.password_hash as string)).toBe(true);
    expect(await confirm(mailed, 'of a stranger after 1')).toEqual(failure);
    // The mails of before do not count any more.
    await ask();
    const again = await readMailedToken(database.kysely, account.email);
    expect((await confirm(again)).status).toBe(200);
  });

  test('200 for a password typed with combining marks', async () => {
    const account = await createAccount(database.kysely, { now });
    await recover(api, account.email, 'zażółć gęślą'.normalize('NFC'));
    const link = await readMailedToken(database.kysely, account.email);
    expect((await confirm(link, 'zażółć gęślą'.normalize('NFD'))).status).toBe(200);
  });

  test('200 once for 20 confirmations at once', async () => {
    const account = await askForRecovery();
    // Ten attempts are heard per link; all of these bring the right password.
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(account.link)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 200)).toEqual(
      Array.from({ length: 19 }, () => failure),
    );
    expect((await readRecovery(database.pool, account)).tokens).toHaveLength(3);
  });

  test('leaves no token that was created or rotated at the same time', async () => {
    const account = await askForRecovery();
    const other = await createApiToken(database.kysely, account.account_id);
    const { master_token: token } = account;
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, (_, at) =>
        askJson(api, 'POST /tokens', { token, body: { name: `Number ${at}` } }),
      ),
      askJson(api, `POST /tokens/${other.token_ref}/rotate`, { token }),
      confirm(account.link),
      ...Array.from({ length: 8 }, () => askJson(api, 'GET /tokens', { token })),
    ]);
    expect(answers.filter(({ status }) => ![200, 201, 401].includes(status))).toEqual([]);
    const { tokens } = await readRecovery(database.pool, account);
    expect(tokens.filter(({ revoked_at }) => revoked_at === null)).toEqual([
      { kind: 'master', revoked_at: null },
    ]);
  });

  test('422 for another password; the old tokens stay valid, and so does the link', async () => {
    const account = await askForRecovery();
    expect(await confirm(account.link, 'another password')).toEqual(failure);
    expect(await confirm(account.link, '')).toEqual(failure);
    expect(await statusOf(account.master_token)).toBe(200);
    expect((await confirm(account.link)).status).toBe(200);
  });

  test('422 from the eleventh guess on, also for the right password', async () => {
    const account = await askForRecovery();
    for (let at = 0; at < 10; at += 1) {
      expect(await confirm(account.link, `guess number ${at}`)).toEqual(failure);
    }
    expect(await confirm(account.link)).toEqual(failure);
    expect(await statusOf(account.master_token)).toBe(200);
  });

  test('422 for a link that was used, has expired, is forged, or is of another purpose', async () => {
    const [used, late] = [await askForRecovery(), await askForRecovery()];
    expect((await confirm(used.link)).status).toBe(200);
    expect(await confirm(used.link)).toEqual(failure);

    now = new Date('2026-05-02T10:00:00Z');
    expect(await confirm(late.link)).toEqual(failure);
    now = start;
    const claims = jwt.decode(late.link) as object;
    for (const wrong of [
      jwt.sign(claims, 'the key of somebody else who signs tokens too'),
      jwt.sign({ ...claims, purpose: 'init' }, secretKey),
      jwt.sign({ ...claims, sub: used.user_ref }, secretKey),
      `${late.link}x`,
      'x',
      '',
    ]) {
      expect(await confirm(wrong)).toEqual(failure);
    }
    const init = await askJson(api, 'POST /auth/init', { body: { token: late.link } });
    expect(init.status).toBe(422);
    expect((await confirm(late.link)).status).toBe(200);
  });

  test('422 names missing fields', async () => {
    expect(await askJson(api, 'POST /auth/recover/confirm', { body: {} })).toEqual({
      status: 422,
      body: {
        message: 'The token field is required. (and 1 more error)',
        errors: {
          token: ['The token field is required.'],
          password: ['The password field is required.'],
        },
      },
    });
  });
});
