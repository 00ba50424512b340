import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../fixtures/process/cli.ts';
import { dumpTables, fixtureFolder, runDump } from '../../fixtures/dump/night.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';
import { AlreadyRunning } from '../errors.ts';
import { lockPublishing, tryLock, whileLocked } from './lock.ts';
import { Reporter } from './reporter.ts';
import { verify } from './verify.ts';

const day = '2026-11-02';
const folders = {
  ceidg: fixtureFolder(day),
  regon: fileURLToPath(new URL(`../../fixtures/regon/${day}`, import.meta.url)),
};

/**
 * Takes the publication lock and starts nights, which wait for the lock; returns the nights, their notes, and a
 * function that releases the lock.
 */
async function startWaiting(db: TestDatabase, date: string, dumps: Partial<typeof folders>) {
  const client = await db.pool.connect();
  await lockPublishing(client, 'PL', () => undefined);
  const notes: string[] = [];
  const started = Object.entries(dumps).map(([source, path]) => {
    const waiting = Promise.withResolvers<void>();
    const note = (sentence: string) => (notes.push(sentence), waiting.resolve());
    const reporter = Object.assign(new Reporter(), { note });
    return { night: runDump(db, path, date, { source, reporter }), waiting: waiting.promise };
  });
  await Promise.all(started.map(({ waiting }) => waiting));
  return { nights: started.map(({ night }) => night), notes, end: () => client.release(true) };
}

const secondDay = { ceidg: fixtureFolder('2026-11-03') };

test('sources read their dumps at the same time, and publish one after another', async () => {
  const db = await createTestDatabase();
  const { nights, notes, end } = await startWaiting(db, day, folders);
  // Both nights have read their dumps, and wait for the country's publication lock.
  expect(notes).toEqual(Array(2).fill('waiting until another source is published'));
  const { rows } = await db.pool.query(
    `select count(*)::int as ceidg, (select count(*)::int from stage_regon.entry) as regon
     from stage_ceidg.entry`,
  );
  expect(rows).toEqual([{ ceidg: 81, regon: 41 }]);
  // A second run of the same source fails at once instead of waiting.
  await expect(runDump(db, folders.ceidg, day)).rejects.toThrow(AlreadyRunning);

  end();
  const summaries = await Promise.all(nights);
  expect(summaries.map(({ state }) => state)).toEqual(['published', 'published']);
  for (const source of Object.keys(folders)) expect(await verify(db, source)).toEqual([]);
});

test('an entry that another source moves meanwhile is found where it lies then', async () => {
  const db = await createTestDatabase();
  await runDump(db, folders.ceidg, day);
  const { nights, notes, end } = await startWaiting(db, '2026-11-03', secondDay);
  // The update gives every row another ctid (place in the table), as a merge of companies does.
  await db.pool.query('update registry.entry set company_id = company_id');
  end();
  const { deleted, events } = await nights[0]!;
  // Changed ctids do not make the night read every record again: the night's only note is about the wait for the lock.
  expect(notes).toEqual(['waiting until another source is published']);
  const undisturbed = await createTestDatabase();
  await runDump(undisturbed, folders.ceidg, day);
  expect(await runDump(undisturbed, fixtureFolder('2026-11-03'), '2026-11-03')).toMatchObject({
    deleted,
    events,
  });
  expect(await dumpTables(db)).toEqual(await dumpTables(undisturbed));
  expect(await verify(db, 'ceidg')).toEqual([]);
});

