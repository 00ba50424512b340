import { describe, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { connect } from './database.ts';
import { openKysely } from './kysely.ts';
import { isDatabaseAway } from './lost-connection.ts';
import { openPool } from './pool.ts';
import { runPrepared } from './prepared.ts';

const file = 'api/count_limit_hits.sql';

const database = await createTestDatabase();

function valuesFor(key: string, now = '2026-05-01T10:00:00Z'): unknown[] {
  return [[key], now, ['2026-05-01T10:01:00Z']];
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

  test('leaves a session of a pooler its settings, and ends one that is silent', async () => {
    const pooled = await connect({
      DATABASE_URL: database.url,
      DATA_DIR: '',
      applicationName: 'pooled',
      patience_ms: 500,
      DATABASE_NAMED_STATEMENTS: false,
    });
    onTestFinished(() => pooled.close());
    const { rows } = await pooled.pool.query('show statement_timeout');
    expect(rows).toEqual([{ statement_timeout: '0' }]);
    await expect(pooled.pool.query('select pg_sleep(20)')).rejects.toThrow(
      'The database does not answer',
    );
  });

  test('gives statements no name where a pooler stands in between', async () => {
    const pool = openPool({ ...database.connection, isNameless: true });
    onTestFinished(() => pool.end());
    const known = await openKysely(pool)
      .connection()
      .execute(async (db) => {
        expect(await runPrepared<Hit>(db, file, valuesFor('nameless'))).toMatchObject([
          { limit_key: 'nameless', hit_count: '1' },
        ]);
        return db
          .selectFrom('pg_prepared_statements' as never)
          .selectAll()
          .execute();
      });
    expect(known).toEqual([]);
  });
});

test('sessions write dates and floats alike, whatever the login had', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await database.pool.query(`alter role current_user in database ${name} set datestyle = 'German'`);
  const again = await connect({
    DATABASE_URL: database.url,
    DATA_DIR: '',
    applicationName: 'test',
  });
  onTestFinished(() => again.close());
  const { rows } = await again.pool.query(
    `select current_setting('datestyle') as style, timestamptz '2026-11-02 08:00+01'::text as moment`,
  );
  expect(rows).toEqual([{ style: 'ISO, YMD', moment: '2026-11-02 07:00:00+00' }]);
});

test('a session on a server that no longer writes is not used again', async () => {
  const pool = openPool({ ...database.connection, max: 1 });
  onTestFinished(() => pool.end());
  const pid = async () =>
    (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;
  const first = await pid();
  expect(await pid()).toBe(first);
  const client = await pool.connect();
  const refused = client.query('set transaction_read_only = on; create table none ()');
  await expect(refused).rejects.toMatchObject({ code: '25006' });
  client.release();
  expect(await pid()).not.toBe(first);
});

test('a server in recovery, which refuses to read unlogged tables, is no writer yet', () => {
  // PostgreSQL 15 to 18 report an unlogged table on a standby by 0A000; another routine's 0A000 is not retried.
  expect(isDatabaseAway({ code: '0A000', routine: 'get_relation_info' })).toBe(true);
  expect(isDatabaseAway({ code: '0A000', routine: 'transformLockingClause' })).toBe(false);
});
