import { describe, expect, test } from 'vitest';
import { askJson, refusal } from '../../fixtures/client/json-client.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { countWaiting, hold } from '../../fixtures/database/locks.ts';
import { createTokenOwner, start } from '../../fixtures/client/token-owner.ts';
import { hashSecret } from '../auth/token-secret.ts';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';

const timestamp = '2026-05-01T10:00:00+00:00';
const warning = 'Store this token now: it will not be shown again.';

const ref: unknown = expect.stringMatching(/^[0-9A-Z]{12}$/);
const secret: unknown = expect.stringMatching(/^sk_api_[0-9A-Za-z]{49}$/);

const owner = await createTokenOwner();

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
    expect(await owner.rowOf(token_ref)).toMatchObject({
      account_id: owner.account.account_id,
      kind: 'api',
      name: 'Billing',
      secret_hash: Buffer.from(hashSecret(plaintext), 'hex'),
      lifetime_days: 30,
      created_at: start,
      expires_at: new Date('2026-05-31T10:00:00.750Z'),
      usage_count: '0',
    });
    const log = JSON.stringify(owner.api.log);
    for (const shown of [plaintext, owner.account.master_token]) expect(log).not.toContain(shown);
  });

  test.each([
    [undefined, null],
    [null, null],
    [1, '2026-05-02T10:00:00+00:00'],
    [365, '2027-05-01T10:00:00+00:00'],
  ])('201 for a lifetime of %j: it expires %j', async (expires_in_days, expires_at) => {
    const answer = await owner.ask('POST /tokens', { name: 'Billing', expires_in_days });
    expect(answer).toMatchObject({ status: 201, body: { data: { expires_at } } });
  });

  test.each([
    [0, 'at least 1'],
    [-1, 'at least 1'],
    [366, 'greater than 365'],
    [1e300, 'greater than 365'],
    [1.5, 'a whole number'],
    ['30', 'a number'],
    ['', 'a number'],
    [true, 'a number'],
    [[30], 'a number'],
  ])('422 for a lifetime of %j, which must be %s', async (expires_in_days, bound) => {
    const refused = await owner.ask('POST /tokens', { name: 'Billing', expires_in_days });
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain(`${bound}."`);
  });

  test.each([
    [undefined, 'The name field is required.'],
    ['ab', 'The name field must be at least 3 characters.'],
    ['a'.repeat(256), 'The name field must not be longer than 255 characters.'],
    ['a\nb\tc', 'The name field must not contain control characters or direction marks.'],
  ])('422 for the name %j', async (name, message) => {
    expect(await owner.ask('POST /tokens', { name })).toEqual(refusal('name', message));
  });

  test('422 for a name with a mark that turns the direction of text, but not for one that joins', async () => {
    const marks = '\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069';
    const askAll = (texts: string[]) =>
      Promise.all(texts.map((text) => owner.ask('POST /tokens', { name: `Bill${text}ing` })));
    const refused = await askAll(Array.from(marks));
    const message = 'The name field must not contain control characters or direction marks.';
    for (const answer of refused) expect(answer).toEqual(refusal('name', message));
    const taken = await askAll(['\u200D', '\u200B', '\u2065', 'שלום']);
    expect(taken.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  });

  test('422 beyond the bound, also at once; of the revoked ones as many are kept', async () => {
    const { kysely: db, pool } = owner.database;
    const api = await startTestApi({ db, now: () => owner.now, TOKENS_PER_ACCOUNT: 3 });
    const token = owner.account.master_token;
    const ask = (route: string) =>
      askJson(api, route, { token, ...(route === 'POST /tokens' && { body: { name: 'Sync' } }) });
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask('POST /tokens')));
    const message =
      'An account has at most 3 tokens that are neither revoked nor expired; revoke one first.';
    const refused = refusal('name', message);
    expect(answers.filter(({ status }) => status !== 201)).toEqual([refused, refused]);
    let [newest] = answers.flatMap(({ body }) =>
      'data' in (body as object) ? (body as { data: { token_ref: string } }).data.token_ref : [],
    );
    const refs = [newest];
    for (let count = 0; count < 5; count += 1) {
      const { body } = await ask(`POST /tokens/${newest}/rotate`);
      newest = (body as { data: { new_token: { token_ref: string } } }).data.new_token.token_ref;
      refs.push(newest);
      owner.now = new Date(owner.now.getTime() + 1000);
    }
    await ask(`DELETE /tokens/${newest}`);
    expect(await ask('POST /tokens')).toMatchObject({ status: 201 });
    const { rows } = await pool.query<{ token_ref: string }>(
      `select token_ref from customer.token
      where account_id = $1 and revoked_at is not null order by token_id`,
      [owner.account.account_id],
    );
    expect(rows.map(({ token_ref }) => token_ref)).toEqual(refs.slice(-3));
  });
});

test.each([
  ['GET', ''],
  ['PUT', ''],
  ['DELETE', ''],
  ['POST', '/rotate'],
])(
  'a token that is not there, or is of another account: 404 byte for byte the same: %s {token_ref}%s',
  async (method, end) => {
    const stranger = await createAccount(owner.database.kysely);
    const foreign = await createApiToken(owner.database.kysely, stranger.account_id);
    const others = ['AAAAAAAAAAAA', 'x', 'aaaaaaaaaaaa', '%20'];
    for (const token_ref of [foreign.token_ref, stranger.token_ref, ...others]) {
      const response = await owner.api.ask(`/api/v1/tokens/${token_ref}${end}`, {
        method,
        ...(method === 'PUT' ? { body: '{"name":"Mine now"}' } : {}),
        headers: {
          Authorization: `Bearer ${owner.account.master_token}`,
          'Content-Type': 'application/json',
        },
      });
      const answered = [token_ref, response.status, await response.text()];
      expect(answered).toEqual([token_ref, 404, '{"message":"Token not found."}']);
    }
    expect(await owner.rowOf(foreign.token_ref)).toMatchObject({
      name: 'Billing',
      revoked_at: null,
    });
  },
);

test.each([
  ['POST /tokens', { name: 'Billing' }],
  ['POST /tokens/{ref}/rotate', undefined],
  ['PATCH /watchlist/alerts', { alert_min_severity: 'high' }],
])(
  'a Master Token that a recovery revokes meanwhile: 401 changes nothing any more: %s',
  async (operation, body) => {
    const { token_ref } = await createApiToken(owner.database.kysely, owner.account.account_id);
    const { pool } = owner.database;
    const values = [owner.account.account_id];
    const revoke = `with locked as (
      select account_id from customer.account where account_id = $1 for update
    )
    update customer.token set revoked_at = now() from locked
    where token.account_id = locked.account_id and kind = 'master'`;
    const release = await hold(pool, revoke, values);
    const asked = owner.ask(operation.replace('{ref}', token_ref), body);
    await expect.poll(() => countWaiting(pool)).toBeGreaterThan(0);
    await release('commit');
    expect(await asked).toEqual({
      status: 401,
      body: { error: 'Token revoked', code: 'UNAUTHORIZED' },
    });
    const { rows } = await pool.query(
      `select token_ref, revoked_at from customer.token where account_id = $1 and kind = 'api'`,
      values,
    );
    expect(rows).toEqual([{ token_ref, revoked_at: null }]);
    expect((await pool.query('select from customer.alert_setting')).rowCount).toBe(0);
  },
);
