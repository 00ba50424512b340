import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, onTestFinished } from 'vitest';
import { createAccount } from '../../fixtures/client/account.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { askJson, refusal } from '../../fixtures/client/json-client.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const { database, api } = await useApi();
const account = await createAccount(database.kysely);

const json = 'application/json';

/** Sends a request body byte for byte to `POST /tokens`, or to another path. */
async function send(
  body: string | Uint8Array<ArrayBuffer>,
  { path = '/tokens', type = json, ...headers }: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  const response = await api.ask(`/api/v1${path}`, {
    method: 'POST',
    body,
    headers: {
      Authorization: `Bearer ${account.master_token}`,
      'Content-Type': type,
      ...headers,
    },
  });
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return { status: response.status, body: await response.json() };
}

async function countTokens(): Promise<number> {
  const { rows } = await database.pool.query<{ count: string }>(
    'select count(*) from customer.token',
  );
  return Number(rows[0]!.count);
}

const malformed = { status: 400, body: { message: 'The request body is not valid JSON.' } };
const tooDeep = { status: 400, body: { message: 'The request body is nested too deeply.' } };
const tooLarge = {
  status: 413,
  body: { message: 'The request body must not be larger than 65536 bytes.' },
};
const unsupported = {
  status: 415,
  body: { message: 'The request body must be sent as application/json in UTF-8.' },
};

function bytes(text_: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text_, 'latin1'));
}

describe('a JSON body', () => {
  test.each([
    ['', json],
    [' and a charset in quotes', `${json};charset="utf-8"`],
  ])('201 with the type of JSON%s', async (_name, type) => {
    expect(await send('{"name": "Zażółć 🐢"}', { type })).toMatchObject({
      status: 201,
      body: { data: { name: 'Zażółć 🐢' } },
    });
  });

  test('201 when it is compressed', async () => {
    const compressed = new Uint8Array(gzipSync('{"name":"Billing"}'));
    expect((await send(compressed, { 'Content-Encoding': 'gzip' })).status).toBe(201);
  });

  test.each([
    ['what is broken off', '{"name": "Billing', malformed],
    ['what is no JSON', "{'name': 'Billing'}", malformed],
    ['a comment', '{"name":"Billing"} // new', malformed],
    ['half a character', bytes('{"name":"Billing\xc3"}'), malformed],
    ['another encoding', bytes('{"name":"Za\xbf\xf3\xb3\xe6"}'), malformed],
    ['an encoded surrogate', bytes('{"name":"Billing\xed\xa0\x80"}'), malformed],
    ['lists in lists', '['.repeat(8_000) + ']'.repeat(8_000), tooDeep],
    ['objects in objects', '{"a":'.repeat(2_000) + '1' + '}'.repeat(2_000), tooDeep],
    ['a field of lists in lists', `{"name":${'['.repeat(40)}${']'.repeat(40)}}`, tooDeep],
    ['1 MB of brackets', '['.repeat(1_000_000), tooLarge],
    ['one byte too many', `{"name":"${'a'.repeat(65_526)}"}`, tooLarge],
  ])('makes no token of %s', async (_name, body, answer) => {
    const before = await countTokens();
    expect(await send(body)).toEqual(answer);
    expect(await countTokens()).toBe(before);
  });

  test.each(['null', '"Billing"', '17', 'true', '[]', '[{"name":"Billing"}]'])(
    '422 for what is no object: %s',
    async (body) => {
      const refused = refusal('body', 'The request body must be an object.');
      expect(await send(body)).toEqual(refused);
      expect(await send(body, { path: '/tokens/verify' })).toEqual(refused);
    },
  );

  test.each([
    ['a field', 'name', '{"name":"Billing","name":"Other"}'],
    ['an escaped field', 'name', '{"name":"Billing","n\\u0061me" : "Billing"}'],
    ['an unknown field', 'a"b', '{"name":"Billing","a\\"b":1,"a\\"b":1}'],
    ['a field of the prototype', '__proto__', '{"__proto__":1,"name":"Billing","__proto__":{}}'],
    ['a field within', 'value', '{"a":[{"value":1},{"value":1,"b":{"value":1},"value":2}]}'],
  ])('422 for %s that is given twice', async (_name, field, body) => {
    const message = `The ${field} field must be given only once.`;
    const errors = Object.fromEntries([[field, [message]]]);
    expect(await send(body)).toEqual({ status: 422, body: { message, errors } });
  });

  test.each([
    ['in two objects', '{"a":{"name":1},"name":"Billing"}'],
    ['in a text', '{"name":"\\"name\\": 1, \\\\"}'],
  ])('nothing is refused for a name that comes twice %s', async (_name, body) => {
    expect(JSON.stringify(await send(body))).not.toContain('only once');
  });

  test('400 for what says that it is compressed and is not', async () => {
    const sent = await send('{"name":"Billing"}', { 'Content-Encoding': 'gzip' });
    expect(sent).toEqual({ status: 400, body: { message: 'Bad Request' } });
  });

  test('200 for a hundred numbers of fifty characters, given twice', async () => {
    const value = Array.from({ length: 100 }, (_, at) =>
      `${at + 1}`.padStart(10, '0').padStart(50),
    );
    const body = { identifier_type: 'KRS', identifier_value: value, name: 'KRS', value };
    const { master_token: token } = account;
    const { status } = await askJson(api, 'DELETE /companies/watched', { token, body });
    expect(status).toBe(200);
  });

  test('413 for what is too large once it is inflated', async () => {
    const compressed = new Uint8Array(gzipSync(`{"name":"${'a'.repeat(5_000_000)}"}`));
    expect(compressed.length).toBeLessThan(10_000);
    expect(await send(compressed, { 'Content-Encoding': 'gzip' })).toEqual(tooLarge);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=iso-8859-2',
    'application/json; charset=utf-16',
    'application/jsonp',
    'nonsense',
  ])('415 for %s', async (type) => {
    expect(await send('{"name":"Billing"}', { type })).toEqual(unsupported);
  });

  test('415 without a type, and for a compression that nobody knows', async () => {
    const response = await api.ask('/api/v1/tokens', {
      method: 'POST',
      body: bytes('{"name":"Billing"}'),
      headers: { Authorization: `Bearer ${account.master_token}` },
    });
    expect(response.status).toBe(415);
    expect(await response.json()).toEqual(unsupported.body);
    const other = await send('{"name":"Billing"}', { 'Content-Encoding': 'compress' });
    expect(other).toEqual({ status: 415, body: { message: 'Unsupported Media Type' } });
  });

  test('is not repeated in the log, whatever is wrong with it', async () => {
    const own = await startTestApi({ db: database.kysely });
    for (const body of ['{"password":"secret-1', '{"password":"secret-2"}', '"secret-3"']) {
      const init = { method: 'POST', body, headers: { 'Content-Type': json } };
      expect((await own.ask('/api/v1/auth/register', init)).status).toBeGreaterThanOrEqual(400);
    }
    expect(own.log).toHaveLength(3);
    expect(JSON.stringify(own.log)).not.toContain('secret-');
  });
});

