// What the document says and others say too: answers, the guide, the package.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../../fixtures/client/account.ts';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';

interface Operation {
  'x-rate-limit': { requests: number; window_seconds: number; per: string };
  security: object[];
}

let database: TestDatabase;
let api: TestApi;
let version: string;
/** Such as `get /tokens/{token_ref}`. */
let operations: [name: string, operation: Operation][];
let guide: string;

const read = (path: string) => readFile(join(import.meta.dirname, '../..', path), 'utf8');

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startTestApi({ db: database.kysely });
  const document = (await (await api.ask('/api/v1/openapi.json')).json()) as {
    info: { version: string };
    paths: Record<string, Record<string, Operation>>;
  };
  ({ version } = document.info);
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path.replace('/api/v1', '')}`,
      operation,
    ]),
  );
  guide = await read('api/README.md');
});

afterAll(async () => {
  await api.close();
  await database.drop();
});

describe('the document', () => {
  test('has the version of the package, which the changelog begins with', async () => {
    const packaged = JSON.parse(await read('package.json')) as { version: string };
    expect(version).toBe(packaged.version);
    const [, changes = ''] = guide.split('\n## Changelog\n');
    expect(`${/^### (.+)$/m.exec(changes)?.[1]}.`).toBe(/^\d+\.\d+\./.exec(version)?.[0]);
  });

  test('refuses to an API token what the guide lists', () => {
    const [, list = ''] = /It gets a 403 from (.+)\.$/m.exec(guide) ?? [];
    const listed = [...list.matchAll(/`(.+?)`/g)].map(([, operation]) => operation);
    const refused = operations.filter(([, { security }]) => security.length === 1);
    expect(new Set(listed)).toEqual(new Set(refused.map(([name]) => name)));
  });

  test('says the limit of each operation that its answers say', async () => {
    const { master_token } = await createAccount(database.kysely);
    const headers = { Authorization: `Bearer ${master_token}` };
    const limits = await Promise.all(
      operations.map(async ([name, operation]) => {
        const [method, path = ''] = name.split(' ');
        const filled = `/api/v1${path.replaceAll(/\{\w+\}/g, '1')}`;
        const answer = await api.ask(filled, { method: method!, headers });
        const policy = /q=(\d+); w=(\d+);/.exec(answer.headers.get('ratelimit-policy') ?? '') ?? [];
        const [requests, window_seconds] = policy.slice(1).map(Number);
        const { per, ...documented } = operation['x-rate-limit'];
        expect([name, { requests, window_seconds }]).toEqual([name, documented]);
        expect([name, answer.headers.get('x-ratelimit-limit')]).toEqual([name, String(requests)]);
        return per === 'account' ? name : [];
      }),
    );
    const ofAccounts = ['DELETE /account', 'GET /companies/{company_ref}/events'];
    expect(limits.flat()).toEqual(ofAccounts);
  });
});
