import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { useApi } from '../../fixtures/client/use-api.ts';

const { api } = await useApi();

/** Writes bytes as they are to the port of the API, and reads what comes until it hangs up. */
async function send(bytes: string): Promise<{ head: string; body: unknown }> {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { head, body: JSON.parse(body) };
}

describe('what never reaches a route', () => {
  test.each([
    ['what is not HTTP', 'hello\r\n\r\n', 400, 'Bad Request'],
    ['a broken header', 'GET / HTTP/1.1\r\nHost: a\r\nb\r\n\r\n', 400, 'Bad Request'],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'Bad Request'],
    [
      'two hosts',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: close\r\n\r\n',
      400,
      'Bad Request',
    ],
    [
      'too long a header',
      `GET / HTTP/1.1\r\nHost: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'Request Header Fields Too Large',
    ],
  ])('is answered in JSON: %s', async (_name, bytes, status, message) => {
    const { head, body } = await send(bytes);
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} ${message}\r\n`));
    expect(head).toMatch(/\r\ncontent-type: application\/json; charset=utf-8\r\n/i);
    expect(body).toEqual({ message });
  });

  test('names the way out to a client that sends letters other than ASCII in its URL', async () => {
    const { head, body } = await send('GET /api/v1/x?city=Łódź HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(body).toEqual({
      message:
        'The path and the query must be ASCII: percent-encode all other characters as UTF-8, such as ł as %C5%82.',
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
