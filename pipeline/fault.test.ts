import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runFixture } from '../fixtures/night.ts';
import { createTestDatabase, type TestDatabase } from '../fixtures/test-database.ts';
import { connect, runFile } from '../sql/database.ts';
import { describeFault, isLostConnection } from './fault.ts';
import { ServiceFault } from './fetch/service.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});

afterAll(() => db.drop());

/** What a promise is rejected with. */
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
  const wrapped = await faultOf(runFile(client, 'nightly/0_stage.sql'));
  expect(describeFault(wrapped)).toMatch(
    /^The connection to the database was lost: sql\/nightly\/0_stage\.sql: .+; run it again\.$/,
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
  const databaseUrl = 'postgres://127.0.0.1:1/registry';
  const start = await faultOf(connect({ databaseUrl, dataDir: '', applicationName: 'fault' }));
  expect(describeFault(start)).toMatch(/^The database cannot be reached: connect ECONNREFUSED/);
  expect(isLostConnection(await faultOf(readFile('/nowhere')))).toBe(false);
  const service = new ServiceFault('KRS cannot be reached: read ECONNRESET', { isPassing: true });
  expect(describeFault(service)).toBe('KRS cannot be reached: read ECONNRESET');
});

test('a night whose session is gone tells that, whatever another session says of it', async () => {
  await db.pool.query(`
    create function fail_beside_the_night() returns event_trigger language plpgsql as $$
    begin
      if not exists (
        select from pg_event_trigger_ddl_commands() where object_identity = 'stage.first_entry'
      ) then return; end if;
      perform pg_terminate_backend(pid, 5000) from pg_locks
      where locktype = 'advisory' and classid = x'72656769'::bit(32)::integer::oid
        and database = (select oid from pg_database where datname = current_database())
        and pid <> pg_backend_pid();
      raise exception 'stage.record is not there';
    end $$;
    create event trigger fail_beside_the_night on ddl_command_end when tag in ('CREATE TABLE')
    execute function fail_beside_the_night()`);
  const fault = await faultOf(runFixture(db, '2026-11-02'));
  expect(describeFault(fault)).toMatch(/^The connection to the database was lost: /);
});
