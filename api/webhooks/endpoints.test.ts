import { describe, expect, test } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { askJson, refusal, refusals } from '../../fixtures/client/json-client.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { findClearText } from '../../fixtures/registry/clear-text.ts';
import { writeCursor } from '../../sql/feed-cursor.ts';
import { listSecrets } from '../../sql/webhook/secret.ts';

const now = new Date('2026-11-27T10:00:00Z');
const secretKey = 'a key that only tests derive secrets of webhooks from';
const { database: db, api } = await useApi({ now: () => now, secretKey });
await db.pool.query(`
  insert into registry.publication (snapshot_no, change_no) values (7, 7);
  insert into registry.event_range values (5, 101, 140, 'PL'), (6, 11, 20, 'FR'), (7, 141, 150, 'PL');
`);

interface Webhook extends Record<string, unknown> {
  webhook_ref: string;
  secret: string;
}

// The webhook's URL has an IP address, so that the test needs no name server.
const url = 'https://8.8.8.8/hook?key=1';

/** Creates an account that sends requests to the API; `make` registers a webhook of the account. */
async function createOwner() {
  const { account_id, master_token } = await createAccount(db.kysely);
  const { plaintext: token } = await createApiToken(db.kysely, account_id);
  const ask = (route: string, body?: unknown) => askJson(api, route, { token, body });
  const make = async (body: object = {}) => {
    const answer = await ask('POST /webhooks', { url, ...body });
    expect(answer).toMatchObject({ status: 201 });
    return (answer.body as { data: Webhook }).data;
  };
  return { account_id, master_token, ask, make };
}

async function read<Row extends object>(ref: string): Promise<Row> {
  const query = 'select * from customer.webhook where webhook_ref = $1';
  return (await db.pool.query<Row>(query, [ref])).rows[0]!;
}

const owner = await createOwner();
const at = (scope: 'watched' | 'all', event_id: number) =>
  writeCursor({ scope, event_id: String(event_id) });

