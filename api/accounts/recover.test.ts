import { describe, expect, test } from 'vitest';
import { createAccount, createApiToken, type TestAccount } from '../../fixtures/client/account.ts';
import { type Answer, askJson } from '../../fixtures/client/json-client.ts';
import { password, readRecovery, recover, recoverySent } from '../../fixtures/client/recovery.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const start = new Date('2026-05-01T10:00:00.750Z');

let now = start;

const { database, api } = await useApi({ now: () => now });

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
