import { describe, expect, test } from 'vitest';
import { createTokenOwner, start } from '../../fixtures/client/token-owner.ts';
import { hashSecret } from '../auth/token-secret.ts';

const timestamp = '2026-05-01T10:00:00+00:00';
const warning = 'Store this token now: it will not be shown again.';
const lifetime = 'The expires_in_days field must be a whole number from 1 to 365.';

const ref: unknown = expect.stringMatching(/^[0-9A-Z]{12}$/);
const secret: unknown = expect.stringMatching(/^sk_api_[0-9A-Za-z]{49}$/);

const owner = createTokenOwner();

describe('POST /tokens', () => {
  test('201 shows the secret once; the table has its hash alone', async () => {
    const answer = await owner.ask('POST /tokens', { name: ' Billing ', expires_in_days: 30 });
    expect(answer).toEqual({
      status: 201,
      body: {
        success: true,
        data: {
          token_ref: ref,
          name: 'Billing',
          expires_at: '2026-05-31T10:00:00+00:00',
          is_active: true,
          plaintext: secret,
          warning,
        },
        meta: { timestamp },
      },
    });
    const { token_ref, plaintext } = (
      answer.body as { data: { token_ref: string; plaintext: string } }
    ).data;
    expect(await owner.rowOf(token_ref)).toEqual({
      token_id: expect.any(String),
      token_ref,
      account_id: owner.account.account_id,
      kind: 'api',
      name: 'Billing',
      secret_hash: Buffer.from(hashSecret(plaintext), 'hex'),
      lifetime_days: 30,
      created_at: start,
      expires_at: new Date('2026-05-31T10:00:00.750Z'),
      revoked_at: null,
      last_used_at: null,
      last_used_ip: null,
      usage_count: '0',
    });
    expect(JSON.stringify(owner.api.log)).not.toContain(plaintext);
    expect(JSON.stringify(owner.api.log)).not.toContain(owner.account.master_token);
  });

  test('201 without a lifetime: it never expires', async () => {
    const answer = await owner.ask('POST /tokens', { name: 'Billing' });
    expect(answer).toMatchObject({ status: 201, body: { data: { expires_at: null } } });
  });

  test('201 for the shortest and the longest lifetime', async () => {
    for (const [days, expires_at] of [
      [1, '2026-05-02T10:00:00+00:00'],
      [365, '2027-05-01T10:00:00+00:00'],
    ]) {
      const answer = await owner.ask('POST /tokens', { name: 'Billing', expires_in_days: days });
      expect(answer).toMatchObject({ status: 201, body: { data: { expires_at } } });
    }
  });

  test.each([0, 366, -1, 1.5, '30', null, true, 1e300, [30]])(
    '422 for a lifetime of %j',
    async (expires_in_days) => {
      expect(await owner.ask('POST /tokens', { name: 'Billing', expires_in_days })).toEqual({
        status: 422,
        body: { message: lifetime, errors: { expires_in_days: [lifetime] } },
      });
    },
  );

  test.each([
    [undefined, 'The name field is required.'],
    [7, 'The name field must be a string.'],
    ['ab', 'The name field must be at least 3 characters.'],
    ['a'.repeat(256), 'The name field must not be longer than 255 characters.'],
    ['a\nb\tc', 'The name field must not contain control characters.'],
  ])('422 for the name %j', async (name, message) => {
    expect(await owner.ask('POST /tokens', { name })).toEqual({
      status: 422,
      body: { message, errors: { name: [message] } },
    });
  });

  test('422 for an unknown field, also one that would make another kind', async () => {
    const message = 'The kind field is unknown.';
    expect(await owner.ask('POST /tokens', { name: 'Billing', kind: 'master' })).toEqual({
      status: 422,
      body: { message, errors: { kind: [message] } },
    });
  });
});
