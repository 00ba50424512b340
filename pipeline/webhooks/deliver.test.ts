import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAccount } from '../../fixtures/client/account.ts';
import { createFirstDay, runFixture } from '../../fixtures/dump/night.ts';
import { secretKey } from '../../fixtures/process/mail-delivery.ts';
import { type Call, createWebhook, startReceiver } from '../../fixtures/process/test-receiver.ts';
import { writeText } from '../mail/letter.ts';
import { writeWebhookLetter } from '../mail/letters/webhook.ts';
import { texts } from '../mail/texts/texts.ts';
import { readCursor } from '../../sql/feed-cursor.ts';
import { createAgent } from '../../sql/webhook/address.ts';
import { listSecrets } from '../../sql/webhook/secret.ts';
import { webhookCall, webhooks as figures } from '../figures/webhook-calls.ts';
import { worker } from '../figures/worker-pauses.ts';
import { deliverWebhooks } from './deliver.ts';

const db = await createFirstDay();
const { account_id } = await createAccount(db.kysely);

/** Calls due webhooks until the test ends; returns the errors, and a function that stops the calls. */
function deliver({ allowPrivate = true, answer_ms = webhookCall.answer_ms } = {}) {
  const faults: Error[] = [];
  const end = new AbortController();
  const agent = createAgent({ ...webhookCall, answer_ms, allowPrivate });
  const options = { db: db.kysely, agent, secretKey };
  const ended = deliverWebhooks(options, end.signal, (error) => void faults.push(error));
  const stop = async () => (end.abort(), ended);
  onTestFinished(async () => {
    await stop();
    await db.pool.query('delete from customer.webhook');
  });
  return { faults, stop };
}

/**
 * Moves an endpoint back to the event `from` of its feed, so that it is due again; `columns` changes more of its row.
 */
async function replay(webhook_id: string, from = '0', columns = 'replay_count = replay_count + 1') {
  await db.pool.query(
    `update customer.webhook set event_id = $2, snapshot_no = 0, ${columns} where webhook_id = $1`,
    [webhook_id, from],
  );
}

async function read<Row>(query: string, ...values: unknown[]): Promise<Row[]> {
  return (await db.pool.query(query, values)).rows as Row[];
}

/** The longest wait for an effect of the worker, which looks for due webhooks once a second. */

const stateOf = async (webhook_id: string) =>
  (
    await read<Record<string, unknown>>(
      `select state, disabled_reason, attempt_count, event_id::int, leased_until, failing_since,
         snapshot_no::int, round(extract(epoch from next_attempt_at - now()))::int as wait_s
       from customer.webhook where webhook_id = $1`,
      webhook_id,
    )
  )[0]!;

const idsOf = (calls: readonly Call[]) =>
  calls.flatMap(({ data }) => data.events.map(({ id }) => id));
const positions = (calls: readonly Call[]) =>
  calls.map(({ data }) =>
    [data.previous_cursor, data.cursor].map((at) => readCursor(at)!.event_id),
  );

await runFixture(db, '2026-11-03');
await runFixture(db, '2026-11-04');
const events = (
  await read<{ id: number }>('select event_id::int as id from registry.event order by event_id')
).map(({ id }) => id);
const last = events.at(-1)!;

