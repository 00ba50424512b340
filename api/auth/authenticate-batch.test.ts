import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Request } from 'express';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { createAuthentication } from './authenticate.ts';
import { createSecret, hashSecret } from './token-secret.ts';

const now = new Date('2026-05-01T10:00:00.750Z');

let database: TestDatabase;
let account_id: string;

beforeAll(async () => {
  database = await createTestDatabase();
  ({ account_id } = await createAccount(database.kysely));
});

afterAll(() => database.drop());

/** The authentication of a process, and the statements that it makes. */
function startAuthentication() {
  const statements: string[] = [];
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: database.pool }),
    log: ({ query }) => void statements.push(JSON.stringify(query.sql)),
  });
  const authentication = createAuthentication({ db, now: () => now });
  const counting = () => statements.filter((text) => text.includes('count_uses')).length;
  return { ...authentication, counting };
}

/** A request that has arrived, as far as a token is concerned. */
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
  test('are let in by one statement', async () => {
    const { authenticate, counting } = startAuthentication();
    const [one, other, unknown] = [await newToken(), await newToken(), createSecret('api')];
    const callers = await Promise.allSettled(
      upTo(99).map((at) => authenticate(requestWith([one, other, unknown][at % 3]!))),
    );
    expect(callers.filter(({ status }) => status === 'fulfilled')).toHaveLength(66);
    expect(counting()).toBe(1);
    expect(await usesOf(one)).toEqual({ usage_count: '33', last_used_ip: '192.0.2.1' });
    expect(await usesOf(other)).toEqual({ usage_count: '33', last_used_ip: '192.0.2.1' });
  });

  test('leave the address of the last one', async () => {
    const { authenticate } = startAuthentication();
    const token = await newToken();
    await Promise.all(upTo(4).map((at) => authenticate(requestWith(token, `192.0.2.${100 + at}`))));
    expect(await usesOf(token)).toEqual({ usage_count: '4', last_used_ip: '192.0.2.104' });
  });
});

describe('a request that the limit refuses', () => {
  test('leaves no use', async () => {
    const { refuseEnded } = startAuthentication();
    const token = await newToken();
    await refuseEnded(requestWith(token));
    expect(await usesOf(token)).toEqual({ usage_count: '0', last_used_ip: null });
  });
});
