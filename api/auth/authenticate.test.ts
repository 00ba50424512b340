import { Kysely, PostgresDialect } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { createAccount, createApiToken, type TestAccount } from '../../fixtures/client/account.ts';
import { type Answer, askJson } from '../../fixtures/client/json-client.ts';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { hold } from '../../fixtures/database/locks.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { createSecret, hashSecret } from './token-secret.ts';

const now = new Date('2026-05-01T10:00:00.750Z');

let account: TestAccount;

const { database, api } = await useApi({ now: () => now });

beforeEach(async () => {
  account = await createAccount(database.kysely, { now });
});

function verify(token: string, other = api, address = '192.0.2.1'): Promise<Answer> {
  return askJson(other, 'POST /tokens/verify', { token, address });
}

const revoke = 'update customer.token set revoked_at = now() where token_ref = $1';

function unauthorized(error: string): Answer {
  return { status: 401, body: { error, code: 'UNAUTHORIZED' } };
}

async function usesOf(token: string, ...others: TestApi[]) {
  await Promise.all([api, ...others].map(({ uses }) => uses.flush()));
  const { rows } = await database.pool.query<Record<string, unknown>>(
    'select usage_count, last_used_at, last_used_ip from customer.token where secret_hash = $1',
    [Buffer.from(hashSecret(token), 'hex')],
  );
  return rows[0];
}

/**
 * Starts a second API on the same database, with its own connections and caches, as a second API process would be.
 * Returns the API and the list of the SQL statements that it runs.
 */
async function startOther() {
  const statements: string[] = [];
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: database.pool }),
    log: ({ query }) => void statements.push(JSON.stringify(query.sql)),
  });
  const other = await startTestApi({ db, now: () => now });
  return { other, statements };
}

describe('401', () => {
  test('Malformed token format, without looking it up', async () => {
    const { other, statements } = await startOther();
    const { master_token } = account;
    const last = master_token.at(-1) === 'a' ? 'b' : 'a';
    for (const header of [
      `Bearer ${master_token.slice(0, -1)}${last}`,
      `Bearer ${master_token.replace('sk_live_', 'sk_api_')}`,
      `Basic ${master_token}`,
      master_token,
    ]) {
      const headers = { Authorization: header };
      expect(await askJson(other, 'POST /tokens/verify', { headers })).toEqual(
        unauthorized('Malformed token format'),
      );
    }
    expect(statements.filter((statement) => statement.includes('token'))).toEqual([]);
    expect(await usesOf(master_token)).toHaveProperty('usage_count', '0');
  });

  test('Invalid token, for one that nobody has', async () => {
    expect(await verify(createSecret('api'))).toEqual(unauthorized('Invalid token'));
    expect(await verify(createSecret('master'))).toEqual(unauthorized('Invalid token'));
  });

  test('Token expired, from that very moment on, and the use is not counted', async () => {
    const [past, soon] = await Promise.all(
      [1000, 999].map((days_ms) =>
        createApiToken(database.kysely, account.account_id, {
          now: new Date(now.getTime() - 86_400_000 + 1000 - days_ms),
          lifetime_days: 1,
        }),
      ),
    );
    expect(await verify(past!.plaintext)).toEqual(unauthorized('Token expired'));
    expect((await verify(soon!.plaintext)).status).toBe(200);
    expect(await usesOf(past!.plaintext)).toHaveProperty('usage_count', '0');
  });

  test('Token revoked, also where it has expired since, and the use is not counted', async () => {
    const { plaintext, token_ref } = await createApiToken(database.kysely, account.account_id, {
      now: new Date('2026-01-01T00:00:00Z'),
      lifetime_days: 1,
    });
    await database.pool.query(revoke, [token_ref]);
    expect(await verify(plaintext)).toEqual(unauthorized('Token revoked'));
    expect(await usesOf(plaintext)).toHaveProperty('usage_count', '0');
  });
});

describe('a use', () => {
  test('leaves its count, its time and its address', async () => {
    const { master_token } = account;
    for (const [at, [address, ip]] of [
      ['192.0.2.9', '192.0.2.9'],
      ['2001:db8::9', '2001:db8::9'],
      ['::ffff:192.0.2.10', '192.0.2.10'],
      ['fe80::1%eth0', 'fe80::1'],
      // When a proxy sends a client address that is not valid, the address of the proxy itself is stored.
      ['nonsense', '127.0.0.1'],
    ].entries()) {
      expect((await verify(master_token, api, address)).status).toBe(200);
      expect(await usesOf(master_token)).toEqual({
        usage_count: String(at + 1),
        last_used_at: now,
        last_used_ip: ip,
      });
    }
  });

  test('is counted when the operation is refused, since the token was good', async () => {
    const { plaintext } = await createApiToken(database.kysely, account.account_id);
    expect((await askJson(api, 'GET /tokens', { token: plaintext })).status).toBe(403);
    expect(await usesOf(plaintext)).toHaveProperty('usage_count', '1');
  });

  test('is counted once each, of many tokens at once, in two processes', async () => {
    const { other } = await startOther();
    const tokens = await Promise.all(
      Array.from({ length: 20 }, () => createApiToken(database.kysely, account.account_id)),
    );
    await database.pool.query(revoke, [tokens[0]!.token_ref]);
    const uses = Array.from({ length: 600 }, (_, at) =>
      verify(tokens[at % 20]!.plaintext, at % 3 === 0 ? other : api),
    );
    const statuses = (await Promise.all(uses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(570);
    expect(statuses.filter((status) => status === 401)).toHaveLength(30);
    const counts = await Promise.all(tokens.map(({ plaintext }) => usesOf(plaintext, other)));
    expect(counts.map((row) => row?.usage_count)).toEqual([
      '0',
      ...Array.from({ length: 19 }, () => '30'),
    ]);
  });
});

describe('a token that is being revoked', () => {
  test('is let in until it is, and holds up no request', async () => {
    const { plaintext, token_ref } = await createApiToken(database.kysely, account.account_id);
    const release = await hold(database.pool, revoke, [token_ref]);
    expect((await verify(plaintext)).status).toBe(200);
    await release('commit');
    expect(await verify(plaintext)).toEqual(unauthorized('Token revoked'));
    // A request with a token is counted if the token was valid at the time of the request, although the token is
    // revoked by now.
    expect(await usesOf(plaintext)).toHaveProperty('usage_count', '1');
  });

  test('is refused at the next request in another process', async () => {
    const { other } = await startOther();
    const { plaintext, token_ref } = await createApiToken(database.kysely, account.account_id);
    expect((await verify(plaintext, other)).status).toBe(200);
    await askJson(api, `DELETE /tokens/${token_ref}`, { token: account.master_token });
    expect(await verify(plaintext, other)).toEqual(unauthorized('Token revoked'));
  });
});
