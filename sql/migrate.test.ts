import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { administer, withDatabase } from '../fixtures/test-cluster.ts';
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
    expect(pending.slice(0, 2)).toEqual(['graphile_worker_20', '0001_registry']);

    const applied = await Promise.all(processes.map((each) => migrate(each)));

    expect(applied.filter((names) => names.length > 0)).toEqual([pending]);
    expect(await pendingMigrations(db)).toEqual([]);
    expect(await migrate(db)).toEqual([]);
  });

  test('does not mind tables that a night drops while it looks which there are', async () => {
    const [db, night] = processes as [Database, Database, ...Database[]];
    await night.pool.query('create table stage.leaving (a integer)');
    const pending = db.kysely
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (kysely) => {
        // From here on it sees what there was at this moment.
        await sql`select`.execute(kysely);
        await night.pool.query('drop table stage.leaving');
        return await pendingMigrations({ kysely, pool: db.pool });
      });
    expect(await pending).toEqual([]);
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
