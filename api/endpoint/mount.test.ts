import { describe, expect, test } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const { database, api } = await useApi();
const account = await createAccount(database.kysely);
const apiToken = (await createApiToken(database.kysely, account.account_id)).plaintext;

function ask(method: string, path: string, token?: string, body?: string): Promise<Response> {
  const headers = new Headers(body === undefined ? {} : { 'Content-Type': 'application/json' });
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  return api.ask(`/api/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
}

const managing = [
  ['POST', '/tokens'],
  ['GET', '/tokens'],
  ['GET', '/tokens/AAAAAAAAAAAA'],
  ['PUT', '/tokens/AAAAAAAAAAAA'],
  ['DELETE', '/tokens/AAAAAAAAAAAA'],
  ['POST', '/tokens/AAAAAAAAAAAA/rotate'],
] as const;
const reading = [
  ['POST', '/tokens/verify'],
  ['GET', '/wallet'],
  ['GET', '/wallet/transactions'],
] as const;

describe('who may call', () => {
  test.each([...managing, ...reading])('401 without a token: %s %s', async (method, path) => {
    const response = await ask(method, path);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toEqual({ error: 'Missing API token', code: 'UNAUTHORIZED' });
  });

  test.each(managing)('403 with an API token: %s %s', async (method, path) => {
    const response = await ask(method, path, apiToken);
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      message: 'This operation needs the Master Token.',
      code: 'FORBIDDEN',
    });
  });

  test.each(reading)('200 with either token: %s %s', async (method, path) => {
    expect((await ask(method, path, apiToken)).status).toBe(200);
    expect((await ask(method, path, account.master_token)).status).toBe(200);
  });

  test('asks for the token before it reads the body', async () => {
    expect((await ask('POST', '/tokens', undefined, '{')).status).toBe(401);
    expect((await ask('POST', '/tokens', apiToken, '{')).status).toBe(403);
    expect((await ask('POST', '/tokens', account.master_token, '{')).status).toBe(400);
  });
});

describe('methods', () => {
  test.each([
    ['/tokens', 'DELETE', 'POST, GET, HEAD'],
    ['/tokens/AAAAAAAAAAAA', 'POST', 'GET, HEAD, PUT, DELETE'],
    ['/tokens/verify', 'GET', 'POST'],
    ['/auth/register', 'GET', 'POST'],
    ['/wallet', 'PATCH', 'GET, HEAD'],
    ['/openapi.json', 'POST', 'GET, HEAD'],
  ])('405 names those that %s has', async (path, method, allow) => {
    const response = await ask(method, path, account.master_token);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    expect(await response.json()).toEqual({ message: 'Method Not Allowed' });

    const options = await ask('OPTIONS', path);
    expect(options.status).toBe(204);
    expect(options.headers.get('allow')).toBe(allow);
  });

  test('HEAD is GET without a body', async () => {
    const response = await ask('HEAD', '/wallet', apiToken);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });
});

describe('Cache-Control', () => {
  test('keeps out of every cache what has a token or a secret in it', async () => {
    const answers = await Promise.all([
      ask('GET', '/wallet', apiToken),
      ask('GET', '/wallet'),
      ask('POST', '/tokens', account.master_token, '{"name":"Billing"}'),
      ask('POST', '/auth/init', undefined, '{"token":"none"}'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 201, 422]);
    for (const { headers } of answers) expect(headers.get('cache-control')).toBe('no-store');
  });

  test('lets the statistics be kept', async () => {
    const { headers } = await ask('GET', '/stats/day/2026-01-01');
    expect(headers.has('cache-control')).toBe(false);
  });
});
