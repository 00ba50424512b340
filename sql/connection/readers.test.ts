import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { sql } from 'kysely';
import { startDatabaseProxy } from '../../fixtures/database/database-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { connect, type Database } from './database.ts';
import type { Db } from './kysely.ts';

const [writer, one, other] = await Promise.all([
  createTestDatabase(),
  createTestDatabase(),
  createTestDatabase(),
]);
await Promise.all([writer, one, other].map((target) => publish(target, 5)));
const toWriter = await startDatabaseProxy(writer.url);
const options = {
  DATABASE_URL: toWriter.url,
  DATABASE_READ_URL: [one.url, other.url],
  DATA_DIR: '',
  applicationName: 'readers test',
};
const database = await connect(options);

afterAll(async () => {
  await database.close();
  await toWriter.close();
});

/** Returns the name of the database that answers a read. */
async function nameOf(db: Db): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  return rows[0]!.name;
}

/** Returns the names of the databases that answer four successive reads. */
async function names(least_no?: number): Promise<string[]> {
  const asked = [1, 2, 3, 4].map(() => database.readers!.read(nameOf, least_no));
  return [...new Set(await Promise.all(asked))].toSorted();
}

async function publish(target: TestDatabase, snapshot_no: number): Promise<void> {
  await target.pool.query(
    `update registry.last_id set last_id = $1 where table_name = 'snapshot'`,
    [snapshot_no],
  );
}

const databaseOf = ({ url }: TestDatabase) => new URL(url).pathname.slice(1);

const both = () => [one, other].map(databaseOf).toSorted();

describe('a read', () => {
  test('goes in turn to the readers that have the snapshot, else to the writer', async () => {
    expect(await names()).toEqual(both());
    await publish(writer, 6);
    await publish(one, 6);
    expect(await names(6)).toEqual([databaseOf(one)]);
    // This process has now read the snapshot 6, so no later answer is older.
    expect(await names()).toEqual([databaseOf(one)]);
    await publish(writer, 7);
    expect(await names(7)).toEqual([databaseOf(writer)]);
    await publish(one, 7);
    await publish(other, 7);
    expect(await names(7)).toEqual(both());
  });

  test('passes over a reader that shows what is not committed on the writer yet', async () => {
    await publish(one, 8);
    await expect
      .poll(() => database.readers!.states().map(({ snapshot_no }) => snapshot_no))
      .toEqual([8, 7]);
    expect(await names()).toEqual([databaseOf(other)]);
    await publish(one, 7);
    await expect.poll(() => names()).toEqual(both());
  });

  test.each([
    [
      'that a standby cancels is done once more, on the writer',
      sql`do $$ begin raise 'canceling statement' using errcode = '40001'; end $$`,
      () => [databaseOf(writer)],
    ],
    [
      'whose session is lost is done on the next server',
      sql`select pg_terminate_backend(pg_backend_pid())`,
      both,
    ],
  ])('%s', async (_, fault, expected) => {
    const asked: string[] = [];
    const answer = await database.readers!.read(async (db) => {
      asked.push(await nameOf(db));
      if (asked.length === 1) await fault.execute(db);
      return asked.length;
    });
    expect(answer).toBe(2);
    expect(asked[1]).not.toBe(asked[0]);
    expect(expected()).toContain(asked[1]);
  });

  test('with a wrong statement is not repeated', async () => {
    let count = 0;
    const wrong = database.readers!.read(async (db) => {
      count += 1;
      await sql`select 1 / 0`.execute(db);
    });
    await expect(wrong).rejects.toThrow('division by zero');
    expect(count).toBe(1);
  });

  test('takes no part in a transaction', async () => {
    const transaction = database.readers!.db.transaction().execute(nameOf);
    await expect(transaction).rejects.toThrow('no transaction');
    expect(both()).toContain(await nameOf(database.readers!.db));
  });
});

