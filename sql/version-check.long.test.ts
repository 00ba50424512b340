import { randomUUID } from 'node:crypto';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { administer } from '../fixtures/database/test-cluster.ts';
import { createTestDatabase, type TestDatabase } from '../fixtures/database/test-database.ts';
import { fixtureDays, runSource } from '../fixtures/dump/three-sources.ts';
import { verify } from '../pipeline/night/verify.ts';
import { connect, type Database } from './connection/database.ts';
import { migrate } from './migrate.ts';

const serverUrl = inject('serverUrl');

/** Creates an empty database, and returns it with its name. */
async function createEmpty() {
  const db = await createTestDatabase('template0');
  onTestFinished(() => db.drop());
  return { db, name: new URL(db.url).pathname.slice(1) };
}

/** Connects to a database in a role. */
async function openAs(role: string, { url }: TestDatabase): Promise<Database> {
  const DATABASE_URL = Object.assign(new URL(url), { username: role }).href;
  const db = await connect({ DATABASE_URL, DATA_DIR: '', applicationName: 'suitable' });
  onTestFinished(() => db.close());
  return db;
}

/**
 * Creates a role without any rights.
 * @returns the name of the role
 */
async function createRole(): Promise<string> {
  const role = `registry_test_${randomUUID().replaceAll('-', '')}`;
  await administer(serverUrl, `create role ${role} login`);
  // This hook runs after the databases in which the role has rights are dropped: only then can the role be dropped.
  onTestFinished(() => administer(serverUrl, `drop role ${role}`));
  return role;
}

/** Returns the names of the tables, views and functions of a database. */
async function listObjects({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select concat(relnamespace::regnamespace, '.', relname) as name from pg_class
     where relnamespace::regnamespace::text not like 'pg\\_%' order by 1`,
  );
  return rows.map(({ name }) => name);
}

describe('migrate', () => {
  test('needs no right but to create schemas', async () => {
    const [role, other] = [await createRole(), await createRole()];
    const { db: empty, name } = await createEmpty();
    const db = await openAs(role, empty);
    await expect(migrate(db)).rejects.toThrow(
      `${role} may not create schemas in the database ${name}: its owner or an administrator runs: grant create, temporary on database ${name} to ${role};`,
    );
    await administer(serverUrl, `grant create, temporary on database ${name} to ${role}`);
    expect(await migrate(db)).toContain('0001_schema');
    await runSource(db, 'regon', fixtureDays[0]!);
    await runSource(db, 'regon', fixtureDays[1]!);
    expect(await verify(db, 'regon')).toEqual([]);
    await runSource(db, 'krs', fixtureDays[1]!);
    // If the login is not the owner of the product's tables, the error names their owner.
    await administer(serverUrl, `grant create on database ${name} to ${other}`);
    await expect(migrate(await openAs(other, empty))).rejects.toThrow(
      `The tables of the database ${name} belong to ${role}, not to ${other}: connect as ${role}, or restore as ${other}`,
    );
  });

  test('gives the reader the rights that a restored backup lacks', async () => {
    const db = await createTestDatabase();
    await db.pool.query('revoke select on analyst.company from registry_reader');
    expect(await migrate(db)).toEqual([]);
    const { rows } = await db.pool.query(
      `select has_table_privilege('registry_reader', 'analyst.company', 'select') as may_read,
         has_table_privilege('registry_reader', 'analyst.wallet_transaction', 'select') as may_see`,
    );
    expect(rows).toEqual([{ may_read: true, may_see: false }]);
  });

  test('tells a database of another product, and takes one with tables elsewhere', async () => {
    const { db, name } = await createEmpty();
    await db.pool.query(
      'create schema customer; create table customer.invoice (invoice_id bigint)',
    );
    const before = await listObjects(db);
    await expect(migrate(db)).rejects.toThrow(
      `The database ${name} is of another product, which has the schemas customer: make a new one`,
    );
    expect(await listObjects(db)).toEqual(before);
    await db.pool.query('drop schema customer cascade; create table public.invoice ()');
    expect(await migrate(db)).toContain('0001_schema');
  });

  test('of an older version never puts its functions back', async () => {
    const { db, name } = await createEmpty();
    expect(await migrate(db, { version: '9.10.0' })).toContain('release 9.10.0');
    await db.pool.query(
      `update registry.applied_migration set sha256 = 'newer' where name like 'function/%'`,
    );
    await expect(migrate(db, { version: '9.9.0' })).rejects.toThrow(
      `The database ${name} is of version 9.10.0, this program of 9.9.0: run version 9.10.0, or restore the backup from before the upgrade`,
    );
    const { rows } = await db.pool.query(
      `select from registry.applied_migration where sha256 = 'newer' and name like 'function/%'`,
    );
    expect(rows.length).toBeGreaterThan(10);
    expect(await migrate(db, { version: '9.10.0' })).toContain('function/05_text.sql');
  });
});
