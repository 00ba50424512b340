import { describe, expect, test } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { askJson, refusal } from '../../fixtures/client/json-client.ts';
import { password, readRecovery, recover, recoverySent } from '../../fixtures/client/recovery.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const start = new Date('2026-05-01T10:00:00.750Z');

let now = start;

const { database, api } = await useApi({ now: () => now });

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

  test('200 alike for an address without an account, and for one never initialized', async () => {
    const email = 'waiting@firma.pl';
    await askJson(api, 'POST /auth/register', {
      body: { email, name: 'Anna', password, password_confirmation: password },
    });
    expect(await recover(api, email)).toEqual(recoverySent);
    const often = Array.from({ length: 7 }, () => recover(api, 'nobody@firma.pl'));
    for (const answer of await Promise.all(often)) expect(answer).toEqual(recoverySent);
    expect(await recover(api, 'nobody@gmail.com')).toEqual(recoverySent);
    const { rows } = await database.pool.query(
      `select template from customer.mail where recipient = any($1)`,
      [[email, 'nobody@firma.pl', 'nobody@gmail.com']],
    );
    expect(rows).toEqual([{ template: 'init' }]);
  });

  test('200 beyond 5 mails an hour and 10 a day, without a mail; each request is kept', async () => {
    const account = await createAccount(database.kysely);
    const counts: number[] = [];
    for (const hour of [0, 1, 2, 24]) {
      now = new Date(start.getTime() + hour * 3_600_000);
      const spellings = Array.from({ length: 6 }, (_, at) =>
        at % 2 === 0 ? account.email : account.email.toUpperCase(),
      );
      const answers = await Promise.all(spellings.map((email) => recover(api, email)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
      counts.push((await readRecovery(database.pool, account)).mails.length);
    }
    now = start;
    expect(counts).toEqual([5, 10, 10, 15]);
    expect((await readRecovery(database.pool, account)).links).toHaveLength(24);
  });

  test.each([
    [{ password }, 'email', 'is required.'],
    [{ email: 'anna@firma.pl', password: 'seven77' }, 'password', 'must be at least 8 characters.'],
    [{ email: 'anna@firma', password }, 'email', 'must be a valid e-mail address.'],
    [{ email: 'anna@firma.pl', password, name: 'A' }, 'name', 'is unknown.'],
  ])('422 for a wrong body: %j', async (body, field, wrong) => {
    expect(await askJson(api, 'POST /auth/recover', { body })).toEqual(
      refusal(field, `The ${field} field ${wrong}`),
    );
  });
});
