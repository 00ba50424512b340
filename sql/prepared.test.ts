import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../fixtures/test-database.ts';
import { prepared } from './prepared.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

describe('a statement that asks to be prepared', () => {
  it('is parsed once a connection, and any other with every run', async () => {
    const known = await database.kysely.connection().execute(async (db) => {
      for (const asked of [1, 2, 3]) {
        const { rows } = await sql`${prepared} select ${asked}::integer as answer`.execute(db);
        expect(rows).toEqual([{ answer: asked }]);
        const { rows: others } = await sql`select ${asked}::integer + 1 as answer`.execute(db);
        expect(others).toEqual([{ answer: asked + 1 }]);
      }
      const { rows } = await sql<{ statement: string; plans: string }>`
        select statement, generic_plans + custom_plans as plans from pg_prepared_statements
      `.execute(db);
      return rows;
    });
    expect(known).toEqual([
      { statement: '/* prepared */ select $1::integer as answer', plans: '3' },
    ]);
  });

  it('can be run again after it has failed', async () => {
    await database.kysely.connection().execute(async (db) => {
      const divide = (by: number) =>
        sql`${prepared} select 6 / ${by}::integer as answer`.execute(db);
      await expect(divide(0)).rejects.toThrow('division by zero');
      expect((await divide(2)).rows).toEqual([{ answer: 3 }]);
    });
  });

  it('is answered to whoever asks a pool, which listens by a function', async () => {
    const { rows } = await database.pool.query('/* prepared */ select $1::integer as answer', [7]);
    expect(rows).toEqual([{ answer: 7 }]);
  });
});
