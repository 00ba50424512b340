import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, onTestFinished } from 'vitest';
import { createAccount } from '../fixtures/client/account.ts';
import { findPort } from '../fixtures/client/test-api.ts';
import { insertDays } from '../fixtures/database/published-days.ts';
import { createTestDatabase } from '../fixtures/database/test-database.ts';
import { type Started, startScript } from '../fixtures/process/cli.ts';
import { DEMO_EMAIL } from '../sql/demo-account.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

const database = await createTestDatabase();
await insertDays(database, `('ceidg', '2026-01-02', 1, 2, 3, 100, false)`);

interface Process extends Started {
  /** Waits for the output line with the address on which the API listens, and returns the address. */
  url(): Promise<string>;
  stop(signal: NodeJS.Signals): void;
  /** Returns the reason why the process ended: the only line of its log. */
  fault(): string;
}

function startProcess(variables: Record<string, string>): Process {
  const started = startScript(main, [], {
    DATABASE_URL: database.url,
    PORT: '0',
    SECRET_KEY: 'a key of at least 32 characters, for tests',
    ...variables,
  });
  const { child } = started;
  onTestFinished(() => void child.kill('SIGKILL'));
  return Object.assign(started, {
    async url() {
      while (!started.stdout.includes('\n')) await once(child.stdout!, 'data');
      return started.stdout.replace(/^Listening on (http:\/\/localhost:\d+)\n$/, '$1');
    },
    fault: () => (JSON.parse(started.stderr) as { msg: string }).msg,
    stop: (signal: NodeJS.Signals) => void child.kill(signal),
  });
}

