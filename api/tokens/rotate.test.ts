import { beforeEach, describe, expect, test } from 'vitest';
import { createApiToken } from '../../fixtures/client/account.ts';
import { askJson, refusal } from '../../fixtures/client/json-client.ts';
import { createTokenOwner, start } from '../../fixtures/client/token-owner.ts';

const later = new Date('2026-05-11T10:00:00.750Z');

const owner = await createTokenOwner();

beforeEach(() => {
  owner.now = later;
});

function createOne(lifetime_days: number | null = null) {
  return createApiToken(owner.database.kysely, owner.account.account_id, {
    now: start,
    lifetime_days,
  });
}

async function apiTokens(): Promise<Record<string, unknown>[]> {
  const { rows } = await owner.database.pool.query<Record<string, unknown>>(
    `select token_ref, name, lifetime_days, created_at, expires_at, revoked_at
    from customer.token where account_id = $1 and kind = 'api' order by token_id`,
    [owner.account.account_id],
  );
  return rows;
}

async function statusOf(token: string): Promise<number> {
  return (await askJson(owner.api, 'POST /tokens/verify', { token })).status;
}

describe('POST /tokens/{token_ref}/rotate', () => {
  test('200 revokes the token and makes one that lives as long from today on', async () => {
    const old = await createOne(30);
    const answer = await owner.ask(`POST /tokens/${old.token_ref}/rotate`);
    expect(answer).toEqual({
      status: 200,
      body: {
        success: true,
        data: {
          old_token: {
            token_ref: old.token_ref,
            name: 'Billing',
            revoked_at: '2026-05-11T10:00:00+00:00',
            is_active: false,
          },
          new_token: {
            token_ref: expect.stringMatching(/^[0-9A-Z]{12}$/),
            name: 'Billing (rotated)',
            expires_at: '2026-06-10T10:00:00+00:00',
            is_active: true,
            plaintext: expect.stringMatching(/^sk_api_[0-9A-Za-z]{49}$/),
            warning: 'Store this token now: it will not be shown again.',
          },
        },
        meta: { timestamp: '2026-05-11T10:00:00+00:00' },
      },
    });
    const { new_token } = (
      answer.body as { data: { new_token: { token_ref: string; plaintext: string } } }
    ).data;
    expect(await statusOf(old.plaintext)).toBe(401);
    expect(await statusOf(new_token.plaintext)).toBe(200);
    expect(await apiTokens()).toEqual([
      {
        token_ref: old.token_ref,
        name: 'Billing',
        lifetime_days: 30,
        created_at: start,
        expires_at: new Date('2026-05-31T10:00:00.750Z'),
        revoked_at: later,
      },
      {
        token_ref: new_token.token_ref,
        name: 'Billing (rotated)',
        lifetime_days: 30,
        created_at: later,
        expires_at: new Date('2026-06-10T10:00:00.750Z'),
        revoked_at: null,
      },
    ]);
  });

  test('200 never expires when the old one did not, and cuts a long name between two characters', async () => {
    const { token_ref } = await createOne();
    await owner.ask(`PUT /tokens/${token_ref}`, { name: '🦆'.repeat(255) });
    const answer = await owner.ask(`POST /tokens/${token_ref}/rotate`);
    const new_token = { name: `${'🦆'.repeat(245)} (rotated)`, expires_at: null };
    expect(answer).toMatchObject({ status: 200, body: { data: { new_token } } });
  });

  test('422 for a token that is revoked', async () => {
    const { token_ref } = await createOne();
    await owner.ask(`DELETE /tokens/${token_ref}`);
    const refused = refusal('token_ref', 'The token is revoked and cannot be rotated.');
    expect(await owner.ask(`POST /tokens/${token_ref}/rotate`)).toEqual(refused);
    expect(await apiTokens()).toHaveLength(1);
  });

  test('422 for a token that has expired, from that very moment on', async () => {
    const { token_ref } = await createOne(10);
    const refused = refusal('token_ref', 'The token is expired and cannot be rotated.');
    expect(await owner.ask(`POST /tokens/${token_ref}/rotate`)).toEqual(refused);
    owner.now = new Date(later.getTime() - 1);
    expect((await owner.ask(`POST /tokens/${token_ref}/rotate`)).status).toBe(200);
  });

  test('422 for the Master Token', async () => {
    expect(await owner.ask(`POST /tokens/${owner.account.token_ref}/rotate`)).toEqual(
      refusal('token_ref', 'The Master Token cannot be rotated; account recovery replaces it.'),
    );
    expect(await statusOf(owner.account.master_token)).toBe(200);
  });
});

describe('rotate, revoke and rename at once', () => {
  test('one of ten rotations wins', async () => {
    const { token_ref } = await createOne(30);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => owner.ask(`POST /tokens/${token_ref}/rotate`)),
    );
    const refused = refusal('token_ref', 'The token is revoked and cannot be rotated.');
    expect(answers.filter(({ status }) => status !== 200)).toEqual(Array(9).fill(refused));
    expect(await apiTokens()).toHaveLength(2);
  });

  test('ends in a token that is revoked, and at most one that replaces it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { token_ref, plaintext } = await createOne(30);
      const before = (await apiTokens()).length;
      const [rotation, ...others] = await Promise.all([
        owner.ask(`POST /tokens/${token_ref}/rotate`),
        owner.ask(`DELETE /tokens/${token_ref}`),
        owner.ask(`PUT /tokens/${token_ref}`, { name: 'Renamed' }),
        owner.ask(`DELETE /tokens/${token_ref}`),
      ]);
      expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect([200, 422]).toContain(rotation.status);
      expect((await apiTokens()).length - before).toBe(rotation.status === 200 ? 1 : 0);
      expect(await statusOf(plaintext)).toBe(401);
      const [old] = (await apiTokens()).filter((token) => token.token_ref === token_ref);
      expect(old).toMatchObject({ name: 'Renamed', revoked_at: later });
    }
  });
});
