import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { runFixture } from '../fixtures/dump/night.ts';
import { createTestDatabase } from '../fixtures/database/test-database.ts';
import { connect, runFile } from '../sql/connection/database.ts';
import { isLostConnection } from '../sql/connection/lost-connection.ts';
import { describeFault } from './fault.ts';
import { settle } from './night/sessions.ts';
import { ServiceFault } from './fetch/service.ts';

const db = await createTestDatabase();

/** Returns the error with which a promise is rejected. */
async function faultOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );
}

async function openSession(): Promise<{ client: Client; end: () => Promise<unknown> }> {
  const client = new Client({ ...db.pool.options, application_name: 'fault' });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return {
    client,
    end: () => db.pool.query('select pg_terminate_backend($1, 5000)', [rows[0]!.pid]),
  };
}

test('a session that is ended in a statement, and one that is used after its end', async () => {
  const { client, end } = await openSession();
  const statement = faultOf(client.query('select pg_sleep(60)'));
  await end();
  const faults = [await statement, await faultOf(client.query('select 1'))];
  expect(faults.map(describeFault)).toEqual([
    expect.stringMatching(/^The connection to the database was lost: .+; run it again\.$/),
    expect.stringMatching(/^The connection to the database was lost: .+; run it again\.$/),
  ]);
  const wrapped = await faultOf(runFile(client, 'nightly/2_compare/number_entries.sql'));
  expect(describeFault(wrapped)).toMatch(
    /^The connection to the database was lost: sql\/nightly\/2_compare\/number_entries\.sql: .+; run it again\.$/,
  );
});

test('a further session that finds no socket, or nobody behind the port', async () => {
  const places = [{ host: '/nowhere' }, { host: '127.0.0.1', port: 1 }];
  for (const place of places) {
    const fault = await faultOf(new Client(place).connect());
    expect(describeFault(fault)).toMatch(
      /^The connection to the database was lost: connect E.+; run it again\.$/,
    );
  }
});

test('any other fault is told as it is', async () => {
  const statement = await faultOf(db.pool.query('select * from missing'));
  expect(describeFault(statement)).toBe('relation "missing" does not exist');
  const DATABASE_URL = 'postgres://127.0.0.1:1/registry';
  const start = await faultOf(connect({ DATABASE_URL, DATA_DIR: '', applicationName: 'fault' }));
  expect(describeFault(start)).toMatch(/^The database cannot be reached: connect ECONNREFUSED/);
  expect(isLostConnection(await faultOf(readFile('/nowhere')))).toBe(false);
  const service = new ServiceFault('KRS cannot be reached: read ECONNRESET');
  expect(describeFault(service)).toBe('KRS cannot be reached: read ECONNRESET');
});

test('a full disk is told as such, whatever wraps it and whatever other sessions say', async () => {
  await db.pool.query(`
    create function fill_the_disk() returns trigger language plpgsql as $$
    begin
      raise exception using errcode = '53100',
        message = 'could not extend file "base/1/2": wrote only 4096 of 8192 bytes at block 1';
    end $$;
    create trigger fill_the_disk before insert on registry.run_file
    for each row execute function fill_the_disk()`);
  const fault = await faultOf(runFixture(db, '2026-11-02'));
  const told =
    /^The disk of the database is full: sql\/nightly\/5_publish\/run\.sql: could not extend/;
  expect(describeFault(fault)).toMatch(told);
  const { rows } = await db.pool.query<{ state: string; message: string }>(
    'select state, message from registry.run',
  );
  expect(rows).toEqual([{ state: 'failed', message: expect.stringMatching(told) }]);
  await db.pool.query('drop function fill_the_disk cascade');
  const lost = new Error('Connection terminated unexpectedly');
  const full = Object.assign(new Error('could not write'), { code: '53100' });
  const first = settle([Promise.reject(lost), Promise.reject(full)]);
  expect(await faultOf(first)).toBe(full);
});

test('a first snapshot that loses a deadlock when its partition is attached tries again', async () => {
  await db.pool.query(`
    create sequence attempts;
    create function lose_once() returns event_trigger language plpgsql as $$
    begin
      if exists (
        select from pg_event_trigger_ddl_commands() where object_identity = 'registry.entry_ceidg'
      ) and nextval('attempts') = 1
      then raise exception using errcode = '40P01', message = 'deadlock detected'; end if;
    end $$;
    create event trigger lose_once on ddl_command_end when tag in ('ALTER TABLE')
    execute function lose_once()`);
  expect(await runFixture(db, '2026-11-02', { isDryRun: true })).toMatchObject({ rejected: 0 });
  const { rows } = await db.pool.query('select last_value::int > 1 as is_again from attempts');
  expect(rows).toEqual([{ is_again: true }]);
  await db.pool.query('drop event trigger lose_once');
});

test('a night whose session is gone tells that, whatever another session says of it', async () => {
  await db.pool.query(`
    create function fail_beside_the_night() returns event_trigger language plpgsql as $$
    begin
      if not exists (
        select from pg_event_trigger_ddl_commands() where object_identity = 'stage_ceidg.entry_ceidg'
      ) then return; end if;
      perform pg_terminate_backend(pid, 5000) from registry.lock
      where lock_name = 'ceidg' and pid <> pg_backend_pid();
      raise exception 'stage.record is not there';
    end $$;
    create event trigger fail_beside_the_night on ddl_command_end when tag in ('CREATE TABLE')
    execute function fail_beside_the_night()`);
  const fault = await faultOf(runFixture(db, '2026-11-02'));
  expect(describeFault(fault)).toMatch(/^The connection to the database was lost: /);
});
