import jwt from 'jsonwebtoken';
import { describe, expect, test } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { type Answer, askJson, refusal } from '../../fixtures/client/json-client.ts';
import { readMailedToken, secretKey } from '../../fixtures/client/mailed-token.ts';
import { password, readRecovery, recover, recoverySent } from '../../fixtures/client/recovery.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { verifyPassword } from './password.ts';

const start = new Date('2026-05-01T10:00:00.750Z');

const failure = refusal('token', 'Recovery confirmation failed');

let now = start;

const { database, api } = await useApi({ now: () => now, secretKey });

function confirm(token: string, repeated = password): Promise<Answer> {
  return askJson(api, 'POST /auth/recover/confirm', { body: { token, password: repeated } });
}

/**
 * Creates an account with an API token and requests its recovery. Returns the account, the API token and the token of
 * the mailed recovery link.
 */
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
    // The confirmation made both recovery links of the account invalid.
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
    expect((await readRecovery(database.pool, account)).mails).toHaveLength(5);
    await Promise.all(Array.from({ length: 25 }, (_, at) => ask(`of a stranger after ${at}`)));
    expect((await readRecovery(database.pool, account)).mails).toHaveLength(5);
    expect((await confirm(mailed)).status).toBe(200);
    const { hash } = await readRecovery(database.pool, account);
    expect(await verifyPassword(password, hash!.password_hash as string)).toBe(true);
    expect(await confirm(mailed, 'of a stranger after 1')).toEqual(failure);
    // A completed recovery resets the limit of recovery mails per account, so the next request sends a mail.
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
    // The API accepts ten attempts per recovery link; all 20 requests send the right password.
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(account.link)));
    expect(answers.filter(({ status }) => status !== 200)).toEqual(Array(19).fill(failure));
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

  test.each([
    [9, 200],
    [10, 422],
  ])('after %i wrong passwords, answers %i to the right one', async (count, status) => {
    const account = await askForRecovery();
    for (const guess of ['', ...Array.from({ length: count - 1 }, (_, at) => `guess ${at}`)]) {
      expect(await confirm(account.link, guess)).toEqual(failure);
    }
    expect(await statusOf(account.master_token)).toBe(200);
    expect((await confirm(account.link)).status).toBe(status);
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
});
