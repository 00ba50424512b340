import { describe, expect, test } from 'vitest';
import { refusal } from '../../fixtures/client/json-client.ts';
import { createTokenOwner, start } from '../../fixtures/client/token-owner.ts';

const timestamp = '2026-05-01T10:00:00+00:00';

const owner = await createTokenOwner();

async function make(body: object): Promise<{ token_ref: string; plaintext: string }> {
  const answer = await owner.ask('POST /tokens', body);
  expect(answer.status).toBe(201);
  return (answer.body as { data: { token_ref: string; plaintext: string } }).data;
}

const fresh = { last_used_at: null, last_used_ip: null, usage_count: 0, revoked_at: null };

describe('GET /tokens', () => {
  test('200 lists all of the account, the newest first, without secrets', async () => {
    const first = await make({ name: 'First one', expires_in_days: 1 });
    const second = await make({ name: 'Second' });
    expect((await owner.ask(`DELETE /tokens/${second.token_ref}`)).status).toBe(200);
    owner.now = new Date('2026-06-01T12:00:00Z');
    const [expires_at, last_used_at] = ['2026-05-02T10:00:00+00:00', '2026-06-01T12:00:00+00:00'];
    const { token_ref } = owner.account;
    expect(await owner.ask('GET /tokens')).toMatchObject({
      status: 200,
      body: {
        success: true,
        data: [
          { ...fresh, token_ref: second.token_ref, is_active: false, revoked_at: timestamp },
          // The token is expired, but not revoked.
          { ...fresh, token_ref: first.token_ref, expires_at, is_active: true },
          // The `usage_count` of 4 includes this request.
          {
            token_ref,
            name: 'Master Token',
            last_used_at,
            last_used_ip: '192.0.2.7',
            usage_count: 4,
          },
        ],
        meta: { total: 3, per_page: 100, current_page: 1, last_page: 1, timestamp: last_used_at },
      },
    });
  });

  test('200 has pages', async () => {
    const refs = [owner.account.token_ref];
    for (const name of ['First', 'Second']) refs.unshift((await make({ name })).token_ref);
    const read = async (query: string) => {
      const { body } = await owner.ask(`GET /tokens?${query}`);
      const { data, meta } = body as { data: { token_ref: string }[]; meta: object };
      return { refs: data.map(({ token_ref }) => token_ref), meta };
    };
    const meta = { total: 3, per_page: 2, last_page: 2, timestamp };
    expect(await read('per_page=2')).toEqual({
      refs: refs.slice(0, 2),
      meta: { ...meta, current_page: 1 },
    });
    expect(await read('per_page=2&page=2')).toEqual({
      refs: refs.slice(2),
      meta: { ...meta, current_page: 2 },
    });
    expect((await read('page=2')).refs).toEqual([]);
    expect((await owner.ask('GET /tokens?per_page=101')).status).toBe(422);
  });
});

test('GET /tokens/{token_ref} 200 has the metadata of one token', async () => {
  const { token_ref } = await make({ name: 'Billing', expires_in_days: 30 });
  expect(await owner.ask(`GET /tokens/${token_ref}`)).toEqual({
    status: 200,
    body: {
      success: true,
      data: {
        ...fresh,
        token_ref,
        name: 'Billing',
        expires_at: '2026-05-31T10:00:00+00:00',
        is_active: true,
        created_at: timestamp,
      },
      meta: { timestamp },
    },
  });
});

describe('PUT /tokens/{token_ref}', () => {
  test('200 renames a token, the Master Token too', async () => {
    const { token_ref } = await make({ name: 'Billing' });
    const answer = await owner.ask(`PUT /tokens/${token_ref}`, { name: 'Invoices' });
    const data = { ...fresh, token_ref, name: 'Invoices', created_at: timestamp };
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, data, meta: { timestamp } },
    });
    expect(await owner.rowOf(token_ref)).toHaveProperty('name', 'Invoices');
    const master = await owner.ask(`PUT /tokens/${owner.account.token_ref}`, { name: 'Mine' });
    expect(master).toMatchObject({ status: 200, body: { data: { name: 'Mine' } } });
  });

  test('422 with more than a name', async () => {
    const { token_ref } = await make({ name: 'Billing' });
    const body = { name: 'Other', expires_in_days: 365 };
    const unknown = 'The expires_in_days field is unknown.';
    expect(await owner.ask(`PUT /tokens/${token_ref}`, body)).toEqual(
      refusal('expires_in_days', unknown),
    );
    expect(await owner.rowOf(token_ref)).toHaveProperty('name', 'Billing');
  });
});

describe('DELETE /tokens/{token_ref}', () => {
  test('200 revokes a token for good; the next request with it gets a 401', async () => {
    const { token_ref, plaintext } = await make({ name: 'Billing' });
    expect((await owner.ask('POST /tokens/verify', undefined, plaintext)).status).toBe(200);
    const revoked = {
      success: true,
      message: 'The token is revoked.',
      meta: { revoked_at: timestamp },
    };
    expect(await owner.ask(`DELETE /tokens/${token_ref}`)).toEqual({ status: 200, body: revoked });
    expect(await owner.ask('POST /tokens/verify', undefined, plaintext)).toEqual({
      status: 401,
      body: { error: 'Token revoked', code: 'UNAUTHORIZED' },
    });

    owner.now = new Date('2026-05-09T10:00:00Z');
    expect(await owner.ask(`DELETE /tokens/${token_ref}`)).toEqual({ status: 200, body: revoked });
    // The use of a token is stored shortly after the answer, so the test polls.
    await expect
      .poll(() => owner.rowOf(token_ref))
      .toMatchObject({ revoked_at: start, usage_count: '1' });
  });

  test('422 for the Master Token', async () => {
    const refused = 'The Master Token cannot be revoked; account recovery replaces it.';
    expect(await owner.ask(`DELETE /tokens/${owner.account.token_ref}`)).toEqual(
      refusal('token_ref', refused),
    );
    expect(await owner.rowOf(owner.account.token_ref)).toHaveProperty('revoked_at', null);
  });
});

test('POST /tokens/verify 200 for an API token, with its last use before this one', async () => {
  const { token_ref, plaintext } = await make({ name: 'Billing', expires_in_days: 30 });
  const data = {
    valid: true,
    token_ref,
    token_name: 'Billing',
    user_ref: owner.account.user_ref,
    user_name: owner.account.name,
    expires_at: '2026-05-31T10:00:00+00:00',
    is_active: true,
    last_used_at: null,
  };
  expect(await owner.ask('POST /tokens/verify', undefined, plaintext)).toEqual({
    status: 200,
    body: { success: true, data, meta: { timestamp } },
  });
  owner.now = new Date('2026-05-02T10:00:00Z');
  expect(await owner.ask('POST /tokens/verify', {}, plaintext)).toEqual({
    status: 200,
    body: {
      success: true,
      data: { ...data, last_used_at: timestamp },
      meta: { timestamp: '2026-05-02T10:00:00+00:00' },
    },
  });
});
