import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { atEnd } from '../../fixtures/process/at-end.ts';
import { createAgent, postSafely, findRefusal } from './address.ts';

const pem = readFileSync(new URL('../../fixtures/webhook/localhost.pem', import.meta.url), 'utf8');
const bounds = { answer_ms: 500, kept_characters: 10 };

/**
 * Starts a server on every address of this machine and counts its connections; the server is stopped at the end of the
 * test file.
 */
async function serve(server: Server) {
  const seen = { port: 0, connections: 0 };
  server.on('connection', () => (seen.connections += 1));
  server.listen(0, '::');
  await once(server, 'listening');
  atEnd(() => server.close());
  seen.port = (server.address() as AddressInfo).port;
  return seen;
}

const silent = await serve(createTcpServer((socket) => socket.destroy()));
let listener: RequestListener;
const plain = await serve(createServer((request, response) => listener(request, response)));
const secure = await serve(
  createSecureServer({ key: pem, cert: pem }, (request, response) => listener(request, response)),
);

const open = createAgent({ allowPrivate: true, ca: pem, ...bounds });
const guarded = createAgent({ allowPrivate: false, ca: pem, ...bounds });

function post(url: string, agent = open) {
  return postSafely(agent, { url, headers: { 'webhook-id': 'msg_1' }, body: '{}' });
}

const notPublic =
  'The url must name a public server, not a private, loopback or translated address.';

const spellings = [
  'localhost',
  'LOCALHOST.',
  'api.localhost',
  '127.0.0.1',
  '127.1',
  '127.0.0.1.',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '0',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '192.0.0.192',
  '168.63.129.16',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:8.8.8.8]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[2001:db8::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[ff02::1]',
];

describe('an address that is not public', () => {
  const rule = { allowPrivate: false, lookup_ms: 2_000 };

  test.each(spellings)(
    '%s is refused at registration and at a call, without a connection',
    async (host) => {
      const url = `https://${host}:${silent.port}/hook`;
      expect(`The url ${await findRefusal(url, rule)}.`).toBe(notPublic);
      expect(await post(url, guarded)).toMatchObject({ status_code: null, error: notPublic });
      expect(silent.connections).toBe(0);
    },
  );

  // A host name may have a public IP address at registration and a private one at the call, or both at the same time.
  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['::1', '127.0.0.1']],
    [['64:ff9b::7f00:1', '10.0.0.1', '169.254.169.254']],
  ])('%j behind a name is refused by the connection', async (addresses) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    guarded.https.options.lookup = (_name, _options, answer) => answer(null, found);
    const url = `https://receiver.example:${silent.port}/`;
    expect(await post(url, guarded)).toMatchObject({ status_code: null, error: notPublic });
    expect(silent.connections).toBe(0);
  });

  test.each([
    ['http://receiver.example/', 'must be an address that begins with https://'],
    ['ftp://receiver.example/', 'must be an address that begins with https://'],
    ['receiver.example', 'must be an address that begins with https://'],
    ['https://user@receiver.example/', 'must hold no user, password or fragment'],
    ['https://:secret@receiver.example/', 'must hold no user, password or fragment'],
    ['https://receiver.example/#part', 'must hold no user, password or fragment'],
    [`https://receiver.example/${'x'.repeat(2_048)}`, 'must not be longer than 2048 characters'],
  ])('%s is refused by its form', async (url, message) => {
    expect(await findRefusal(url, rule)).toBe(message);
    expect(await post(url, guarded)).toMatchObject({ error: `The url ${message}.` });
  });

  test('public addresses pass, also beside an IPv6 list, and names that are not found', async () => {
    const privateRule = { ...rule, allowPrivate: true };
    const passing = ['8.8.8.8', '[2606:4700::1111]', 'nobody.invalid'].map((host) =>
      findRefusal(`https://${host}/hook`, rule),
    );
    passing.push(findRefusal('http://127.0.0.1:8080/hook', privateRule));
    expect(await Promise.all(passing)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('a call', () => {
  beforeEach(() => {
    [plain.connections, secure.connections] = [0, 0];
    listener = (request, response) => {
      response.setHeader('Retry-After', '7');
      request.resume().on('end', () => response.writeHead(202).end('zażółć\0gęślą jaźń'));
    };
  });

  test('keeps the status and the first characters of the answer, and the connection', async () => {
    const answer = { status_code: 202, response: 'zażółć\uFFFDgęś', retry_after: '7', error: null };
    for (const { port } of [plain, plain])
      expect(await post(`http://127.0.0.1:${port}/`)).toEqual(answer);
    for (const { port } of [secure, secure])
      expect(await post(`https://localhost:${port}/`)).toEqual(answer);
    expect([plain.connections, secure.connections]).toEqual([1, 1]);
  });

  test('goes on where the server had closed the kept connection', async () => {
    listener = (request, response) => {
      const { socket } = request;
      request
        .resume()
        .on('end', () => response.end('ok', () => setImmediate(() => socket.resetAndDestroy())));
    };
    for (let at = 0; at < 20; at += 1)
      expect(await post(`http://127.0.0.1:${plain.port}/`)).toMatchObject({ status_code: 200 });
  });

  test('a certificate of another name or authority is an error', async () => {
    const stranger = createAgent({ allowPrivate: true, ...bounds });
    expect(await post(`https://localhost:${secure.port}/`, stranger)).toMatchObject({
      error: 'The call failed: DEPTH_ZERO_SELF_SIGNED_CERT.',
    });
    expect(await post(`https://[::1]:${secure.port}/`)).toMatchObject({
      error: 'The call failed: ERR_TLS_CERT_ALTNAME_INVALID.',
    });
  });

  test('follows no redirect', async () => {
    listener = (_request, response) =>
      response.writeHead(307, { Location: `http://127.0.0.1:${silent.port}/` }).end();
    expect(await post(`http://127.0.0.1:${plain.port}/`)).toMatchObject({ status_code: 307 });
    expect(silent.connections).toBe(0);
  });

  test('cuts an endless answer, and gives up a slow one', async () => {
    const closed = vi.fn<() => void>();
    listener = (_request, response) => {
      response.on('close', closed);
      const write = () => void (response.destroyed || response.write('x'.repeat(65_536), write));
      write();
    };
    const endless = { status_code: 200, response: 'x'.repeat(10), error: null };
    expect(await post(`http://127.0.0.1:${plain.port}/`)).toMatchObject(endless);
    await expect.poll(() => closed.mock.calls.length).toBe(1);
    const late = { status_code: null, response: null, error: 'No whole answer came in time.' };
    listener = ({ socket }) => socket.write('HTTP/1.1 200 OK\r\n\r\nuntil the connection ends');
    expect(await post(`http://127.0.0.1:${plain.port}/`)).toMatchObject(late);
    listener = () => undefined;
    expect(await post(`http://127.0.0.1:${plain.port}/`)).toMatchObject(late);
    listener = (_request, response) => {
      const drip = setInterval(() => response.write('x'), 100);
      response.on('close', () => clearInterval(drip));
    };
    expect(await post(`http://127.0.0.1:${plain.port}/`)).toMatchObject(late);
  });
});
