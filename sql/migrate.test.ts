import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { administer, withDatabase } from '../fixtures/database/test-cluster.ts';
import { connect, type Database } from './database.ts';
import { migrate, pendingMigrations } from './migrate.ts';

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
    const pending = await pendingMigrations(db);
    expect(pending.slice(0, 2)).toEqual(['graphile_worker_20', '0001_run']);

    const applied = await Promise.all(processes.map((each) => migrate(each)));

    expect(applied.filter((names) => names.length > 0)).toEqual([pending]);
    expect(await pendingMigrations(db)).toEqual([]);
    expect(await migrate(db)).toEqual([]);
  });

  test('refuses a database that a newer version has migrated', async () => {
    const [db] = processes as [Database, ...Database[]];
    await db.pool.query(`insert into public.applied_migration (name) values ('0999_later')`);
    await expect(migrate(db)).rejects.toThrow(
      'The database is of a newer version: it has migration 0999_later',
    );
    await db.pool.query(`delete from public.applied_migration where name = '0999_later'`);
    expect(await migrate(db)).toEqual([]);
  });

  test('ends when the session of its lock is ended while it is idle', async () => {
    const [other] = processes as [Database, ...Database[]];
    const databaseUrl = withDatabase(inject('serverUrl'), name);
    const db = await connect({ databaseUrl, dataDir: '', applicationName: 'migrating' });
    const reader = await other.pool.connect();
    await reader.query('begin; lock table registry.applied_function');
    const migrating = migrate(db).catch((error: Error) => error);
    for (let ended = 0; ended === 0;) {
      const { rowCount } = await other.pool.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
         where application_name = 'migrating' and state = 'idle' and query like '%advisory_lock%'
           and exists (
             select from pg_stat_activity
             where application_name = 'migrating' and wait_event_type = 'Lock'
           )`,
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
    await db.pool.query('delete from graphile_worker.migrations where id = 20');
    expect(await pendingMigrations(db)).toEqual(['graphile_worker_20']);
  });

  test('gives its lock back after a fault', async () => {
    const [db, other] = processes as [Database, Database, ...Database[]];
    await db.pool.query('alter table graphile_worker.migrations rename to lost');
    await expect(migrate(db)).rejects.toThrow(/^The migration of the job queue failed: /);
    await db.pool.query('drop table if exists graphile_worker.migrations');
    await db.pool.query('alter table graphile_worker.lost rename to migrations');
    await db.pool.query('insert into graphile_worker.migrations (id) values (20)');
    expect(await migrate(other)).toEqual([]);
  });
});
