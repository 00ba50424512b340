import { globSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { useApi } from '../../fixtures/client/use-api.ts';
import codes from './error-codes.json' with { type: 'json' };

const { api } = await useApi();

/** Sends bytes unchanged to the port of the API, and returns what the API answers until it closes the connection. */
async function send(bytes: string): Promise<{ head: string; body: unknown }> {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { head, body: JSON.parse(body) };
}

describe('the codes of errors', () => {
  test('are beside what 2.0 answered, and `codes` is in the order of `errors`', async () => {
    const ask = async (path: string, init?: RequestInit) =>
      (await fetch(`${api.url}/api/v1${path}`, init)).json();
    const error = 'Missing API token';
    expect(await ask('/wallet')).toEqual({ error, message: error, code: 'UNAUTHORIZED' });
    expect(await ask('/nothing')).toEqual({ message: 'Not Found', code: 'NOT_FOUND' });
    const registration = { email: 'ada', name: '\n', password: 'short', colour: 'red' };
    const refused = await ask('/auth/register', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(registration),
    });
    expect(refused).toMatchObject({
      code: 'INVALID',
      codes: {
        email: ['invalid_format'],
        password: ['too_short'],
        password_confirmation: ['required'],
        colour: ['unknown_field'],
      },
    });
  });

  test('are all in the dictionary, which has none that nothing sends', () => {
    const root = join(import.meta.dirname, '..');
    const source = globSync('**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n');
    const statuses = new Set<number>();
    const unused = [
      ...Object.entries(codes.answers)
        // The first code that is defined for an HTTP status is the default code of this status.
        .filter(([, { status }]) => statuses.has(status) || !statuses.add(status))
        .map(([code]) => code),
      ...Object.keys(codes.fields),
    ].filter((code) => !source.includes(`'${code}'`));
    expect(unused).toEqual([]);
    const isSent = (status: number) =>
      new RegExp(`(?:HttpError\\(|: |\\}, )${status}\\b`).test(source);
    expect([...statuses].filter((status) => !isSent(status))).toEqual([]);
  });
});

describe('what never reaches a route', () => {
  test.each([
    ['what is not HTTP', 'hello\r\n\r\n', 400, 'Bad Request', 'BAD_REQUEST'],
    [
      'a broken header',
      'GET / HTTP/1.1\r\nHost: a\r\nb\r\n\r\n',
      400,
      'Bad Request',
      'BAD_REQUEST',
    ],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'Bad Request', 'BAD_REQUEST'],
    [
      'two hosts',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: close\r\n\r\n',
      400,
      'Bad Request',
      'BAD_REQUEST',
    ],
    [
      'too long a header',
      `GET / HTTP/1.1\r\nHost: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'Request Header Fields Too Large',
      'HEADERS_TOO_LARGE',
    ],
  ])('is answered in JSON: %s', async (_name, bytes, status, message, code) => {
    const { head, body } = await send(bytes);
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} ${message}\r\n`));
    expect(head).toMatch(/\r\ncontent-type: application\/json; charset=utf-8\r\n/i);
    expect(body).toEqual({ message, code });
  });

  test('names the way out to a client that sends letters other than ASCII in its URL', async () => {
    const { head, body } = await send('GET /api/v1/x?city=Łódź HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(body).toEqual({
      message:
        'The path and the query must be ASCII: percent-encode all other characters as UTF-8, such as ł as %C5%82.',
      code: 'BAD_REQUEST',
    });
    const id = /\r\nX-Request-Id: ([\da-f-]{36})\r\n/.exec(head)?.[1];
    expect(api.log.at(-1)).toMatchObject({ req: { id }, res: { status: 400 } });
  });

  test('an expectation that nobody knows changes nothing', async () => {
    const { head, body } = await send(
      'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: more\r\nConnection: close\r\n\r\n',
    );
    expect(head).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(body).toEqual({ status: 'ok' });
  });
});