describe('An endpoint', () => {
  test('gets every event once, in order, signed, each call going on where the last one ended', async () => {
    const receiver = await startReceiver(() => undefined);
    const webhook = await createWebhook(db, account_id, receiver.url, { max_events: 7 });
    await replay(webhook.webhook_id);
    const { faults } = deliver();
    await expect.poll(() => idsOf(receiver.calls)).toHaveLength(events.length);
    expect(idsOf(receiver.calls)).toEqual(events);
    const chain = positions(receiver.calls);
    expect(chain.map(([from]) => from)).toEqual(['0', ...chain.slice(0, -1).map(([, to]) => to)]);
    const versions = { ...webhook, secret_version: 1, previous_secret_until: null };
    const [secret] = listSecrets(secretKey, versions, new Date());
    for (const { headers, body, type, data } of receiver.calls) {
      expect(new Webhook(secret!).verify(body, headers as Record<string, string>)).toEqual({
        type: 'events',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        data: { ...data, webhook_ref: webhook.webhook_ref, published: { ceidg: '2026-11-04' } },
      });
      expect(type).toBe('events');
    }
    const messages = new Set(receiver.calls.map(({ headers }) => headers['webhook-id']));
    expect(messages.size).toBe(receiver.calls.length);
    // A replay delivers the same events again, but the messages have other ids.
    await replay(webhook.webhook_id);
    await expect.poll(() => idsOf(receiver.calls)).toEqual([...events, ...events]);
    for (const { headers } of receiver.calls) messages.add(headers['webhook-id']);
    expect(messages.size).toBe(receiver.calls.length);
    expect(faults).toEqual([]);
    const kept = 'select sum(event_count)::int from customer.webhook_delivery';
    await expect.poll(() => read(kept)).toEqual([{ sum: 2 * events.length }]);
  });

  test('that hears of a night without events gets one call, unless it wants no heartbeat', async () => {
    const receiver = await startReceiver(() => undefined);
    const filter = { feed_filter: { sources: ['nowhere'] } };
    for (const path of ['/beat', '/silent']) {
      const chosen = { ...filter, has_heartbeat: path === '/beat' };
      const { webhook_id } = await createWebhook(db, account_id, receiver.url + path, chosen);
      await replay(webhook_id, String(events[3]), `published = '{"ceidg": "2026-11-03"}'`);
    }
    deliver();
    const unheard = 'select from customer.webhook where snapshot_no = 0';
    await expect.poll(() => read(unheard)).toEqual([]);
    // An import on demand publishes a snapshot without a new day and without events, so the webhook is not called.
    await db.pool.query('select registry.end_publication()');
    await delay(2 * worker.tick_ms);
    expect(receiver.calls.map(({ path }) => path)).toEqual(['/beat']);
    expect(positions(receiver.calls)).toEqual([[String(events[3]), String(last)]]);
    expect(receiver.calls[0]).toMatchObject({
      type: 'events',
      data: { events: [], published: { ceidg: '2026-11-04' } },
    });
    await runFixture(db, '2026-11-05', { reason: 'a row is damaged' });
    await expect.poll(() => receiver.calls.length).toBe(2);
    // The second call begins where the heartbeat ended (the last event), although the heartbeat delivered no event.
    const [, [from]] = positions(receiver.calls) as [unknown, [string]];
    expect(from).toBe(String(last));
  });

  test('that is moved under a call stays where its client has moved it', async () => {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: moved, resolve: move } = Promise.withResolvers<void>();
    const receiver = await startReceiver(async () => (reach(), moved));
    const { webhook_id } = await createWebhook(db, account_id, receiver.url);
    await replay(webhook_id);
    deliver();
    await reached;
    await replay(webhook_id, String(events[1]));
    move();
    // The next call comes at once, because the worker has ended the lease, which would otherwise last for a minute.
    await expect.poll(() => receiver.calls.length).toBeGreaterThan(1);
    expect(positions(receiver.calls)[1]![0]).toBe(String(events[1]));
    const first = 'select from customer.webhook_delivery where previous_event_id = 0';
    expect(await read(first)).toHaveLength(1);
  });

  test('signs with both secrets while they change, and sends fewer events than a body may have', async () => {
    const receiver = await startReceiver(() => undefined);
    const webhook = await createWebhook(db, account_id, receiver.url);
    await db.pool.query(
      `update registry.event set new_value = repeat('ż', 9000) where event_id = any($1)`,
      [events.slice(0, 3)],
    );
    await replay(
      webhook.webhook_id,
      '0',
      `secret_version = 2, previous_secret_until = now() + interval '1 hour'`,
    );
    deliver();
    await expect.poll(() => idsOf(receiver.calls).at(-1)).toBeGreaterThanOrEqual(last);
    expect(receiver.calls.slice(0, 2).map(({ data }) => data.events.length)).toEqual([1, 1]);
    for (const { body } of receiver.calls) expect(Buffer.byteLength(body)).toBeLessThan(20_000);
    const { headers, body } = receiver.calls[0]!;
    for (const secret_version of [1, 2]) {
      const versions = { ...webhook, secret_version, previous_secret_until: null };
      const secrets = listSecrets(secretKey, versions, new Date());
      new Webhook(secrets[0]!).verify(body, headers as Record<string, string>);
    }
  });

  test('gets the test that its client asks for, also while it is disabled', async () => {
    const receiver = await startReceiver(() => undefined);
    const { webhook_id } = await createWebhook(db, account_id, receiver.url);
    const asked = `state = 'disabled', disabled_reason = 'gone', test_requested_at = now()`;
    await replay(webhook_id, String(events[3]), asked);
    deliver();
    await expect.poll(() => receiver.calls.length).toBe(1);
    expect(receiver.calls[0]).toMatchObject({ type: 'test', data: { events: [] } });
    expect(positions(receiver.calls)).toEqual([[String(events[3]), String(events[3])]]);
    await expect
      .poll(() => stateOf(webhook_id))
      .toMatchObject({
        event_id: events[3],
        state: 'disabled',
        leased_until: null,
      });
    await delay(2 * worker.tick_ms);
    expect(receiver.calls).toHaveLength(1);
  });
});

