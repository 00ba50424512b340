import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { administer, withDatabase } from '../fixtures/database/test-cluster.ts';
import { connect, type Database } from './connection/database.ts';
import { migrate } from './migrate.ts';

const name = `registry_test_${randomUUID().replaceAll('-', '')}`;
let processes: Database[];

beforeAll(async () => {
  const serverUrl = inject('serverUrl');
  await administer(serverUrl, `create database ${name} template template0`);
  const databaseUrl = withDatabase(serverUrl, name);
  const options = { databaseUrl, dataDir: '', applicationName: 'registry tests' };
  processes = await Promise.all(Array.from({ length: 4 }, () => connect(options)));
});

afterAll(async () => {
  await Promise.all(processes.map((db) => db.close()));
  await administer(inject('serverUrl'), `drop database ${name} with (force)`);
});

describe('migrate', () => {
  test('started four times at once, applies each migration once', async () => {
    const [db] = processes as [Database, ...Database[]];

    const applied = await Promise.all(processes.map((each) => migrate(each)));

    const [names = [], ...others] = applied.filter((each) => each.length > 0);
    expect(names.slice(0, 2)).toEqual(['graphile_worker_20', '0001_run']);
    expect(names).toContain('function/01_text.sql');
    expect(others).toEqual([]);
    expect(await migrate(db)).toEqual([]);
  });

  test('applies a file of functions again when it has changed', async () => {
    const [db] = processes as [Database, ...Database[]];
    await db.pool.query(
      `update public.applied_migration set sha256 = 'old' where name = 'function/01_text.sql'`,
    );
    expect(await migrate(db)).toEqual(['function/01_text.sql']);
    expect(await migrate(db)).toEqual([]);
  });

  test('refuses a database that a newer version has migrated', async () => {
    const [db] = processes as [Database, ...Database[]];
    await db.pool.query(
      `insert into public.applied_migration (name, sha256) values ('0999_later', '')`,
    );
    await expect(migrate(db)).rejects.toThrow(
      'The database is of a newer version: it has migration 0999_later',
    );
    await db.pool.query(`delete from public.applied_migration where name = '0999_later'`);
    expect(await migrate(db)).toEqual([]);
  });

  test('ends when its session is ended', async () => {
    const [other] = processes as [Database, ...Database[]];
    const databaseUrl = withDatabase(inject('serverUrl'), name);
    const db = await connect({ databaseUrl, dataDir: '', applicationName: 'migrating' });
    const reader = await other.pool.connect();
    await reader.query('begin; lock table public.applied_migration');
    const migrating = migrate(db).catch((error: Error) => error);
    for (let ended = 0; ended === 0;) {
      const { rowCount } = await other.pool.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
         where application_name = 'migrating' and wait_event_type = 'Lock'`,
      );
      ended = rowCount!;
    }
    await reader.query('rollback');
    reader.release();
    expect(await migrating).toBeInstanceOf(Error);
    // No session is kept, which would never end.
    await db.close();
  });

  test('brings the job queue up to date as well', async () => {
    const [db] = processes as [Database, ...Database[]];
    await db.pool.query(
      `update public.applied_migration set name = 'graphile_worker_19'
       where name = 'graphile_worker_20'`,
    );
    expect(await migrate(db)).toEqual(['graphile_worker_20']);
    expect(await migrate(db)).toEqual([]);
  });

  test('gives its lock back after a fault', async () => {
    const [db, other] = processes as [Database, Database, ...Database[]];
    await db.pool.query(`delete from public.applied_migration where name = 'graphile_worker_20'`);
    await db.pool.query('alter table graphile_worker.migrations rename to lost');
    await expect(migrate(db)).rejects.toThrow(/^Migration graphile_worker_20 failed: /);
    await db.pool.query('drop table if exists graphile_worker.migrations');
    await db.pool.query('alter table graphile_worker.lost rename to migrations');
    expect(await migrate(other)).toEqual(['graphile_worker_20']);
  });
});
