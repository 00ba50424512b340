import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Request } from 'express';
import { Kysely, PostgresDialect } from 'kysely';
import { describe, expect, test, onTestFinished } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { startDatabaseProxy } from '../../fixtures/database/database-proxy.ts';
import { hold } from '../../fixtures/database/locks.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { connect } from '../../sql/connection/database.ts';
import { openKysely } from '../../sql/connection/kysely.ts';
import { onlyWriter } from '../../sql/connection/readers.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { createAuthentication } from './authenticate.ts';
import { createUses } from './token-uses.ts';
import { createSecret, hashSecret } from './token-secret.ts';

const now = new Date('2026-05-01T10:00:00.750Z');

const database = await createTestDatabase();
const { account_id } = await createAccount(database.kysely);

/** Creates an instance of token authentication that records the SQL statements which it runs. */
function startAuthentication() {
  const statements: string[] = [];
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: database.pool }),
    log: ({ query }) => void statements.push(JSON.stringify(query.sql)),
  });
  const uses = createUses(db);
  const options = { gate: db, readers: onlyWriter(db), uses, now: () => now };
  const count = (name: string) => statements.filter((text) => text.includes(name)).length;
  const { find, admit } = createAuthentication(options);
  const authenticate = async (request: Request) => admit(request, await find(request));
  return { find, authenticate, uses, count };
}

/**
 * Returns an HTTP request that has only what authentication reads: the `Authorization` header and the client address.
 */
function requestWith(token: string, ip = '192.0.2.1'): Request {
  const headers = { authorization: `Bearer ${token}` };
  return Object.assign(new IncomingMessage(new Socket()), { headers, ip }) as unknown as Request;
}

async function newToken(): Promise<string> {
  return (await createApiToken(database.kysely, account_id, { now })).plaintext;
}

async function usesOf(token: string) {
  const { rows } = await database.pool.query<{ usage_count: string; last_used_ip: string }>(
    'select usage_count, last_used_ip from customer.token where secret_hash = $1',
    [Buffer.from(hashSecret(token), 'hex')],
  );
  return rows[0];
}

const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

describe('requests of the same moment', () => {
  test('are let in by one statement, and counted by one more', async () => {
    const { authenticate, uses, count } = startAuthentication();
    const [one, other, unknown] = [await newToken(), await newToken(), createSecret('api')];
    const callers = await Promise.allSettled(
      upTo(99).map((at) => authenticate(requestWith([one, other, unknown][at % 3]!))),
    );
    expect(callers.filter(({ status }) => status === 'fulfilled')).toHaveLength(66);
    expect(count('find_tokens')).toBe(1);
    expect(count('count_token_uses')).toBe(0);
    await expect.poll(() => count('count_token_uses')).toBe(1);
    await uses.flush();
    expect(count('count_token_uses')).toBe(1);
    expect(await usesOf(one)).toEqual({ usage_count: '33', last_used_ip: '192.0.2.1' });
    expect(await usesOf(other)).toEqual({ usage_count: '33', last_used_ip: '192.0.2.1' });
  });

  test('leave the address of the last one', async () => {
    const { authenticate, uses } = startAuthentication();
    const token = await newToken();
    await Promise.all(upTo(4).map((at) => authenticate(requestWith(token, `192.0.2.${100 + at}`))));
    await uses.flush();
    expect(await usesOf(token)).toEqual({ usage_count: '4', last_used_ip: '192.0.2.104' });
  });
});

test('a request that the limit refuses leaves no use', async () => {
  const { find, uses } = startAuthentication();
  const token = await newToken();
  await find(requestWith(token));
  await uses.flush();
  expect(await usesOf(token)).toEqual({ usage_count: '0', last_used_ip: null });
});

describe('a use', () => {
  const ip = '192.0.2.1';

  test('of a token that is locked waits, and holds up no other', async () => {
    const uses = createUses(database.kysely, 20);
    const [locked, free] = [await newToken(), await newToken()];
    const update = `update customer.token set name = 'held' where secret_hash = $1`;
    const release = await hold(database.pool, update, [Buffer.from(hashSecret(locked), 'hex')]);
    for (const token of [locked, free, locked]) uses.count(hashSecret(token), now, ip);
    await uses.flush();
    expect(await usesOf(locked)).toEqual({ usage_count: '0', last_used_ip: null });
    expect(await usesOf(free)).toEqual({ usage_count: '1', last_used_ip: ip });
    await release('commit');
    await expect.poll(() => usesOf(locked)).toEqual({ usage_count: '2', last_used_ip: ip });
  });

  test('waits while the writer is away, and is counted once', async () => {
    const proxy = await startDatabaseProxy(database.url);
    const far = await connect({ DATABASE_URL: proxy.url, DATA_DIR: '', applicationName: 'far' });
    onTestFinished(() => far.close());
    const uses = createUses(openKysely(far.pool), 20);
    const token = await newToken();
    await proxy.cut();
    // Waits until the connection pool has noticed that its session was cut.
    await expect.poll(() => far.pool.totalCount).toBe(0);
    for (const _ of upTo(3)) {
      uses.count(hashSecret(token), now, ip);
      await uses.flush();
    }
    expect(await usesOf(token)).toEqual({ usage_count: '0', last_used_ip: null });
    await proxy.mend();
    await expect.poll(() => usesOf(token)).toEqual({ usage_count: '3', last_used_ip: ip });
    await uses.flush();
    expect(await usesOf(token)).toEqual({ usage_count: '3', last_used_ip: ip });
  });
});
