import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { describe, expect, test } from 'vitest';
import { type Answer, askJson, refusal } from '../../fixtures/client/json-client.ts';
import { readMailedToken, secretKey } from '../../fixtures/client/mailed-token.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import type { OneTimeTokenClaims } from '../../sql/secrets/signed-token.ts';
import { createRef, hashSecret } from '../auth/token-secret.ts';
import { issueOneTimeToken } from './one-time-token.ts';

const start = new Date('2026-05-01T10:00:00.750Z');
const initialized =
  'The account is initialized. Store the Master Token now: it will not be shown again.';
const failure = refusal('token', 'The token is invalid, has expired or was already used.');

let now = start;
let count = 0;

const { database, api } = await useApi({ now: () => now, secretKey });

const password = 'correct horse';

/** Registers an account over HTTP, which includes the slow hashing of the password. */
function register(email: string): Promise<Answer> {
  const body = { email, name: 'Anna Nowak', password, password_confirmation: password };
  return askJson(api, 'POST /auth/register', { body });
}

/** Creates an account that is not yet initialized. Returns the account and the token that was mailed to its address. */
async function createWaiting(email = `anna${(count += 1)}@firma.pl`, created_at = start) {
  now = created_at;
  const user_ref = createRef();
  await database.kysely.transaction().execute(async (tx) => {
    const { account_id } = await tx
      .insertInto('customer.account')
      .values({ user_ref, email, name: 'Anna Nowak', password_hash: '-', created_at })
      .returning('account_id')
      .executeTakeFirstOrThrow();
    const token = { account_id, purpose: 'init', now: created_at } as const;
    await issueOneTimeToken(tx, token, { recipient: email });
  });
  return { email, user_ref, token: await readMailedToken(database.kysely, email) };
}

function init(token: unknown): Promise<Answer> {
  return askJson(api, 'POST /auth/init', { body: { token } });
}

async function rowsOf(user_ref: string) {
  const query = async (text: string) => (await database.pool.query(text, [user_ref])).rows;
  return {
    accounts: await query('select initialized_at from customer.account where user_ref = $1'),
    tokens: await query(
      `select token_ref, kind, token.name, encode(secret_hash, 'hex') as hash,
          token.created_at, expires_at, usage_count
      from customer.token join customer.account using (account_id) where user_ref = $1`,
    ),
    transactions: await query(
      `select type, amount, balance_after, description, wallet_transaction.created_at
      from customer.wallet_transaction join customer.account using (account_id)
      where user_ref = $1`,
    ),
    wallets: await query(
      `select balance, total_purchased
      from customer.wallet join customer.account using (account_id) where user_ref = $1`,
    ),
  };
}

