import { describe, expect, test, onTestFinished } from 'vitest';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { insertDays } from '../../fixtures/database/published-days.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';

async function startEmpty(): Promise<{ api: TestApi; database: TestDatabase }> {
  const database = await createTestDatabase();
  const api = await startTestApi({ db: database.kysely });
  onTestFinished(async () => {
    await api.close();
    await database.drop();
  });
  return { api, database };
}

describe('the source of the statistics', () => {
  test('404 as long as there is none', async () => {
    const { api } = await startEmpty();
    for (const path of ['day/2026-01-01', 'range/2026-01-01', 'day/2026-01-01?source=ceidg']) {
      const response = await api.ask(`/api/v1/stats/${path}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ message: 'No snapshot has been published yet.' });
    }
  });

  test('is the one with the most days, then the one that began first, then the first by name', async () => {
    const { api, database } = await startEmpty();
    const sourceOf = async (path: string): Promise<unknown> => {
      const response = await api.ask(`/api/v1/stats/${path}`);
      return ((await response.json()) as { meta: { source: unknown } }).meta.source;
    };
    const add = (source: string, date: string): Promise<void> =>
      insertDays(database, `('${source}', '${date}', 0, 0, 0, 1, true)`);

    await add('c', '2026-01-05');
    await add('b', '2026-01-05');
    expect(await sourceOf('range/2026-01-31')).toBe('b');
    expect(await sourceOf('day/2026-01-05')).toBe('b');
    await add('d', '2026-01-04');
    expect(await sourceOf('range/2026-01-31')).toBe('d');
    await add('c', '2026-01-06');
    expect(await sourceOf('range/2026-01-31')).toBe('c');
    expect(await sourceOf('day/2026-01-05?source=b')).toBe('b');
  });
});
