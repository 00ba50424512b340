import { expect, test } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { askJson, refusal } from '../../fixtures/client/json-client.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const { database, api } = await useApi();

test('GET /account shows the account, and PATCH changes its language with the Master Token alone', async () => {
  const now = new Date('2026-05-01T10:00:00Z');
  const { master_token, account_id, ...account } = await createAccount(database.kysely, { now });
  const { plaintext: token } = await createApiToken(database.kysely, account_id);
  const { user_ref, email, name } = account;
  const created_at = '2026-05-01T10:00:00+00:00';
  const shown = (language: string) => ({
    status: 200,
    body: { success: true, data: { user_ref, email, name, language, created_at } },
  });
  expect(await askJson(api, 'GET /account', { token })).toEqual(shown('en'));
  const change = (by: string, language: unknown) =>
    askJson(api, 'PATCH /account', { token: by, body: { language } });
  expect(await change(master_token, 'pl')).toEqual(shown('pl'));
  expect((await change(token, 'en')).status).toBe(403);
  expect(await change(master_token, 'de')).toEqual(
    refusal('language', 'The language field must be one of pl, en.'),
  );
  expect(await askJson(api, 'GET /account', { token })).toEqual(shown('pl'));
});
