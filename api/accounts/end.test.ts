import { describe, expect, test } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { askJson, refusal } from '../../fixtures/client/json-client.ts';
import { readMailedToken, secretKey } from '../../fixtures/client/mailed-token.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { countWaiting, hold } from '../../fixtures/database/locks.ts';
import { findClearText } from '../../fixtures/registry/clear-text.ts';
import { readEnvironment } from '../../pipeline/environment.ts';
import { applyRetention } from '../../pipeline/worker/retention.ts';

const password = 'correct horse battery';
const registration = {
  name: 'Zuzanna Niezapominajka',
  email: 'zuzanna+registry@niezapominajka.example',
  password,
  password_confirmation: password,
};
let now = new Date('2026-05-01T10:00:00Z');

const { database: db, api } = await useApi({ secretKey, now: () => now });

let token: string;

/**
 * Registers and initializes an account, and stores its Master Token in `token`. Returns the message about the bonus
 * from the answer of `POST /auth/init`.
 */
async function open(): Promise<string> {
  await askJson(api, 'POST /auth/register', { body: registration });
  const mailed = await readMailedToken(db.kysely, registration.email);
  const { body } = await askJson(api, 'POST /auth/init', { body: { token: mailed } });
  const { master_token, message } = body as { master_token: string; message: string };
  token = master_token;
  return message;
}

async function findAccount(): Promise<string> {
  const { rows } = await db.pool.query<{ account_id: string }>(
    'select account_id from customer.account where name = $1',
    [registration.name],
  );
  return rows[0]!.account_id;
}

function end(wanted = password) {
  return askJson(api, 'DELETE /account', { token, body: { password: wanted } });
}

/** Deletes expired personal data, as the worker does every hour. */
function retain() {
  return applyRetention(db.pool, readEnvironment({ DATA_DIR: '/nowhere' }), now);
}

describe('DELETE /account', () => {
  test('422 with a wrong password and 403 with an API token end nothing', async () => {
    await open();
    expect(await end('wrong')).toEqual(refusal('password', 'The password is wrong.'));
    const { plaintext } = await createApiToken(db.kysely, await findAccount());
    const other = { token: plaintext, body: { password } };
    expect((await askJson(api, 'DELETE /account', other)).status).toBe(403);
    expect((await askJson(api, 'GET /account', { token })).status).toBe(200);
  });

  test('200 leaves a ledger without a person, and no neighbour loses anything', async () => {
    const neighbour = await createAccount(db.kysely);
    const account_id = await findAccount();
    const { plaintext } = await createApiToken(db.kysely, account_id);
    await db.pool.query(
      `insert into customer.feed values ($1, 1, 1, '2026-05-01', 'COMPANY_CLOSED_DATE'),
         ($2, 1, 1, '2026-05-01', 'COMPANY_CLOSED_DATE')`,
      [account_id, neighbour.account_id],
    );
    const webhook = { url: 'https://zuzanna.example/hook' };
    const { status } = await askJson(api, 'POST /webhooks', { token, body: webhook });
    expect(status).toBe(201);
    await db.pool.query(
      `insert into customer.webhook_delivery (webhook_id, message_id, kind, previous_event_id,
         event_id, event_count, attempt_no, started_at, duration_ms, response)
       select webhook_id, 'msg_1', 'test', 0, 0, 0, 1, now(), 1, 'zuzanna' from customer.webhook`,
    );
    expect(await findClearText(db, '', ['niezapominajka'])).not.toEqual([]);
    const message: unknown = expect.stringContaining('forfeited');
    const body = { success: true, message, forfeited_credits: 200 };
    expect(await end()).toEqual({ status: 200, body });
    for (const ended of [token, plaintext]) {
      expect((await askJson(api, 'GET /account', { token: ended })).status).toBe(401);
    }
    const still = await askJson(api, 'GET /account', { token: neighbour.master_token });
    expect(still.status).toBe(200);
    expect(await findClearText(db, '', ['niezapominajka', 'zuzanna'])).toEqual([]);
    await retain();
    const kept = `select account_id::text, (select count(*)::int from customer.wallet_transaction
        where wallet_transaction.account_id = account.account_id) as transaction_count,
        (select count(*)::int from customer.feed where feed.account_id = account.account_id) as feed_count
      from customer.account order by account.account_id`;
    expect((await db.pool.query(kept)).rows).toEqual([
      { account_id, transaction_count: 1, feed_count: 0 },
      { account_id: neighbour.account_id, transaction_count: 1, feed_count: 1 },
    ]);
  });

  test('201 registers the address again, without a second welcome bonus', async () => {
    expect(await open()).toContain('No welcome bonus');
    expect(await end()).toMatchObject({ status: 200, body: { forfeited_credits: 0 } });
  });

  test('the ledger goes when the period of tax law is over, and no other one', async () => {
    now = new Date(now.getTime() + 2191 * 86_400_000);
    await retain();
    const { rows } = await db.pool.query<{ name: string }>(
      'select name from customer.account join customer.wallet_transaction using (account_id)',
    );
    expect(rows).toEqual([{ name: 'Anna Nowak' }]);
    expect((await db.pool.query('select from customer.account')).rowCount).toBe(1);
    await expect(db.pool.query('delete from customer.wallet_transaction')).rejects.toThrow(
      'append-only',
    );
  });

  test('a submission that waited for the end brings no row back', async () => {
    const { account_id, master_token } = await createAccount(db.kysely);
    const ending = `select customer.end_account($1, 'hmac:1', 'hmac:2', now())`;
    const release = await hold(db.pool, ending, [account_id]);
    const added = askJson(api, 'POST /companies/add', {
      token: master_token,
      body: { identifier_type: 'KRS', identifier_value: ['0000000017'] },
    });
    await expect.poll(() => countWaiting(db.pool)).toBe(1);
    await release('commit');
    expect((await added).status).toBe(401);
    expect((await db.pool.query('select from customer.watch')).rowCount).toBe(0);
  });

  test('a recovery that waited for the end sends no mail, and leaves nothing', async () => {
    const { account_id, email } = await createAccount(db.kysely);
    const ending = `select customer.end_account($1, 'hmac:1', 'hmac:2', now())`;
    const release = await hold(db.pool, ending, [account_id]);
    const body = { email, password: 'chosen anew' };
    const recovered = askJson(api, 'POST /auth/recover', { body });
    await expect.poll(() => countWaiting(db.pool)).toBe(1);
    await release('commit');
    expect((await recovered).status).toBe(200);
    for (const table of ['mail', 'one_time_token']) {
      const left = `select from customer.${table} where account_id = $1`;
      expect((await db.pool.query(left, [account_id])).rowCount).toBe(0);
    }
  });

  test('429 after five passwords in an hour, for this account only', async () => {
    ({ master_token: token } = await createAccount(db.kysely));
    for (let at = 0; at < 5; at += 1) expect((await end(`guess ${at}`)).status).toBe(422);
    expect((await end('guess')).status).toBe(429);
    expect((await askJson(api, 'GET /account', { token })).status).toBe(200);
    ({ master_token: token } = await createAccount(db.kysely));
    expect((await end('guess')).status).toBe(422);
  });
});
