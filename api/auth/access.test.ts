import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createApiToken, type TestAccount } from '../../fixtures/client/account.ts';
import { createTokenOwner, start } from '../../fixtures/client/token-owner.ts';

const owner = createTokenOwner();
let stranger: TestAccount;

beforeAll(async () => {
  stranger = await createAccount(owner.database.kysely, { now: start });
});

describe('a token that is not there, or is of another account', () => {
  const routes = [
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', '/rotate'],
  ] as const;

  test.each(routes)('404 byte for byte the same: %s {token_ref}%s', async (method, end) => {
    const foreign = await createApiToken(owner.database.kysely, stranger.account_id);
    const refs = [
      foreign.token_ref,
      stranger.token_ref,
      'AAAAAAAAAAAA',
      'x',
      'aaaaaaaaaaaa',
      '%20',
    ];
    const texts = new Set<string>();
    for (const token_ref of refs) {
      const response = await owner.api.ask(`/api/v1/tokens/${token_ref}${end}`, {
        method,
        ...(method === 'PUT' ? { body: '{"name":"Mine now"}' } : {}),
        headers: {
          Authorization: `Bearer ${owner.account.master_token}`,
          'Content-Type': 'application/json',
        },
      });
      expect([token_ref, response.status]).toEqual([token_ref, 404]);
      texts.add(await response.text());
    }
    expect([...texts]).toEqual(['{"message":"Token not found."}']);
    expect(await owner.rowOf(foreign.token_ref)).toMatchObject({
      name: 'Billing',
      revoked_at: null,
    });
  });

  test('422 for a NUL in the path', async () => {
    expect((await owner.ask('GET /tokens/%00')).status).toBe(422);
  });
});

/** Until a statement waits for a row that another transaction has locked. */
async function waitForLock(): Promise<void> {
  for (;;) {
    const { rows } = await owner.database.pool.query(
      `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
  }
}

describe('a Master Token that a recovery revokes meanwhile', () => {
  test.each(['', '/rotate'])('401 makes no token any more: POST /tokens…%s', async (end) => {
    const { token_ref } = await createApiToken(owner.database.kysely, owner.account.account_id);
    const client = await owner.database.pool.connect();
    const values = [owner.account.account_id];
    await client.query('begin');
    await client.query('select from customer.account where account_id = $1 for update', values);
    const asked =
      end === ''
        ? owner.ask('POST /tokens', { name: 'Billing' })
        : owner.ask(`POST /tokens/${token_ref}/rotate`);
    await waitForLock();
    await client.query(
      `update customer.token set revoked_at = now() where account_id = $1 and kind = 'master'`,
      values,
    );
    await client.query('commit');
    client.release();
    expect(await asked).toEqual({
      status: 401,
      body: { error: 'Token revoked', code: 'UNAUTHORIZED' },
    });
    const { rows } = await owner.database.pool.query(
      `select token_ref, revoked_at from customer.token where account_id = $1 and kind = 'api'`,
      values,
    );
    expect(rows).toEqual([{ token_ref, revoked_at: null }]);
  });
});