/** Waits until a database session waits for a lock, which shows that the request is in progress. */
async function requestInFlight(): Promise<void> {
  const waiting = `select 1 from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await database.pool.query(waiting)).rowCount === 0);
}

describe('the process of the API', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('serves until %s and exits with 0', async (signal) => {
    const api = startProcess({});
    const url = await api.url();
    const response = await fetch(`${url}/readyz`);
    expect(await response.json()).toEqual({ status: 'ok' });
    // The HTTP connection of the request to `/readyz` is still open, and idle.
    api.stop(signal);
    expect(await api.end).toBe(0);
    expect(api.stdout).toBe(`Listening on ${url}\n`);
  });

  test('finishes a request in flight, and takes no new one', async () => {
    const api = startProcess({});
    const url = await api.url();
    const client = await database.pool.connect();
    await client.query('begin; lock table analyst.daily_stat');
    const answer = fetch(`${url}/api/v1/stats/day/2026-01-02`);
    await requestInFlight();

    api.stop('SIGTERM');
    api.stop('SIGTERM');
    while (!api.stderr.includes('stopping')) await new Promise(setImmediate);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');

    await client.query('rollback');
    client.release();
    const response = await answer;
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      data: { new: 1, updated: 2, deleted: 3, total: 6 },
    });
    expect(await api.end).toBe(0);
  });

  test('tells on a connection that is still in use that it is stopping', async () => {
    const api = startProcess({});
    const socket = connect(Number(new URL(await api.url()).port), 'localhost');
    onTestFinished(() => void socket.destroy());
    socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n');
    await new Promise((resolve) => setTimeout(resolve, 200));
    api.stop('SIGTERM');
    while (!api.stderr.includes('stopping')) await new Promise(setImmediate);
    socket.write('\r\n');
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\n/);
    expect(chunk.toString()).toContain(
      '{"message":"The service is stopping.","code":"UNAVAILABLE"}',
    );
    expect(await api.end).toBe(0);
  });

  test('finishes a body that is still on its way, and closes the connection', async () => {
    const api = startProcess({});
    const socket = connect(Number(new URL(await api.url()).port), 'localhost');
    onTestFinished(() => void socket.destroy());
    const body = '{"token":"none"}';
    const head = [
      'POST /api/v1/auth/init HTTP/1.1',
      'Host: a',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ].join('\r\n');
    socket.write(`${head}\r\n\r\n${body.slice(0, 5)}`);
    // Waits until the request is counted in the rate limit, which shows that the request is in progress.
    const counted = `select 1 from customer.rate_limit where limit_key like 'init:%'`;
    while ((await database.pool.query(counted)).rowCount === 0);
    api.stop('SIGTERM');
    while (!api.stderr.includes('stopping')) await new Promise(setImmediate);
    socket.write(body.slice(5));
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1.1 422 Unprocessable Entity\r\n/);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(await api.end).toBe(0);
  });

  test('closes the registration with REGISTRATION_OPEN=false', async () => {
    const api = startProcess({ REGISTRATION_OPEN: 'false' });
    const response = await fetch(`${await api.url()}/api/v1/auth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        email: 'anna@company.example',
        name: 'Anna Nowak',
        password: 'correct horse',
        password_confirmation: 'correct horse',
      }),
    });
    expect(response.status).toBe(503);
  });

  test('makes a key of its own where SECRET_KEY is not set', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'registry-api-'));
    await startProcess({ SECRET_KEY: '', DATA_DIR: dataDir }).url();
    expect((await readFile(join(dataDir, 'secret-key'), 'utf8')).trim()).toMatch(/^[\da-f]{64}$/);
  });

  test('exits with 1 and a sentence when the port is in use', async () => {
    const first = startProcess({});
    const { port } = new URL(await first.url());
    const second = startProcess({ PORT: port });
    expect(await second.end).toBe(1);
    expect(second.stdout).toBe('');
    expect(second.fault()).toBe(
      `Port ${port} is in use by another program; stop it, or set PORT to another one.`,
    );
  });

  test('serves /metrics on METRICS_PORT, and exits with 2 where another program has it', async () => {
    const port = await findPort();
    const [first, second] = [startProcess({ METRICS_PORT: `${port}` }), startProcess({})];
    await fetch(`${await first.url()}/healthz`);
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { Host: 'a' } });
    expect(await answer.text()).toContain('route="/healthz",status="200"} 1\n');
    const taken = startProcess({ METRICS_PORT: new URL(await second.url()).port });
    expect(await taken.end).toBe(2);
    expect(taken.fault()).toMatch(/^METRICS_PORT cannot be had: .*EADDRINUSE/);
  });

  test('exits with 1 and a sentence when the database cannot be reached', async () => {
    const api = startProcess({ DATABASE_URL: 'postgresql://nobody:secret@127.0.0.1:1/none' });
    expect(await api.end).toBe(1);
    expect(api.stdout).toBe('');
    expect(api.fault()).toMatch(/^The database cannot be reached: .*ECONNREFUSED.*$/);
    expect(api.stderr).not.toContain('secret');
  });

  test('exits with 2 and a sentence when a setting is wrong', async () => {
    const api = startProcess({ PORT: 'http', TRUST_PROXY: 'true' });
    expect(await api.end).toBe(2);
    expect(api.stdout).toBe('');
    expect(api.fault()).toMatch(/^PORT must be .+\.\nTRUST_PROXY must be .+\.$/);
  });

  test('exits with 2 and a sentence where anybody could buy credits without money', async () => {
    const api = startProcess({ PAYMENT_PROVIDER: 'local', HOST: '0.0.0.0' });
    expect(await api.end).toBe(2);
    expect(api.stdout).toBe('');
    expect(api.fault()).toMatch(/^PAYMENT_PROVIDER must be stripe where HOST, .+\.$/);
  });

  test('exits with 2 where HOST is no address of this machine', async () => {
    const api = startProcess({ HOST: '192.0.2.1' });
    expect(await api.end).toBe(2);
    expect(api.fault()).toBe('HOST must be an address of this machine; 192.0.2.1 is none.');
  });

  test('sells nothing and listens on 127.0.0.1 alone where nothing is set', async () => {
    const { port } = new URL(await startProcess({}).url());
    await expect(fetch(`http://[::1]:${port}/readyz`)).rejects.toThrow('fetch failed');
    const checkout = await fetch(`http://127.0.0.1:${port}/checkout/local/1`);
    expect(checkout.status).toBe(404);
    expect(await checkout.json()).toMatchObject({ message: 'Not Found' });
  });

  test('revokes the tokens of the demo account where others reach it, once it listens', async () => {
    const demo = await createAccount(database.kysely, { email: DEMO_EMAIL });
    const verify = async (variables: Record<string, string>) => {
      const api = startProcess(variables);
      const answer = await fetch(`${await api.url()}/api/v1/tokens/verify`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${demo.master_token}` },
      });
      return answer.status;
    };
    expect(await startProcess({ HOST: '192.0.2.1' }).end).toBe(2);
    expect(await verify({})).toBe(200);
    expect(await verify({ HOST: '0.0.0.0' })).toBe(401);
    expect(await verify({})).toBe(401);
  });
});