/**
 * A test case: the kind of failure, the answer's headers, the endpoint's state after the failure, and the minimum pause
 * in seconds.
 */
const failures: [
  kind: string,
  headers: Record<string, string>,
  state: object,
  wait_s: number | null,
][] = [
  ['500', {}, { state: 'active', attempt_count: 1 }, 5],
  ['302', { location: '/0' }, { attempt_count: 1 }, 5],
  ['404', {}, { attempt_count: 1 }, 5],
  ['429', {}, { attempt_count: 1 }, 60],
  ['504', {}, { attempt_count: 1 }, 60],
  ['503', { 'retry-after': '120' }, { attempt_count: 1 }, 120],
  ['503', { 'retry-after': '999999' }, { attempt_count: 1 }, 43_200],
  ['503', { 'retry-after': 'soon' }, { attempt_count: 1 }, 5],
  ['500 after 1', {}, { attempt_count: 2 }, 300],
  ['500 after 2', {}, { attempt_count: 3 }, 1_800],
  ['500 after 9', {}, { attempt_count: 10 }, 86_400],
  ['500 after 12', {}, { attempt_count: 13 }, 86_400],
  ['410', {}, { state: 'disabled', disabled_reason: 'gone' }, null],
  ['slow', {}, { attempt_count: 1 }, 5],
];

describe('A call that fails', () => {
  test('keeps the position, and waits as long as its kind', async () => {
    const receiver = await startReceiver(async ({ path }) => {
      const [kind, headers] = failures[Number(path.slice(1))]!;
      if (kind === 'slow') await delay(1_000);
      return { status: Number(/^\d+/.exec(kind)?.[0] ?? 204), headers };
    });
    const made: string[] = [];
    for (const [at, [kind]] of failures.entries()) {
      const own = await createAccount(db.kysely);
      const { webhook_id } = await createWebhook(db, own.account_id, `${receiver.url}/${at}`);
      made.push(webhook_id);
      const count = Number(/after (\d+)/.exec(kind)?.[1] ?? 0);
      const since = count > 0 ? ', failing_since = now()' : '';
      await replay(webhook_id, String(events[3]), `attempt_count = ${count}${since}`);
    }
    deliver({ answer_ms: 500 });
    await expect
      .poll(() => read('select from customer.webhook_delivery'))
      .toHaveLength(failures.length);
    expect(receiver.calls).toHaveLength(failures.length);
    for (const [at, webhook_id] of made.entries()) {
      const [, , expected, wait_s] = failures[at]!;
      const state = await stateOf(webhook_id);
      expect(state).toMatchObject({ event_id: events[3], leased_until: null, ...expected });
      if (wait_s === null) expect(state.wait_s).toBeNull();
      else expect(state.wait_s).toBeGreaterThanOrEqual(wait_s - 3);
      if (wait_s !== null) expect(state.wait_s).toBeLessThanOrEqual(wait_s * 1.2);
    }
  });

  test('to a private address reaches nobody', async () => {
    const receiver = await startReceiver(() => undefined);
    const { webhook_id } = await createWebhook(db, account_id, receiver.url);
    await replay(webhook_id);
    deliver({ allowPrivate: false });
    const calls = 'select status_code, error from customer.webhook_delivery';
    await expect
      .poll(() => read(calls))
      .toEqual([{ status_code: null, error: expect.any(String) }]);
    expect(receiver.calls).toEqual([]);
    expect(await stateOf(webhook_id)).toMatchObject({ attempt_count: 1 });
  });

  test('for half an hour is mailed once, for five days ends, and is mailed when it works again', async () => {
    let status = 500;
    const receiver = await startReceiver(() => ({ status }));
    const { webhook_id } = await createWebhook(db, account_id, receiver.url);
    const mails = async () =>
      (
        await read<{ cause: string }>(
          `select data ->> 'cause' as cause from customer.mail where mail_key like $1 order by mail_id`,
          `webhook:%:${webhook_id}:%`,
        )
      ).map(({ cause }) => cause);
    const failSince = (interval: string) =>
      replay(
        webhook_id,
        '0',
        `attempt_count = 3, next_attempt_at = null, failing_since = now() - interval '${interval}'`,
      );
    deliver();
    const told: string[][] = [];
    for (const since of ['29 minutes', '31 minutes', '32 minutes']) {
      const { length } = receiver.calls;
      await failSince(since);
      await expect.poll(() => receiver.calls.length).toBe(length + 1);
      await expect.poll(() => stateOf(webhook_id)).toMatchObject({ leased_until: null });
      told.push(await mails());
    }
    expect(told).toEqual([[], ['unanswered'], ['unanswered']]);
    status = 204;
    await failSince('33 minutes');
    await expect.poll(mails).toEqual(['unanswered', 'works']);
    await expect.poll(() => read('select from customer.webhook where snapshot_no = 0')).toEqual([]);
    status = 500;
    await failSince('120 hours');
    await expect.poll(mails).toEqual(['unanswered', 'works', 'failing']);
    expect(await stateOf(webhook_id)).toMatchObject({
      state: 'disabled',
      disabled_reason: 'failing',
    });
    const data = await read<{ data: Parameters<typeof writeWebhookLetter>[1] }>(
      'select data from customer.mail where mail_key like $1 order by mail_id',
      `webhook:%:${webhook_id}:%`,
    );
    const options = { texts: texts.en, baseUrl: 'https://api.example' };
    const letters = data.map((mail) => writeWebhookLetter(options, mail.data));
    expect(letters.map(({ subject }) => subject)).toEqual([
      'Your webhook fails',
      'Your webhook works again',
      'Your webhook is disabled',
    ]);
    expect(writeText(letters[0]!)).toContain(`${receiver.url}\n\nThe last answer: HTTP 500`);
    expect(writeText(letters[2]!)).toMatch(/PATCH \S+\/webhooks\/\S+ {"state":"active"}$/);
  });
});