test('states name each reader by its host and port', async () => {
  const state = { is_up: true, snapshot_no: 7, lag_seconds: 0 };
  const named = { ...state, name: expect.stringMatching(/^[^\s@]+:\d+$/) as string };
  await expect.poll(() => database.readers!.states()).toEqual([named, named]);
});

test('the writer is asked while it is there, and reads go on while it is away', async () => {
  const impatient = await connect({ ...options, mostAway_s: 0 });
  onTestFinished(() => impatient.close());
  const readers = database.readers!;
  expect(await readers.askWriter(() => Promise.resolve('yes'))).toBe('yes');
  expect(await readers.readCustomer(nameOf)).toBe(databaseOf(writer));
  await toWriter.cut();
  await expect.poll(() => readers.askWriter(() => Promise.resolve('yes'))).toBeUndefined();
  expect(both()).toContain(await readers.readCustomer(nameOf));
  await expect(impatient.readers!.readCustomer(nameOf)).rejects.toThrow('ECONNREFUSED');
  expect(await names()).toEqual(both());
});

/** Connects with `one` as the only standby, whose lag may be up to half a second. */
async function connectLagging(): Promise<Database> {
  const lagging = await connect({
    ...options,
    DATABASE_READ_URL: [one.url],
    DATABASE_READ_LAG_SECONDS: 0.5,
  });
  onTestFinished(() => lagging.close());
  return lagging;
}

test('a reader that is behind is passed over, unless it only lacks the end of a writer that is away', async () => {
  await toWriter.mend();
  // The replaced functions answer as on a standby that has replayed only half of the last WAL record.
  await one.pool.query(`
    create schema standby;
    create function standby.pg_is_in_recovery() returns boolean return true;
    create function standby.pg_last_wal_receive_lsn() returns pg_lsn return pg_lsn '0/2';
    create function standby.pg_last_wal_replay_lsn() returns pg_lsn return pg_lsn '0/1';
    create table standby.replayed as select clock_timestamp() - interval '1 minute' as replayed_at;
    create function standby.pg_last_xact_replay_timestamp() returns timestamptz
    return (select replayed_at from standby.replayed);
    do $$ begin
      execute format('alter database %I set search_path = standby, pg_catalog', current_database());
    end $$`);
  const lagging = await connectLagging();
  const ask = () => lagging.readers!.read(nameOf);
  expect(await ask()).toBe(databaseOf(writer));
  // The standby has replayed all received WAL, but receives no more WAL.
  await one.pool.query(`
    create or replace function standby.pg_last_wal_receive_lsn() returns pg_lsn return pg_lsn '0/1'`);
  await delay(500);
  expect(await ask()).toBe(databaseOf(writer));
  await one.pool.query('update standby.replayed set replayed_at = clock_timestamp()');
  await toWriter.cut();
  await expect.poll(ask).toBe(databaseOf(one));
  await delay(1_500);
  expect(await ask()).toBe(databaseOf(one));
});

test('a reader that stood still is not fresh because nothing is sent to it any more', async () => {
  await toWriter.mend();
  await one.pool.query(`
    create or replace function standby.pg_last_wal_receive_lsn() returns pg_lsn return pg_lsn '0/2';
    update standby.replayed set replayed_at = clock_timestamp() - interval '1 minute';
    create table standby.pg_stat_wal_receiver as select 1 as pid`);
  const { readers } = await connectLagging();
  const lag = () => readers!.states()[0]!.lag_seconds;
  expect(lag()).toBeGreaterThanOrEqual(60);
  await one.pool.query('delete from standby.pg_stat_wal_receiver');
  await toWriter.cut();
  await delay(500);
  expect(lag()).toBeGreaterThanOrEqual(60);
  await expect(readers!.read(nameOf)).rejects.toThrow('ECONNREFUSED');
  // The standby has replayed no transaction since its start.
  await one.pool.query('update standby.replayed set replayed_at = null');
  await toWriter.mend();
  const unknown = await connectLagging();
  expect(await unknown.readers!.read(nameOf)).toBe(databaseOf(writer));
});
