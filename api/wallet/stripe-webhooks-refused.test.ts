import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { openShop } from '../../fixtures/client/shop.ts';
import { eventOf, signatureOf } from '../../fixtures/client/stripe-stub.ts';
import { administer } from '../../fixtures/database/test-cluster.ts';

const shop = await openShop();
/** The JSON of a Stripe event which states that the checkout of the buyer was paid. */
let payload: string;

beforeEach(async () => {
  await shop.buyer.buy('starter');
  payload = eventOf('checkout.session.completed', {
    ...shop.stub.sessions.at(-1),
    payment_status: 'paid',
  });
});

/** Sends a payload to the Stripe webhook with a signature header; an undefined signature sends no header. */
async function send(
  body: string | Uint8Array<ArrayBuffer>,
  signature: string | undefined,
  client: { address?: string; headers?: Record<string, string> } = {},
) {
  const response = await shop.api.ask('/api/v1/webhooks/stripe', {
    ...client,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(signature === undefined ? {} : { 'Stripe-Signature': signature }),
      ...client.headers,
    },
    body,
  });
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return { status: response.status, body: await response.json() };
}

function secondsAgo(seconds: number): Date {
  return new Date(shop.now.getTime() - seconds * 1000);
}

async function expectNothing(): Promise<void> {
  expect(await shop.buyer.movements()).toHaveLength(1);
  expect(await shop.buyer.payments()).toMatchObject([{ state: 'open', ended_at: null }]);
}

const invalid = {
  status: 400,
  body: { message: 'The signature of the webhook is not valid.' },
};
const unreadable = { status: 400, body: { message: 'The event cannot be read.' } };
const answered = (result: string) => ({ status: 200, body: { received: true, result } });
const sign = (text = payload) => signatureOf(text, shop.now);

describe('POST /api/v1/webhooks/stripe', () => {
  test.each<[string, () => string | undefined]>([
    ['no signature', () => undefined],
    ['an empty signature', () => ''],
    ['what is no signature', () => 't=,v1='],
    ['a forged signature', () => signatureOf(payload, shop.now, 'whsec_other')],
    ['the signature of another payload', () => sign(`${payload} `)],
    ['a signature of 301 seconds ago', () => signatureOf(payload, secondsAgo(301))],
    [
      'an old signature with a new time',
      () =>
        signatureOf(payload, secondsAgo(600)).replace(/t=\d+/, `t=${shop.now.getTime() / 1000}`),
    ],
  ])('400 for %s', async (_name, signature) => {
    expect(await send(payload, signature())).toEqual(invalid);
    await expectNothing();
  });

  test('200 for a signature of 300 seconds ago', async () => {
    const signature = signatureOf(payload, secondsAgo(300));
    expect(await send(payload, signature)).toEqual(answered('credited'));
  });

  test.each([
    ['{', invalid],
    ['', invalid],
    ['[[[[', invalid],
    [eventOf('checkout.session.completed', {}), unreadable],
    [eventOf('checkout.session.completed', { id: 'cs\0', payment_status: 'paid' }), unreadable],
    [JSON.stringify({ type: 'checkout.session.expired' }), unreadable],
    ['null', unreadable],
    ['7', unreadable],
    ['[]', unreadable],
    ['{}', answered('ignored')],
    ['{"type":null}', answered('ignored')],
  ])('credits nothing for what is signed: %j', async (text, answer) => {
    expect(await send(text, sign(text))).toEqual(answer);
    await expectNothing();
  });

  test('405 for other methods', async () => {
    const response = await shop.api.ask('/api/v1/webhooks/stripe');
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.json()).toEqual({ message: 'Method Not Allowed' });
  });

  test('413 for more than 256 kB', async () => {
    const large = payload.padEnd(262_145);
    expect(await send(large, sign(large))).toEqual({
      status: 413,
      body: { message: 'The request body must not be larger than 262144 bytes.' },
    });
    await expectNothing();
    const most = payload.padEnd(262_144);
    expect((await send(most, sign(most))).status).toBe(200);
  });

  test('refuses what is too long before it is sent, and closes', async () => {
    const socket = connect(Number(new URL(shop.api.url).port), '127.0.0.1');
    const head = [
      'POST /api/v1/webhooks/stripe HTTP/1.1',
      'Host: a',
      'Content-Length: 262145',
      `Stripe-Signature: ${sign()}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    expect(await readText(socket)).toMatch(/^HTTP\/1.1 413 /);
  });

  test('429 after 180 calls of an address in a minute, and to no other address', async () => {
    const client = { address: '198.51.100.30' };
    const signed = sign();
    const calls = Array.from({ length: 180 }, (_, at) =>
      send(at % 2 === 0 ? payload : '{}', at % 2 === 0 ? undefined : signed, client),
    );
    for (const { status } of await Promise.all(calls)) expect(status).toBe(400);
    for (const signature of [undefined, signed]) {
      expect(await send(payload, signature, client)).toEqual({
        status: 429,
        body: { message: 'Too Many Attempts.' },
      });
    }
    await expectNothing();
    expect((await send('{}', signed)).status).toBe(400);
    shop.now = new Date(shop.now.getTime() + 60_000);
    expect((await send(payload, signed, client)).status).toBe(200);
  });

  test('415 for a compressed payload', async () => {
    const compressed = new Uint8Array(gzipSync(payload));
    const headers = { 'Content-Encoding': 'gzip' };
    expect(await send(compressed, sign(), { headers })).toEqual({
      status: 415,
      body: { message: 'Unsupported Media Type' },
    });
    await expectNothing();
  });

  test('503 while the database is down, and credits when it is sent again', async () => {
    const name = new URL(shop.database.url).pathname.slice(1);
    const serverUrl = inject('serverUrl');
    await administer(serverUrl, `alter database ${name} allow_connections false`);
    await administer(
      serverUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    const answers = await Promise.all([1, 2, 3].map(() => send(payload, sign())));
    await administer(serverUrl, `alter database ${name} allow_connections true`);
    const fault = { status: 503, body: { message: 'Service Unavailable' } };
    expect(answers).toEqual([fault, fault, fault]);
    await expectNothing();
    expect(await send(payload, sign())).toEqual(answered('credited'));
    expect(await shop.buyer.payments()).toMatchObject([{ state: 'paid' }]);
  });
});
