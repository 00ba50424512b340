import { describe, expect, test } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { completeOptions } from '../../fixtures/client/test-api.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { listEndpoints } from '../app.ts';

const { database, api } = await useApi();
const account = await createAccount(database.kysely);
const apiToken = (await createApiToken(database.kysely, account.account_id)).plaintext;

function ask(method: string, path: string, token?: string, body?: string): Promise<Response> {
  const headers = new Headers(body === undefined ? {} : { 'Content-Type': 'application/json' });
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  return api.ask(`/api/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
}

/** Every endpoint: its method and path (with `1` for each parameter), its authentication, and its query fields. */
const described = listEndpoints(completeOptions({ db: database.kysely })).map(({ description }) => {
  const { method, path, auth, query, credits } = description;
  const route = [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1')] as const;
  return {
    route,
    auth,
    isFreeRead: method === 'get' && !credits,
    fields: Object.keys(query?.shape ?? {}),
  };
});
const routesOf = (...auths: string[]) =>
  described.filter(({ auth }) => auths.includes(auth)).map(({ route }) => route);

describe('who may call', () => {
  test.each(routesOf('token', 'master'))('401 without a token: %s %s', async (method, path) => {
    const response = await ask(method, path);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toEqual({ error: 'Missing API token', code: 'UNAUTHORIZED' });
  });

  test.each(routesOf('master'))('403 with an API token: %s %s', async (method, path) => {
    const response = await ask(method, path, apiToken);
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      message: 'This operation needs the Master Token.',
      code: 'FORBIDDEN',
    });
  });

  test('either token reads for free what costs no credits', async () => {
    const free = described.filter(({ auth, isFreeRead }) => auth === 'token' && isFreeRead);
    for (const { route } of free) {
      for (const token of [apiToken, account.master_token]) {
        const { status } = await ask(...route, token);
        expect([...route, [200, 404, 422].includes(status)]).toEqual([...route, true]);
      }
    }
    const wallet = await ask('GET', '/wallet', apiToken);
    expect(await wallet.json()).toMatchObject({ data: { balance: 200 } });
  });

  test('asks for the token before it reads the body', async () => {
    expect((await ask('POST', '/tokens', undefined, '{')).status).toBe(401);
    expect((await ask('POST', '/tokens', apiToken, '{')).status).toBe(403);
    expect((await ask('POST', '/tokens', account.master_token, '{')).status).toBe(400);
  });
});

const paged = described.filter(({ fields, auth }) => fields.includes('page') && auth !== 'none');

describe('pages', () => {
  const form = (field: string, most: number) =>
    `The ${field} field must be a whole number from 1 to ${most}.`;
  const page = form('page', 1_000_000_000_000);

  test.each(paged)(
    '422 for one that is none: $route',
    async ({ route: [method, path], fields }) => {
      const sizes = fields.includes('per_page') ? ['0', '101', 'many', ''] : [];
      const wrong = [
        ...['0', '-1', '1.5', '1e3', '01', '', 'one', '1000000000001', '9999999999999999999'].map(
          (value) => [`page=${value}`, 'page', page],
        ),
        ['page=1&page=2', 'page', 'The page field must be given only once.'],
        ...sizes.map((value) => [`per_page=${value}`, 'per_page', form('per_page', 100)]),
        ['size=5', 'size', 'The size field is unknown.'],
      ] as const;
      for (const [query, field = '', message] of wrong) {
        const response = await ask(method, `${path}?${query}`, account.master_token);
        const { errors } = (await response.json()) as { errors: Record<string, string[]> };
        expect([query, response.status, errors[field]]).toEqual([query, 422, [message]]);
      }
    },
  );
});

describe('methods', () => {
  test.each([
    ['/tokens', 'DELETE', 'POST, GET, HEAD'],
    ['/tokens/AAAAAAAAAAAA', 'POST', 'GET, HEAD, PUT, DELETE'],
    ['/tokens/verify', 'GET', 'POST'],
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
