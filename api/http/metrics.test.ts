import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';

let now = new Date('2026-01-01T10:00:00Z');

const database = await createTestDatabase();
const { kysely: db, pool } = database;
const api = await startTestApi({ db, pool, now: () => now });

/** Moves the test clock one second forward, and reads the lines of `/metrics` from this machine. */
async function readMetrics(): Promise<string[]> {
  now = new Date(now.getTime() + 1_000);
  const response = await fetch(`${api.url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return (await response.text()).split('\n');
}

const labels = (method: string, route: string, status: number): string =>
  `http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"} `;

describe('GET /metrics', () => {
  test('200 counts requests by the template of their route', async () => {
    await api.ask('/api/v1/stats/day/2026-01-01');
    await api.ask('/api/v1/stats/day/nonsense?a=1');
    await api.ask('/api/v1/stats/day/2026-01-01', { method: 'POST' });
    await api.ask('/api/v1/tokens/SECRETSECRET', { method: 'DELETE' });
    await api.ask('/api/v1/nowhere/1');
    await api.ask('/nowhere/2');
    await api.ask('/healthz');

    const lines = await readMetrics();
    const counts = lines.filter((line) => line.startsWith('http_request_duration_seconds_count'));
    expect(counts.toSorted()).toEqual([
      `${labels('DELETE', '/api/v1/tokens/{token_ref}', 401)}1`,
      `${labels('GET', '/api/v1/stats/day/{date}', 404)}1`,
      `${labels('GET', '/api/v1/stats/day/{date}', 422)}1`,
      `${labels('GET', '/healthz', 200)}1`,
      `${labels('GET', 'unknown', 404)}2`,
      `${labels('POST', '/api/v1/stats/day/{date}', 405)}1`,
    ]);
    expect(lines.join('\n')).not.toContain('SECRET');
  });

  test('200 tells of the process, the registries, the pool and the requests that a limit refused', async () => {
    const address = '198.51.100.7';
    for (let at = 0; at < 11; at++) await api.ask('/api/v1/stats/day/2026-01-01', { address });
    const lines = await readMetrics();
    expect(lines).toContain('registry_database_up 1');
    expect(lines).toContain('registry_credits_sold_total 0');
    expect(lines).toContain('registry_rate_limit_hits_total{route="/api/v1/stats/day/{date}"} 1');
    for (const name of ['registry_pool_connections{', 'process_cpu_seconds_total ']) {
      expect(lines.some((line) => line.startsWith(name))).toBe(true);
    }
  });

  test('405 for another method', async () => {
    const response = await fetch(`${api.url}/metrics`, { method: 'POST' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });

  test('200 is rendered once a second', async () => {
    const lines = await readMetrics();
    await api.ask('/healthz');
    const again = await Promise.all([1, 2, 3].map(() => fetch(`${api.url}/metrics`)));
    const texts = await Promise.all(again.map((response) => response.text()));
    expect(new Set(texts)).toEqual(new Set([lines.join('\n')]));
    const many = Array.from({ length: 8 }, () => fetch(`${api.url}/metrics`).then(() => 'late'));
    // Six of the eight requests are answered at once, and the other two a second later.
    await Promise.any(many);
    expect(await Promise.race([Promise.all(many), delay(300).then(() => 'not yet')])).toBe(
      'not yet',
    );
    await Promise.all(many);
    expect(await readMetrics()).not.toEqual(lines);
  });

  test.each([
    ['X-Forwarded-For', '127.0.0.1'],
    ['X-Forwarded-For', ''],
    ['X-Real-IP', '127.0.0.1'],
    ['X-Forwarded-Host', 'localhost'],
    ['Forwarded', 'for=127.0.0.1'],
    ['Via', '1.1 proxy'],
  ])('404 for what a proxy of this machine passes on: %s: %s', async (name, value) => {
    for (const method of ['GET', 'POST']) {
      const response = await fetch(`${api.url}/metrics`, { method, headers: { [name]: value } });
      expect(response.status).toBe(404);
    }
  });

  test.each([
    ['registry.example', 404],
    ['127.0.0.1.registry.example:80', 404],
    ['localhost:8080', 200],
    ['[::1]:8080', 200],
    ['127.0.0.1', 200],
  ])('to the host %s answers %i', async (host, status) => {
    const sent = request(`${api.url}/metrics`, { headers: { Host: host } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(status);
  });
});
