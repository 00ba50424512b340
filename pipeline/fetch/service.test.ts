import { createServer } from 'node:net';
import { beforeEach, describe, expect, test } from 'vitest';
import { hasty } from '../../fixtures/registry/fetching.ts';
import { page, startStub, type Stub } from '../../fixtures/registry/service-stub.ts';
import { readRetryAfter } from '../retry-after.ts';
import { Service, type ServiceSettings } from './service.ts';

let stub: Stub;
/** The sentence and the pause that the service reported before each retry. */
let retries: { sentence: string; wait_ms: number }[];

beforeEach(async () => {
  retries = [];
  stub = await startStub(() => ({ status: 200, body: 'źdźbło '.repeat(1000) }));
});

function onRetry(sentence: string, wait_ms: number): void {
  retries.push({ sentence, wait_ms });
}

function create(options: ServiceSettings = {}): Service {
  return new Service('KRS', { max_bytes: 1_000_000, onRetry, ...hasty, ...options });
}

function ask(service: Service): Promise<number> {
  const read = async (answer: Response) => {
    if (answer.status !== 200) throw service.statusFault(answer);
    return (await answer.text()).length;
  };
  return service.ask(stub.url, read);
}

describe('what passes is asked again', () => {
  test.each([
    ['500', { status: 500 }, 'KRS answers with HTTP 500'],
    ['503', { ...page, status: 503 }, 'KRS answers with HTTP 503'],
    ['an answer that is cut', { cut: true as const }, /^KRS breaks off in the middle/],
    ['chunks that are cut', { cut: true as const, isChunked: true }, /^KRS breaks off in the/],
    ['silence', { silent: true as const }, 'KRS has not answered within 0.2 s'],
  ])('%s', async (_, interference, sentence) => {
    stub.interfere((_request, count) => (count <= 2 ? interference : undefined));
    expect(await ask(create({ timeout_ms: 200 }))).toBe(7000);
    expect(stub.requests).toHaveLength(3);
    expect(retries).toHaveLength(2);
    for (const [at, retry] of retries.entries()) {
      expect(retry.sentence).toMatch(sentence);
      // The pause before a retry doubles each time, and is multiplied by a random factor between 1 and 2.
      expect(retry.wait_ms).toBeGreaterThanOrEqual(2 * (at + 1));
      expect(retry.wait_ms).toBeLessThanOrEqual(4 * (at + 1));
    }
  });

  test('up to a bound, and then the last fault is thrown', async () => {
    stub.interfere(() => ({ status: 502 }));
    await expect(ask(create())).rejects.toThrow('KRS answers with HTTP 502');
    expect(stub.requests).toHaveLength(hasty.retry.retries + 1);
  });

  test('a server that does not listen', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const service = create();
    const asked = service.ask(`http://127.0.0.1:${port}`, () => 0);
    await expect(asked).rejects.toThrow(/^KRS cannot be reached: connect ECONNREFUSED/);
    expect(retries).toHaveLength(hasty.retry.retries);
  });
});

describe('a service that asks to wait', () => {
  test('gets no request for so long', async () => {
    const service = create();
    stub.interfere((_, count) =>
      count === 1 ? { status: 429, headers: { 'Retry-After': '1' } } : undefined,
    );
    const started_ms = performance.now();
    const first = ask(service);
    await expect.poll(() => retries.length).toBe(1);
    const second = ask(service).then(() => performance.now());
    expect(await first).toBe(7000);
    expect(performance.now() - started_ms).toBeGreaterThanOrEqual(999);
    expect((await second) - started_ms).toBeGreaterThanOrEqual(999);
    expect(stub.requests).toHaveLength(3);
    expect(retries).toEqual([
      { sentence: 'KRS answers with HTTP 429 and asks to wait 1 s', wait_ms: 1000 },
    ]);
  });

  test('is not waited for when it asks for hours', async () => {
    stub.interfere(() => ({ status: 429, headers: { 'Retry-After': '7200' } }));
    const sentence = 'KRS answers with HTTP 429 and asks to wait 7200 s';
    await expect(ask(create())).rejects.toThrow(sentence);
    expect(stub.requests).toHaveLength(1);
  });

  test('says so in seconds or with a date', () => {
    expect(readRetryAfter('120')).toBe(120_000);
    const now_ms = Date.parse('2026-11-20T05:00:00Z');
    expect(readRetryAfter('Fri, 20 Nov 2026 05:01:30 GMT', now_ms)).toBe(90_000);
    expect(readRetryAfter('Fri, 20 Nov 2026 04:00:00 GMT', now_ms)).toBe(0);
    expect(readRetryAfter('soon')).toBeUndefined();
    expect(readRetryAfter(null)).toBeUndefined();
  });
});

describe('what does not pass is thrown at once', () => {
  test.each([400, 404, 410, 301])('HTTP %i', async (status) => {
    stub.interfere(() => ({ status, headers: { Location: `${stub.url}/elsewhere` } }));
    await expect(ask(create())).rejects.toThrow(`KRS answers with HTTP ${status}`);
    expect(stub.requests).toHaveLength(1);
  });

  test('an answer without end', async () => {
    const service = create({ max_bytes: 5000 });
    await expect(ask(service)).rejects.toThrow('KRS sends more than 5000 bytes in one answer');
    expect(stub.requests).toHaveLength(1);
  });

  test('what is no fault of the service', async () => {
    const asked = create().ask(stub.url, () => {
      throw new TypeError('ours');
    });
    await expect(asked).rejects.toThrow(TypeError);
    expect(stub.requests).toHaveLength(1);
  });
});

describe('a signal', () => {
  const reason = new Error('told to end');

  test('ends a request under way with its reason', async () => {
    stub.interfere(() => ({ silent: true }));
    const controller = new AbortController();
    const asked = ask(create({ signal: controller.signal }));
    await stub.isAsked(() => true);
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  test('ends a wait with its reason', async () => {
    stub.interfere(() => ({ status: 500 }));
    const controller = new AbortController();
    const retry = { ...hasty.retry, minTimeout: 3_600_000, maxTimeout: 3_600_000 };
    const end = () => controller.abort(reason);
    const asked = ask(create({ retry, onRetry: end, signal: controller.signal }));
    await expect(asked).rejects.toBe(reason);
    expect(stub.requests).toHaveLength(1);
  });
});

test('a fault keeps what it came from', async () => {
  stub.interfere(() => ({ cut: true }));
  const cause: unknown = expect.any(Error);
  await expect(ask(create())).rejects.toMatchObject({ isPassing: true, cause });
});
