import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { openShop } from '../../fixtures/client/shop.ts';
import { eventOf, signatureOf } from '../../fixtures/client/stripe-stub.ts';
import { administer } from '../../fixtures/database/test-cluster.ts';

const shop = openShop();
/** Says that the checkout of the buyer was paid. */
let payload: string;

beforeEach(async () => {
  await shop.buyer.buy('starter');
  payload = eventOf('checkout.session.completed', {
    ...shop.stub.sessions.at(-1),
    payment_status: 'paid',
  });
});

async function send(
  body: RequestInit['body'],
  headers: Record<string, string>,
  client: { address?: string } = {},
) {
  const response = await shop.api.ask('/api/v1/webhooks/stripe', {
    ...client,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: body ?? null,
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

describe('POST /api/v1/webhooks/stripe', () => {
  test.each<[string, () => Record<string, string>]>([
    ['no signature', () => ({})],
    ['an empty signature', () => ({ 'Stripe-Signature': '' })],
    ['what is no signature', () => ({ 'Stripe-Signature': 't=,v1=' })],
    [
      'a forged signature',
      () => ({ 'Stripe-Signature': signatureOf(payload, shop.now, 'whsec_other') }),
    ],
    [
      'the signature of another payload',
      () => ({ 'Stripe-Signature': signatureOf(`${payload} `, shop.now) }),
    ],
    [
      'a signature of 301 seconds ago',
      () => ({ 'Stripe-Signature': signatureOf(payload, secondsAgo(301)) }),
    ],
    [
      'an old signature with a new time',
      () => ({
        'Stripe-Signature': signatureOf(payload, secondsAgo(600)).replace(
          /t=\d+/,
          `t=${shop.now.getTime() / 1000}`,
        ),
      }),
    ],
  ])('400 for %s', async (_name, headers) => {
    expect(await send(payload, headers())).toEqual(invalid);
    await expectNothing();
  });

  test('200 for a signature of 300 seconds ago', async () => {
    const headers = { 'Stripe-Signature': signatureOf(payload, secondsAgo(300)) };
    expect(await send(payload, headers)).toEqual({
      status: 200,
      body: { received: true, result: 'credited' },
    });
  });

  test.each(['{', '', '[[[['])('400 for what is signed but no JSON: %j', async (text) => {
    expect(await send(text, { 'Stripe-Signature': signatureOf(text, shop.now) })).toEqual(invalid);
  });

  test.each([
    eventOf('checkout.session.completed', {}),
    eventOf('checkout.session.completed', { id: 'cs\0', payment_status: 'paid' }),
    JSON.stringify({ type: 'checkout.session.expired' }),
    'null',
    '7',
    '[]',
  ])('400 for an event that cannot be read: %s', async (text) => {
    expect(await send(text, { 'Stripe-Signature': signatureOf(text, shop.now) })).toEqual({
      status: 400,
      body: { message: 'The event cannot be read.' },
    });
    await expectNothing();
  });

  test.each(['{}', '{"type":null}'])('200 ignores %s', async (text) => {
    expect(await send(text, { 'Stripe-Signature': signatureOf(text, shop.now) })).toEqual({
      status: 200,
      body: { received: true, result: 'ignored' },
    });
  });

  test('405 for other methods', async () => {
    const response = await shop.api.ask('/api/v1/webhooks/stripe');
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.json()).toEqual({ message: 'Method Not Allowed' });
  });

  test('413 for more than 256 kB', async () => {
    const large = payload.padEnd(262_145);
    expect(await send(large, { 'Stripe-Signature': signatureOf(large, shop.now) })).toEqual({
      status: 413,
      body: { message: 'The request body must not be larger than 262144 bytes.' },
    });
    await expectNothing();
    const most = payload.padEnd(262_144);
    expect(await send(most, { 'Stripe-Signature': signatureOf(most, shop.now) })).toMatchObject({
      status: 200,
    });
  });

  test.each([
    ['too long', 262_145, 0, 413],
    ['signed too long ago', 1000, 301, 400],
  ])('refuses what is %s before it is sent, and closes', async (_name, length, age_s, status) => {
    const socket = connect(Number(new URL(shop.api.url).port), '127.0.0.1');
    const head = [
      'POST /api/v1/webhooks/stripe HTTP/1.1',
      'Host: a',
      `Content-Length: ${length}`,
      `Stripe-Signature: ${signatureOf(payload, secondsAgo(age_s))}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    expect(await readText(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test('429 to an address of which 30 were refused in a minute, and to no other', async () => {
    const client = { address: '198.51.100.30' };
    const signed = { 'Stripe-Signature': signatureOf(payload, shop.now) };
    for (let at = 0; at < 15; at += 1) {
      expect((await send(payload, {}, client)).status).toBe(400);
      expect((await send('{}', signed, client)).status).toBe(400);
    }
    for (const headers of [{}, signed]) {
      expect(await send(payload, headers, client)).toEqual({
        status: 429,
        body: { message: 'Too Many Attempts.' },
      });
    }
    await expectNothing();
    expect((await send('{}', signed)).status).toBe(400);
    shop.now = new Date(shop.now.getTime() + 60_000);
    expect((await send(payload, signed, client)).status).toBe(200);
    expect((await send(payload, signed, client)).status).toBe(200);
  });

  test('415 for a compressed payload', async () => {
    const headers = {
      'Stripe-Signature': signatureOf(payload, shop.now),
      'Content-Encoding': 'gzip',
    };
    expect(await send(gzipSync(payload), headers)).toEqual({
      status: 415,
      body: { message: 'Unsupported Media Type' },
    });
    await expectNothing();
  });

  test('503 while the database is down, and credits when it is sent again', async () => {
    const name = new URL(shop.database.url).pathname.slice(1);
    const headers = { 'Stripe-Signature': signatureOf(payload, shop.now) };
    const serverUrl = inject('serverUrl');
    await administer(serverUrl, `alter database ${name} allow_connections false`);
    await administer(
      serverUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    const answers = await Promise.all([1, 2, 3].map(() => send(payload, headers)));
    await administer(serverUrl, `alter database ${name} allow_connections true`);
    const fault = { status: 503, body: { message: 'Service Unavailable' } };
    expect(answers).toEqual([fault, fault, fault]);
    await expectNothing();
    expect(await send(payload, headers)).toEqual({
      status: 200,
      body: { received: true, result: 'credited' },
    });
    expect(await shop.buyer.payments()).toMatchObject([{ state: 'paid' }]);
  });
});
