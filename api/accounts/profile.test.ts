import { expect, test } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const { database, api } = await useApi();

test('GET /account shows the account with the language of its mails', async () => {
  const now = new Date('2026-05-01T10:00:00Z');
  const account = await createAccount(database.kysely, { now });
  const { plaintext: token } = await createApiToken(database.kysely, account.account_id);
  expect(await askJson(api, 'GET /account', { token })).toEqual({
    status: 200,
    body: {
      success: true,
      data: {
        user_ref: account.user_ref,
        email: account.email,
        name: account.name,
        language: 'en',
        created_at: '2026-05-01T10:00:00+00:00',
      },
    },
  });
});

test('PATCH /account changes the language with the Master Token alone', async () => {
  const account = await createAccount(database.kysely);
  const { plaintext } = await createApiToken(database.kysely, account.account_id);
  const change = (token: string, language: unknown) =>
    askJson(api, 'PATCH /account', { token, body: { language } });
  expect(await change(account.master_token, 'pl')).toMatchObject({
    status: 200,
    body: { data: { language: 'pl' } },
  });
  expect((await change(plaintext, 'en')).status).toBe(403);
  expect(await change(account.master_token, 'de')).toMatchObject({
    status: 422,
    body: { errors: { language: ['The language field must be one of pl, en.'] } },
  });
  const { master_token: token } = account;
  expect(await askJson(api, 'GET /account', { token })).toMatchObject({
    body: { data: { language: 'pl' } },
  });
});