test('of the sessions that try at once one gets a lock, and another when that one has ended', async () => {
  const db = await createTestDatabase();
  const clients = await Promise.all(Array.from({ length: 8 }, () => db.pool.connect()));
  const tryAll = async (open: typeof clients, name: string) =>
    (await Promise.all(open.map((client) => tryLock(client, name)))).filter(Boolean).length;
  expect(await tryAll(clients, 'ceidg')).toBe(1);
  // At the second attempt, only the session that holds the lock `ceidg` succeeds. The lock `krs` is free.
  expect(await tryAll(clients, 'ceidg')).toBe(1);
  expect(await tryAll(clients, 'krs')).toBe(1);
  const { rows } = await db.pool.query<{ pid: number }>(
    `select pid from registry.lock where lock_name = 'ceidg' and pg_terminate_backend(pid, 5000)`,
  );
  const isLeft = (client: { processID?: number }) => client.processID !== rows[0]!.pid;
  const left = clients.filter((client) => isLeft(client as { processID?: number }));
  expect(left).toHaveLength(7);
  expect(await tryAll(left, 'ceidg')).toBe(1);
  for (const client of clients) client.release(true);
});

test('no command needs a lock that a reader could take', async () => {
  const db = await createTestDatabase();
  const login = `locks_${process.pid}`;
  await db.pool.query(`create role ${login} login`);
  await db.pool.query(`create database ${login} owner ${login} template template0`);
  const url = Object.assign(new URL(db.url), { pathname: login });
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  onTestFinished(async () => {
    await admin.end();
    await db.pool.query(`drop database ${login} with (force)`);
    await db.pool.query(`drop role ${login}`);
  });
  // By default, every role may use advisory locks. The test revokes this right.
  await admin.query(`
    do $$
    declare
      lock regprocedure;
    begin
      for lock in select oid from pg_proc where proname ~ '^pg_(try_)?advisory' loop
        execute format('revoke execute on function %s from public', lock);
      end loop;
    end $$`);
  const variables = { DATABASE_URL: Object.assign(url, { username: login }).href };
  for (const command of ['migrate', `ingest ceidg ${folders.ceidg} --date ${day}`, 'status']) {
    const { code, stderr } = await runCommand(command.split(' '), variables);
    expect(stderr).not.toContain('permission denied');
    expect({ command, code }).toEqual({ command, code: 0 });
  }
  // Both locks name the pid of a session of another login; the lock `old` is older than this session.
  await admin.query(
    `insert into registry.lock values ('old', pg_backend_pid(), '2000-01-01'),
       ('held', pg_backend_pid(), now())`,
  );
  const client = new Client({ connectionString: variables.DATABASE_URL });
  await client.connect();
  expect(await tryLock(client, 'old')).toBe(true);
  expect(await tryLock(client, 'held')).toBe(false);
  await client.end();
  await expect(
    admin.query('begin; set local role registry_reader; select registry.try_lock($$ceidg$$)'),
  ).rejects.toThrow('permission denied for schema registry');
});

test('a night whose later sessions reach another server publishes nothing', async () => {
  const db = await createTestDatabase();
  await runDump(db, folders.ceidg, day);
  const { nights, end } = await startWaiting(db, '2026-11-03', secondDay);
  // The test replaces `registry.epoch` to simulate a failover, after which this function returns another value.
  await db.pool.query(
    `create or replace function registry.epoch() returns text language sql return '00000002'`,
  );
  end();
  await expect(nights[0]).rejects.toThrow('The database has moved to another server');
  const { rows } = await db.pool.query(`select dump_date, state from registry.run order by run_id`);
  expect(rows).toEqual([
    { dump_date: day, state: 'published' },
    { dump_date: '2026-11-03', state: 'failed' },
  ]);
  expect(await verify(db, 'ceidg')).toEqual([]);
});

test('a fetch is told when its lock is lost, and lasts as long as it does', async () => {
  const db = await createTestDatabase();
  const { pool } = db;
  const lock = (use: (lost: AbortSignal) => Promise<void>) =>
    whileLocked(pool, 'fetch krs', 'Another process is fetching krs', use);
  const fetching = lock(async (lost) => {
    await expect(lock(() => Promise.resolve())).rejects.toThrow('Another process is fetching krs');
    await pool.query(
      `select pg_terminate_backend(pid) from registry.lock where lock_name = 'fetch krs'`,
    );
    await expect.poll(() => lost.aborted).toBe(true);
    throw lost.reason as Error;
  });
  await expect(fetching).rejects.toSatisfy(isLostConnection);
});
