import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { runPrepared } from './prepared.ts';

const file = 'api/count_hits.sql';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

function valuesFor(key: string, now = '2026-05-01T10:00:00Z'): unknown[] {
  return [[key], now, '2026-05-01T10:01:00Z'];
}

interface Hit {
  limit_key: string;
  hit_count: string;
}

describe('runPrepared', () => {
  test('parses a file once in a connection, under its name', async () => {
    const known = await database.kysely.connection().execute(async (db) => {
      for (const hit_count of ['1', '2', '3']) {
        const rows = await runPrepared<Hit>(db, file, valuesFor('one'));
        expect(rows).toMatchObject([{ limit_key: 'one', hit_count }]);
      }
      const { rows } = await database.pool.query<{ count: string }>(
        'select count(*) from pg_prepared_statements',
      );
      expect(rows).toEqual([{ count: '0' }]);
      return db
        .selectFrom('pg_prepared_statements' as never)
        .selectAll()
        .execute();
    });
    expect(known).toMatchObject([{ name: file }]);
  });

  test('takes part in a transaction', async () => {
    const undone = database.kysely.transaction().execute(async (tx) => {
      await runPrepared(tx, file, valuesFor('undone'));
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await runPrepared<Hit>(database.kysely, file, valuesFor('undone'))).toMatchObject([
      { hit_count: '1' },
    ]);
  });

  test('can run a file again after it has failed', async () => {
    await database.kysely.connection().execute(async (db) => {
      const failed = runPrepared(db, file, valuesFor('again', 'many'));
      await expect(failed).rejects.toThrow('invalid input syntax');
      expect(await runPrepared<Hit>(db, file, valuesFor('again'))).toHaveLength(1);
    });
  });
});
