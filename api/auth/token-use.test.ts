import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Request } from 'express';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/account.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/test-database.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { createAuthentication } from './authenticate.ts';
import { generalLimit } from './rate-limit.ts';
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
    log: ({ query }) => void statements.push(query.sql),
  });
  const authentication = createAuthentication({ db, now: () => now });
  const counting = () => statements.filter((text) => text.includes('usage_count')).length;
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

/** As a request goes: counted first, then let in when it is within the limit. */
async function admit(
  { countRequest, authenticate }: ReturnType<typeof startAuthentication>,
  requests: Request[],
) {
  const counts = await Promise.all(requests.map(async (request) => countRequest(request)));
  const hits = counts.map((count) => count!.totalHits);
  const within = requests.filter((_, at) => hits[at]! <= generalLimit.request_count);
  const callers = await Promise.allSettled(within.map((request) => authenticate(request)));
  return { hits, callers };
}

const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

describe('requests of the same moment', () => {
  it('are counted and let in by one statement', async () => {
    const authentication = startAuthentication();
    const [one, other, nobodys] = [await newToken(), await newToken(), createSecret('api')];
    const { hits, callers } = await admit(
      authentication,
      upTo(99).map((at) => requestWith([one, other, nobodys][at % 3]!)),
    );
    expect(hits.toSorted((a, b) => a - b)).toEqual(upTo(33).flatMap((at) => [at, at, at]));
    expect(callers.filter(({ status }) => status === 'fulfilled')).toHaveLength(66);
    expect(authentication.counting()).toBe(1);
    expect(await usesOf(one)).toEqual({ usage_count: '33', last_used_ip: '192.0.2.1' });
    expect(await usesOf(other)).toEqual({ usage_count: '33', last_used_ip: '192.0.2.1' });
  });

  it('leave the address of the last one that was within the limit', async () => {
    const authentication = startAuthentication();
    const token = await newToken();
    await admit(
      authentication,
      upTo(178).map(() => requestWith(token)),
    );
    const { hits, callers } = await admit(
      authentication,
      upTo(4).map((at) => requestWith(token, `192.0.2.${100 + at}`)),
    );
    expect(hits).toEqual([179, 180, 181, 182]);
    expect(callers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await usesOf(token)).toEqual({ usage_count: '180', last_used_ip: '192.0.2.102' });
    await admit(authentication, [requestWith(token)]);
    expect(await usesOf(token)).toEqual({ usage_count: '180', last_used_ip: '192.0.2.102' });
  });

  it('share a statement also where another limit has counted them', async () => {
    const { authenticate, counting } = startAuthentication();
    const token = await newToken();
    await Promise.all(upTo(50).map(() => authenticate(requestWith(token))));
    expect(counting()).toBe(1);
    expect(await usesOf(token)).toMatchObject({ usage_count: '50' });
  });
});