test('The end of a worker waits for the call under way, keeps its outcome, and begins no other', async () => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const receiver = await startReceiver(async () => (reach(), answered));
  const { webhook_id } = await createWebhook(db, account_id, receiver.url, { max_events: 5 });
  await replay(webhook_id, String(events[3]));
  const { stop } = deliver();
  await reached;
  const stopped = stop();
  await delay(figures.turn_ms);
  answer();
  await stopped;
  expect(receiver.calls).toHaveLength(1);
  expect(await stateOf(webhook_id)).toMatchObject({ event_id: events[8], leased_until: null });
});

test('Slow receivers hold up neither other accounts nor more lanes than their share', async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  let [open, most] = [0, 0];
  const slow = await startReceiver(async () => {
    most = Math.max(most, (open += 1));
    await over;
    open -= 1;
  });
  for (let count = 0; count < 10; count += 1) {
    await replay((await createWebhook(db, account_id, slow.url)).webhook_id);
  }
  for (let count = 0; count < figures.slowLanes + 8; count += 1) {
    const slower = await createAccount(db.kysely);
    const { webhook_id } = await createWebhook(db, slower.account_id, slow.url);
    await replay(webhook_id, '0', 'is_slow = true');
  }
  deliver();
  await expect.poll(() => open).toBe(figures.lanesOfAccount + figures.slowLanes);
  const quick = await startReceiver(() => undefined);
  const other = await createAccount(db.kysely);
  await replay((await createWebhook(db, other.account_id, quick.url)).webhook_id);
  await expect.poll(() => idsOf(quick.calls).length).toBeGreaterThan(events.length);
  expect(most).toBe(figures.lanesOfAccount + figures.slowLanes);
  end();
});

test('Of the calls of an endpoint the newest thousand stay', async () => {
  const receiver = await startReceiver(() => undefined);
  const { webhook_id } = await createWebhook(db, account_id, receiver.url);
  await db.pool.query(
    `insert into customer.webhook_delivery (
       webhook_id, message_id, kind, previous_event_id, event_id, event_count, attempt_no, started_at, duration_ms
     )
     select $1, n, 'events', 0, 0, 1, 1, now(), 1 from generate_series(1, 1200) as n`,
    [webhook_id],
  );
  await replay(webhook_id, String(events[3]));
  deliver();
  await expect.poll(() => receiver.calls.length).toBeGreaterThan(0);
  const kept = 'select count(*)::int from customer.webhook_delivery';
  await expect.poll(() => read(kept)).toEqual([{ count: figures.keptCalls }]);
});