describe('POST /webhooks', () => {
  test('201 begins at the end of what is published, and alone has the secret', async () => {
    const { secret, webhook_ref, ...shown } = await owner.make();
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(webhook_ref).toMatch(/^[0-9A-Z]{12}$/);
    expect(shown).toEqual({
      url,
      scope: 'watched',
      filters: {},
      max_events: 50,
      heartbeat: true,
      state: 'active',
      disabled_reason: null,
      cursor: at('watched', 150),
      failing_since: null,
      next_attempt_at: null,
      created_at: '2026-11-27T10:00:00+00:00',
    });
    expect(await read(webhook_ref)).toMatchObject({ snapshot_no: '7', published: {} });
    const data = { webhook_ref, ...shown };
    expect(await owner.ask(`GET /webhooks/${webhook_ref}`)).toEqual({
      status: 200,
      body: { success: true, data },
    });
    expect(await owner.ask('GET /webhooks')).toMatchObject({ body: { data: [data] } });
  });

  test('201 keeps the filters as they were written, and what they mean', async () => {
    const filters = { severity: ['high', 'critical'], country: 'fr', activity_prefix: '62,63' };
    const made = await owner.make({ scope: 'all', filters, max_events: 1, heartbeat: false });
    expect(made).toMatchObject({ filters, max_events: 1, heartbeat: false, scope: 'all' });
    expect(made.cursor).toBe(at('all', 150));
    expect(await read(made.webhook_ref)).toMatchObject({
      feed_filter: { countries: ['FR'], severities: ['high', 'critical'] },
    });
    const french = await owner.make({ scope: 'all', filters: { source: 'sirene' } });
    expect(await read(french.webhook_ref)).toMatchObject({ feed_filter: { countries: ['FR'] } });
  });

  const privately = 'must name a public server, not a private, loopback or translated address.';
  test.each([
    [{ url: 'http://receiver.invalid/' }, 'url', 'must be an address that begins with https://.'],
    [{ url: 'https://localhost/' }, 'url', privately],
    [{ url: 'https://0x7f.1/' }, 'url', privately],
    [{ url: 'https://[::ffff:169.254.169.254]/' }, 'url', privately],
    [
      { url: 'https://user:secret@receiver.invalid/' },
      'url',
      'must hold no user, password or fragment.',
    ],
    [{ max_events: 51 }, 'max_events', 'must not be greater than 50.'],
    [{ max_events: 0 }, 'max_events', 'must be at least 1.'],
    [{ scope: 'mine' }, 'scope', 'must be one of watched, all.'],
    [{ webhook_ref: 'A' }, 'webhook_ref', 'is unknown.'],
    [{ filters: { after: '1' } }, 'filters.after', 'is unknown.'],
    [
      { filters: { event_type: ['COMPANY_NAME_CHANGE'] } },
      'filters.event_type',
      expect.stringMatching(/^The filters.event_type .*COMPANY_NAME_CHANGED/) as string,
    ],
    [{ filters: { country: 'XX' } }, 'filters.country', 'must be one of PL, FR, all.'],
    [
      { filters: { from_date: '2026-11-02', to_date: '2026-11-01' } },
      'filters.to_date',
      'must not be before from_date.',
    ],
    [
      { filters: { country: 'fr', source: 'krs,ceidg' } },
      'filters.source',
      'must name a source of the country.',
    ],
  ])('422 for %j', async (body, field, message) => {
    const answer = await owner.ask('POST /webhooks', { url, ...body });
    expect(answer.status).toBe(422);
    const { errors } = answer.body as { errors: Record<string, string[]> };
    const wanted =
      typeof message === 'string' ? refusals({ [field]: message }) : { [field]: [message] };
    expect(errors).toEqual(wanted);
  });

  test('422 beyond ten, however many are wished for at once, for this account alone', async () => {
    const greedy = await createOwner();
    const wished = Array.from({ length: 100 }, () => greedy.ask('POST /webhooks', { url }));
    const statuses = (await Promise.all(wished)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    const message = 'An account has at most 10 webhooks; delete one first.';
    expect(await greedy.ask('POST /webhooks', { url })).toEqual(refusal('url', message));
    const { body } = await greedy.ask('GET /webhooks');
    expect((body as { data: Webhook[] }).data).toHaveLength(10);
    await owner.make();
  });

  test('an address of the own machine passes where the operator allows it', async () => {
    const options = { db: db.kysely, WEBHOOK_ALLOW_PRIVATE: true, secretKey };
    const lenient = await startTestApi(options);
    const { master_token: token } = await createAccount(db.kysely);
    const body = { url: 'http://127.0.0.1:9/hook' };
    expect((await askJson(lenient, 'POST /webhooks', { token, body })).status).toBe(201);
    const other = { url: 'ftp://127.0.0.1/' };
    expect((await askJson(lenient, 'POST /webhooks', { token, body: other })).status).toBe(422);
  });
});

describe('/webhooks/{webhook_ref}', () => {
  test('404 for the webhook of another account, and for none', async () => {
    const { webhook_ref } = await (await createOwner()).make();
    const routes = ['GET', 'PATCH', 'DELETE'].map((method) => `${method} /webhooks/$`);
    for (const action of ['rotate', 'test', 'replay']) routes.push(`POST /webhooks/$/${action}`);
    const bodies: Record<string, object> = { replay: { after: at('watched', 150) } };
    for (const route of [...routes, 'GET /webhooks/$/deliveries'])
      for (const ref of [webhook_ref, 'NONE', 'stripe']) {
        const body = route.startsWith('GET') ? undefined : (bodies[route.split('/').at(-1)!] ?? {});
        expect(await owner.ask(route.replace('$', ref), body)).toEqual({
          status: 404,
          body: { message: 'Webhook not found.' },
        });
      }
    expect(await read(webhook_ref)).toMatchObject({ replay_count: 0, secret_version: 1 });
  });

  test('PATCH pauses, and enables at once without the failures before', async () => {
    const { webhook_ref, cursor } = await owner.make();
    const patch = (body: object) => owner.ask(`PATCH /webhooks/${webhook_ref}`, body);
    await db.pool.query(
      `update customer.webhook set attempt_count = 3, next_attempt_at = now(), failing_since = now()
       where webhook_ref = $1`,
      [webhook_ref],
    );
    const paused = { state: 'disabled', disabled_reason: 'paused', cursor };
    expect((await patch({ state: 'disabled' })).body).toMatchObject({ data: paused });
    expect(await read(webhook_ref)).toMatchObject({ attempt_count: 3 });
    const changed = { url: 'https://other.invalid/', max_events: 7, heartbeat: false };
    const active = { state: 'active', disabled_reason: null, failing_since: null, cursor };
    expect((await patch({ state: 'active', ...changed })).body).toMatchObject({
      data: { ...changed, ...active, next_attempt_at: null },
    });
    expect(await read(webhook_ref)).toMatchObject({ attempt_count: 0 });
    const filters = { source: ['ceidg'] };
    expect((await patch({ filters })).body).toMatchObject({ data: { filters, ...changed } });
    // The change of the filter increases `replay_count`, so that a delivery in progress, which used the old filter,
    // does not move the webhook's cursor.
    const stored = { feed_filter: { sources: ['ceidg'] }, replay_count: 1 };
    expect(await read(webhook_ref)).toMatchObject(stored);
    expect((await patch({})).body).toMatchObject({ data: { filters, ...changed } });
    expect((await patch({ scope: 'all' })).status).toBe(422);
    expect((await patch({ url: 'https://127.0.0.1/' })).status).toBe(422);
    const long = await fetch(`${api.url}/api/v1/webhooks/${webhook_ref}`, {
      method: 'PATCH',
      headers: {
        Authorization: `Bearer ${owner.master_token}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ url: `https://8.8.8.8/${'x'.repeat(2_048)}` }),
    });
    expect(await long.json()).toMatchObject({ codes: { url: ['too_long'] } });
  });

  test('DELETE ends it', async () => {
    const { webhook_ref } = await owner.make();
    expect(await owner.ask(`DELETE /webhooks/${webhook_ref}`)).toMatchObject({ status: 200 });
    expect((await owner.ask(`GET /webhooks/${webhook_ref}`)).status).toBe(404);
  });

  test('a rotation shows a new secret, beside which the replaced one signs for a day', async () => {
    const { webhook_ref, secret } = await owner.make();
    const { body } = await owner.ask(`POST /webhooks/${webhook_ref}/rotate`);
    const { secret: fresh } = (body as { data: Webhook }).data;
    expect(fresh).not.toBe(secret);
    type Stored = Parameters<typeof listSecrets>[1];
    const stored = await read<Stored>(webhook_ref);
    const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
    expect(listSecrets(secretKey, stored, later(23))).toEqual([fresh, secret]);
    expect(listSecrets(secretKey, stored, later(24))).toEqual([fresh]);
  });

  test('no secret is in the database, in the log or in another answer', async () => {
    const { webhook_ref, secret } = await owner.make();
    await owner.ask(`POST /webhooks/${webhook_ref}/test`);
    const texts = [secret, secret.slice('whsec_'.length)].map((text) => text.toLowerCase());
    expect(await findClearText(db, '', texts)).toEqual([]);
    expect(JSON.stringify(api.log)).not.toContain(secret);
    for (const route of ['GET /webhooks', `GET /webhooks/${webhook_ref}`])
      expect(JSON.stringify((await owner.ask(route)).body)).not.toContain('whsec_');
  });
});

describe('what the worker does', () => {
  test('202 of a replay moves the cursor to a published event of the scope; a test moves none', async () => {
    const { ask, make } = await createOwner();
    const { webhook_ref } = await make({ scope: 'all' });
    const replay = (after: string) => ask(`POST /webhooks/${webhook_ref}/replay`, { after });
    const wrong = 'The after field must be a cursor of this webhook, or of a feed with its scope.';
    // The cursors are, in order: of another scope, of an unused event number, of a future event number, and twice
    // without a valid form.
    for (const after of [at('watched', 101), at('all', 50), at('all', 151), 'x', ''])
      expect(await replay(after)).toEqual(refusal('after', wrong));
    await db.pool.query('update customer.webhook set scanned_event_id = 149');
    for (const event_id of [0, 15, 150]) {
      const after = at('all', event_id);
      expect(await replay(after)).toMatchObject({ status: 202, body: { data: { cursor: after } } });
    }
    expect(await read(webhook_ref)).toMatchObject({
      replay_count: 3,
      snapshot_no: '0',
      scanned_event_id: null,
    });
    expect(await ask(`POST /webhooks/${webhook_ref}/test`)).toMatchObject({ status: 202 });
    expect(await read(webhook_ref)).toMatchObject({ test_requested_at: now, event_id: '150' });
  });

  test('deliveries are listed by page, the newest first', async () => {
    const { ask, make } = await createOwner();
    const { webhook_ref } = await make();
    await db.pool.query(
      `insert into customer.webhook_delivery (webhook_id, message_id, kind, previous_event_id,
         event_id, event_count, attempt_no, started_at, duration_ms, status_code, error, response)
       select webhook_id, 'msg_' || no, 'events', 140, 150, 10, no, $2, 12, 500, null, 'no'
       from customer.webhook, generate_series(1, 3) as no where webhook_ref = $1`,
      [webhook_ref, now],
    );
    const { body } = await ask(`GET /webhooks/${webhook_ref}/deliveries?per_page=2`);
    const delivery = {
      message_id: 'msg_3',
      kind: 'events',
      previous_cursor: at('watched', 140),
      cursor: at('watched', 150),
      event_count: 10,
      attempt_no: 3,
      started_at: '2026-11-27T10:00:00+00:00',
      duration_ms: 12,
      status_code: 500,
      error: null,
      response: 'no',
    };
    expect(body).toEqual({
      success: true,
      data: [delivery, { ...delivery, message_id: 'msg_2', attempt_no: 2 }],
      meta: { total: 3, per_page: 2, current_page: 1, last_page: 2 },
    });
    expect((await ask('GET /webhooks')).status).toBe(200);
  });
});
