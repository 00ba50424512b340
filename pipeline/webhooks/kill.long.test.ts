import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createAccount } from '../../fixtures/client/account.ts';
import { findPort } from '../../fixtures/client/test-api.ts';
import { shareDays } from '../../fixtures/dump/night.ts';
import { startCommand, startProgram } from '../../fixtures/process/cli.ts';
import { secretKey } from '../../fixtures/process/mail-delivery.ts';
import { createWebhook } from '../../fixtures/process/test-receiver.ts';
import { listSecrets } from '../../sql/webhook/secret.ts';

const db = await (await shareDays()).copy();
const owner = await createAccount(db.kysely);

const script = fileURLToPath(new URL('../../scripts/example/receiver.py', import.meta.url));

/** The output of the receiver in Python for one call. */
interface Told {
  id: string;
  is_repeated: boolean;
  cursor: string;
  is_gap?: boolean;
  expected?: string | null;
  events?: number[];
}

/**
 * Starts a receiver in Python, and a relay before the receiver. For each call, numbered from 1, the relay calls `meet`.
 * If `meet` returns `drop`, the relay accepts the call and does not forward it; a promise delays the receiver's answer.
 */
async function receive(secret: string, meet: (no: number) => 'drop' | Promise<void> | undefined) {
  const python = startProgram('python3', [script, '0'], { WEBHOOK_SECRET: secret });
  await python.says('"port"');
  const port = Number(/\d+/.exec(python.stdout)![0]);
  let count = 0;
  const relay = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const met = meet((count += 1));
      let status = 204;
      if (met !== 'drop') {
        const headers = request.headers as Record<string, string>;
        const sent = { method: 'POST', headers: { ...headers }, body };
        for (const name of ['host', 'connection', 'content-length']) delete sent.headers[name];
        // The relay answers 503 when the receiver has ended with the test, but a worker still calls.
        const answer = await fetch(`http://127.0.0.1:${port}`, sent).catch(() => undefined);
        status = answer?.status ?? 503;
        await met;
      }
      response.writeHead(status).end();
    })();
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    python.child.kill();
    relay.closeAllConnections();
    relay.close();
  });
  const told = () =>
    python.stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => JSON.parse(line) as Told);
  return { url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`, told };
}

/** Creates an endpoint whose position is the beginning of the feed, and starts its receiver. */
async function begin(meet: Parameters<typeof receive>[1], account_id = owner.account_id) {
  const { webhook_id, webhook_ref } = await createWebhook(db, account_id, '', { max_events: 2 });
  const versions = { webhook_ref, secret_version: 1, previous_secret_until: null };
  const receiver = await receive(listSecrets(secretKey, versions, new Date())[0]!, meet);
  await db.pool.query(
    'update customer.webhook set url = $2, event_id = 0, snapshot_no = 0 where webhook_id = $1',
    [webhook_id, receiver.url],
  );
  return receiver;
}

async function work() {
  const variables = { DATABASE_URL: db.url, SECRET_KEY: secretKey, WEBHOOK_ALLOW_PRIVATE: 'true' };
  const worker = startCommand(['worker'], variables);
  await worker.says('the worker is ready');
  return worker;
}

const { rows } = await db.pool.query<{ id: number }>(
  'select event_id::int as id from registry.event order by event_id',
);
const ids = rows.map(({ id }) => id);
const idsOf = (told: Told[]) => told.flatMap(({ events = [] }) => events);

test('a killed worker loses no event, and repeats no more than the call under way', async () => {
  const kills = [3, 4, 9, 15];
  let reached = Promise.withResolvers<void>();
  let held = Promise.withResolvers<void>();
  const receiver = await begin((no) => {
    if (!kills.includes(no)) return undefined;
    reached.resolve();
    return held.promise;
  });
  for (const _ of kills) {
    const worker = await work();
    // The worker is killed after the receiver has accepted the call, but before the worker has received the answer.
    await reached.promise;
    [reached, held] = [Promise.withResolvers(), Promise.withResolvers()];
    worker.child.kill('SIGKILL');
    await worker.end;
    // The test moves the end of the lease back by a minute, instead of waiting until the lease expires.
    await db.pool.query(
      `update customer.webhook set leased_until = leased_until - interval '1 min'`,
    );
  }
  const worker = await work();
  await expect.poll(() => idsOf(receiver.told()).length).toBe(ids.length);
  worker.child.kill('SIGTERM');
  expect(await worker.end).toBe(0);
  const told = receiver.told();
  expect(idsOf(told)).toEqual(ids);
  expect(told.filter(({ is_gap }) => is_gap)).toEqual([]);
  expect(told.filter(({ is_repeated }) => is_repeated)).toHaveLength(kills.length);
});

test('a receiver written from the document alone reports a call that was dropped', async () => {
  const receiver = await begin((no) => (no === 5 ? 'drop' : undefined));
  const worker = await work();
  const most = ids.length - 2;
  await expect.poll(() => idsOf(receiver.told()).length).toBe(most);
  worker.child.kill('SIGTERM');
  await worker.end;
  const told = receiver.told();
  const gaps = told.filter(({ is_gap }) => is_gap);
  expect(gaps.map(({ id }) => id)).toEqual([told[4]!.id]);
  // The receiver has all events except the two events of the dropped call, and has reported the gap.
  expect(idsOf(told).toSorted((one, other) => one - other)).toEqual(ids.toSpliced(8, 2));
});

test('a killed API loses no event, and its webhook is where the receiver is', async () => {
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const { account_id, master_token } = await createAccount(db.kysely);
  const receiver = await begin((no) => {
    if (no !== 3) return undefined;
    reached.resolve();
    return held.promise;
  }, account_id);
  const serve = async () => {
    const PORT = String(await findPort());
    const api = startCommand(['serve'], { DATABASE_URL: db.url, SECRET_KEY: secretKey, PORT });
    await api.says('Listening on');
    const headers = { authorization: `Bearer ${master_token}` };
    const read = async () => {
      const answer = await fetch(`http://127.0.0.1:${PORT}/api/v1/webhooks`, { headers });
      return ((await answer.json()) as { data: { cursor: string }[] }).data[0]!.cursor;
    };
    return { api, read };
  };
  const { api } = await serve();
  const worker = await work();
  await reached.promise;
  api.child.kill('SIGKILL');
  await api.end;
  held.resolve();
  await expect.poll(() => idsOf(receiver.told()).length).toBe(ids.length);
  worker.child.kill('SIGTERM');
  await worker.end;
  const told = receiver.told();
  expect(idsOf(told)).toEqual(ids);
  expect(told.filter(({ is_gap, is_repeated }) => is_gap || is_repeated)).toEqual([]);
  const { api: next, read } = await serve();
  expect(await read()).toBe(told.at(-1)!.cursor);
  next.child.kill('SIGTERM');
  await next.end;
});