describe('POST /auth/init', () => {
  test('200 shows the Master Token once and adds the welcome bonus', async () => {
    const { email, user_ref, token } = await createWaiting();
    const { status, body } = await init(token);
    expect(status).toBe(200);
    expect(body).toEqual({
      user_ref,
      email,
      master_token: expect.stringMatching(/^sk_live_[0-9A-Za-z]{49}$/),
      token_ref: expect.stringMatching(/^[0-9A-Z]{12}$/),
      message: initialized,
    });

    const { master_token, token_ref } = body as { master_token: string; token_ref: string };
    expect(await rowsOf(user_ref)).toEqual({
      accounts: [{ initialized_at: start }],
      tokens: [
        {
          token_ref,
          kind: 'master',
          name: 'Master Token',
          hash: hashSecret(master_token),
          created_at: start,
          expires_at: null,
          usage_count: '0',
        },
      ],
      transactions: [
        {
          type: 'start',
          amount: '200',
          balance_after: '200',
          description: 'Welcome bonus',
          created_at: start,
        },
      ],
      wallets: [{ balance: '200', total_purchased: '0' }],
    });
    const verified = await askJson(api, 'POST /tokens/verify', { token: master_token });
    expect(verified).toMatchObject({ status: 200, body: { data: { token_ref, user_ref } } });
  });

  test('200 adds the welcome bonus once per mailbox', async () => {
    const first = await createWaiting('jan@one.example');
    const tagged = await createWaiting('Jan+again@one.example');
    expect((await init(first.token)).body).toMatchObject({ message: initialized });
    const { status, body } = await init(tagged.token);
    expect([status, body]).toMatchObject([
      200,
      {
        user_ref: tagged.user_ref,
        message: `${initialized} No welcome bonus was added: the mailbox has had one, or its domain has had all of the day.`,
      },
    ]);
    expect((await rowsOf(tagged.user_ref)).transactions).toEqual([]);
    const { master_token: token } = body as { master_token: string };
    expect(await askJson(api, 'GET /wallet', { token })).toMatchObject({
      status: 200,
      body: { data: { balance: 0 } },
    });
  });

  test('200 adds at most 20 welcome bonuses a day to the accounts of a registered domain', async () => {
    const accounts = await Promise.all(
      Array.from({ length: 22 }, (_, at) => createWaiting(`anna@branch${at}.many.example`)),
    );
    await Promise.all(accounts.map(({ token }) => init(token)));
    const bonuses = await Promise.all(
      accounts.map(async ({ user_ref }) => (await rowsOf(user_ref)).transactions.length),
    );
    expect(bonuses.filter((number) => number === 1)).toHaveLength(20);
    const later = await createWaiting('anna@later.many.example', new Date('2026-05-02T10:00:01Z'));
    await init(later.token);
    expect((await rowsOf(later.user_ref)).transactions).toHaveLength(1);
  });

  test('200 in the last second of 24 hours, 422 after it', async () => {
    const [early, late] = [await createWaiting(), await createWaiting()];
    now = new Date('2026-05-02T09:59:59.999Z');
    expect((await init(early.token)).status).toBe(200);
    now = new Date('2026-05-02T10:00:00.000Z');
    expect(await init(late.token)).toEqual(failure);
    expect((await rowsOf(late.user_ref)).tokens).toEqual([]);
  });

  test('200 once for 50 requests at once: one Master Token and one bonus', async () => {
    const { user_ref, token } = await createWaiting();
    const answers = await Promise.all(Array.from({ length: 50 }, () => init(token)));
    expect(answers.filter(({ status }) => status !== 200)).toEqual(Array(49).fill(failure));
    expect(await rowsOf(user_ref)).toMatchObject({
      tokens: [{}],
      transactions: [{}],
      wallets: [{ balance: '200', total_purchased: '0' }],
    });
  });

  test('no 5xx when an address is registered again while it is initialized', async () => {
    const { email, user_ref, token } = await createWaiting();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? init(token) : register(email))),
    );
    expect(answers.filter(({ status }) => ![200, 201, 422].includes(status))).toEqual([]);
    expect((await rowsOf(user_ref)).tokens.length).toBeLessThanOrEqual(1);
  });

  test('422 for a token that a later registration has replaced, or that was used', async () => {
    const { email, token } = await createWaiting();
    expect((await register(email)).status).toBe(201);
    const fresh = await readMailedToken(database.kysely, email);
    expect(await init(token)).toEqual(failure);
    expect((await init(fresh)).status).toBe(200);
    expect(await init(fresh)).toEqual(failure);
  });

  test('422 for a forged token', async () => {
    const { token, user_ref } = await createWaiting();
    const { user_ref: otherRef } = await createWaiting();
    const claims = jwt.decode(token) as unknown as OneTimeTokenClaims;
    const [head, payload, signature] = token.split('.') as [string, string, string];
    const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const sign = (change: object, options: jwt.SignOptions = {}) =>
      jwt.sign({ ...claims, ...change }, secretKey, options);
    const { purpose: _purpose, ...withoutPurpose } = claims;
    const { exp: _exp, ...withoutEnd } = claims;
    const forged = [
      jwt.sign(claims, 'the key of somebody else who signs tokens too'),
      sign({}, { algorithm: 'HS512' }),
      sign({ purpose: 'recover' }),
      jwt.sign(withoutPurpose, secretKey),
      sign({ sub: otherRef }),
      sign({ jti: randomUUID() }),
      sign({ jti: "' or true --" }),
      sign({ exp: claims.iat }),
      jwt.sign(withoutEnd, secretKey),
      sign({ admin: true }),
      `${unsigned}.${payload}.`,
      `${unsigned}.${payload}.${signature}`,
      `${head}.${payload}.`,
      `${head}.${payload}`,
      `${head}.${payload}.${signature.slice(1)}`,
      `${token}x`,
      ` ${token}`,
      `${head}.${Buffer.from('null').toString('base64url')}.${signature}`,
      '',
      '..',
      'sk_live_x',
      'a'.repeat(16_000),
    ];
    for (const [at, wrong] of forged.entries()) {
      expect([at, await init(wrong)]).toEqual([at, failure]);
    }
    expect((await rowsOf(user_ref)).accounts).toEqual([{ initialized_at: null }]);
    expect((await init(token)).status).toBe(200);
  });

  test.each([
    [{}, 'token', 'The token field is required.'],
    [{ token: ['x'] }, 'token', 'The token field must be a string.'],
    [{ token: 'a\0b' }, 'token', 'The token field must not contain a NUL character.'],
    [{ token: 'x', user_ref: 'A' }, 'user_ref', 'The user_ref field is unknown.'],
  ])('422 for a wrong body: %j', async (body, field, message) => {
    expect(await askJson(api, 'POST /auth/init', { body })).toEqual(refusal(field, message));
  });
});
