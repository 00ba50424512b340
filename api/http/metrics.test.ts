import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';

let database: TestDatabase;
let api: TestApi;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startTestApi({ db: database.kysely, pool: database.pool });
});

afterAll(async () => {
  await api.close();
  await database.drop();
});

async function readMetrics(): Promise<string[]> {
  const response = await api.ask('/metrics');
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

  test('200 tells of the process', async () => {
    const lines = await readMetrics();
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds']) {
      expect(lines.some((line) => line.startsWith(`${name} `))).toBe(true);
    }
  });

  test('200 tells of the registries, the pool and the requests that a limit refused', async () => {
    const address = '198.51.100.7';
    for (let at = 0; at < 11; at++) await api.ask('/api/v1/stats/day/2026-01-01', { address });
    const lines = await readMetrics();
    expect(lines).toContain('registry_database_up 1');
    expect(lines).toContain('registry_credits_sold_total 0');
    expect(lines).toContain('registry_rate_limit_hits_total{route="/api/v1/stats/day/{date}"} 1');
    expect(lines.some((line) => line.startsWith('registry_pool_connections{'))).toBe(true);
  });

  test('405 for another method', async () => {
    const response = await api.ask('/metrics', { method: 'POST' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });
});