/** Sends lines on a new connection, and returns everything that the server answers until it closes the connection. */
async function answerTo(...lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.write(lines.join('\r\n'));
  return text(socket);
}

const head = ['POST /api/v1/auth/init HTTP/1.1', 'Host: a', `Content-Type: ${json}`];

describe('a body that nobody reads', () => {
  const answer = /^HTTP\/1.1 413 [^]*\r\nConnection: close\r\n[^]*"The request body must not be/i;

  test('413 before the first byte is sent, and the connection is closed', async () => {
    expect(await answerTo(...head, 'Content-Length: 65537', '', '')).toMatch(answer);
  });

  test('413 as soon as too much has arrived, and the connection is closed', async () => {
    const chunk = `${(66_000).toString(16)}\r\n${' '.repeat(66_000)}\r\n`;
    expect(await answerTo(...head, 'Transfer-Encoding: chunked', '', chunk)).toMatch(answer);
  });

  test.each([
    ['POST /api/v1/tokens', 401],
    ['GET /healthz', 200],
    ['POST /nowhere', 404],
  ])('of %s gets a %i, and the connection is closed', async (line, status) => {
    const answered = await answerTo(`${line} HTTP/1.1`, 'Host: a', 'Content-Length: 9', '', '1');
    expect(answered).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

describe('a slow body', () => {
  const begun = [...head, 'Content-Length: 50', '', '{"token":'].join('\r\n');

  test('408 when it has not arrived by the deadline, and the connection is closed', async () => {
    const own = await startTestApi({ db: database.kysely, deadline_ms: 300 });
    const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
    socket.write(begun);
    const drip = setInterval(() => socket.write(' '), 50);
    const answer = await text(socket);
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(answer).toMatch(/\r\n\r\n\{"message":"Request Timeout","code":"REQUEST_TIMEOUT"\}$/);
  });

  test('is nobody else’s delay', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(begun);
    expect((await send('{"name":"Billing"}')).status).toBe(201);
  });

  test('that breaks off leaves no answer and no fault behind', async () => {
    const own = await startTestApi({ db: database.kysely });
    const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
    socket.end(begun);
    await text(socket);
    while (own.log.length === 0) await new Promise(setImmediate);
    expect(own.log).toHaveLength(1);
    expect(own.log[0]).not.toMatchObject({ level: 50 });
  });
});
