import { mkdir, mkdtemp, readdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAccount } from '../../fixtures/client/account.ts';
import { runFixture } from '../../fixtures/dump/night.ts';
import { verify } from '../night/verify.ts';
import { leaveMail } from '../../fixtures/process/mail.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { startTestSmtp } from '../../fixtures/process/test-smtp.ts';
import { startTestWorker } from '../../fixtures/process/test-worker.ts';
import { readEnvironment } from '../environment.ts';
import { applyRetention } from './retention.ts';

const db = await createTestDatabase();
const dataDir = await mkdtemp(join(tmpdir(), 'registry-retention-'));

/** Deletes what is older than its retention period; `settings` replace the default periods. */
function retain(settings: NodeJS.ProcessEnv = {}) {
  const environment = readEnvironment({ DATA_DIR: dataDir, ...settings });
  return applyRetention(db.pool, environment, now);
}

const day_ms = 86_400_000;
const now = new Date('2026-11-20T10:05:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * day_ms);

/** Inserts a mail in the given state and its one-time token, both `days` days old. */
async function leave(days: number, state: string): Promise<{ mail_id: number; token: string }> {
  const created_at = daysAgo(days);
  const { mail_id, one_time_token_id } = await leaveMail(db, { created_at });
  await db.pool.query(
    `update customer.mail set state = $2, ended_at = case when $2 <> 'queued' then created_at end
     where mail_id = $1`,
    [mail_id, state],
  );
  return { mail_id, token: one_time_token_id };
}

/** Returns the first column of each row of a query. */
async function read(query: string, values: unknown[] = []): Promise<unknown[]> {
  const { rows } = await db.pool.query<unknown[]>({ text: query, values, rowMode: 'array' });
  return rows.map(([value]) => value);
}

test('mails and one-time tokens that are done are deleted after 30 days', async () => {
  const waiting = await leave(40, 'queued');
  const done = await Promise.all(['sent', 'failed', 'dropped'].map((state) => leave(40, state)));
  const recent = await leave(29, 'sent');
  await db.pool.query(
    `insert into customer.alert
     select mail.account_id, 7, mail_id from customer.mail where mail_id = any ($1)`,
    [[done[0]!.mail_id, recent.mail_id]],
  );
  expect(await retain()).toEqual({ mail_count: 3, token_count: 4 });
  const left = [waiting.mail_id, recent.mail_id];
  expect(await read('select mail_id::int from customer.mail order by mail_id')).toEqual(left);
  expect(await read('select one_time_token_id from customer.one_time_token')).toEqual([
    recent.token,
  ]);
  expect(await read('select mail_id::int from customer.alert')).toEqual([recent.mail_id]);
  // An account whose registration was never completed is deleted when its token and its mail are deleted.
  const accounts = `select mail_id::int from customer.account
    left join customer.mail using (account_id) order by mail_id`;
  expect(await read(accounts)).toEqual(left);
  expect(await retain()).toEqual({ mail_count: 0, token_count: 0 });
});

test('deliveries of webhooks are deleted after 30 days, and no webhook is', async () => {
  const { account_id } = await createAccount(db.kysely);
  await db.pool.query(
    `with webhook as (
       insert into customer.webhook (account_id, webhook_ref, url, scope, max_events, has_heartbeat,
         event_id, snapshot_no, published, created_at)
       values ($1, 'A', 'https://receiver.example', 'all', 1, true, 0, 0, '{}', $2)
       returning webhook_id
     )
     insert into customer.webhook_delivery (webhook_id, message_id, kind, previous_event_id,
       event_id, event_count, attempt_no, started_at, duration_ms)
     select webhook_id, days, 'test', 0, 0, 0, 1, $3::timestamptz - days * interval '1 day', 1
     from webhook, unnest(array[29, 30, 31]) as days`,
    [account_id, daysAgo(40), now],
  );
  await retain();
  const kept = 'select message_id from customer.webhook_delivery order by 1';
  expect(await read(kept)).toEqual(['29', '30']);
  expect(await read('select webhook_ref from customer.webhook')).toEqual(['A']);
});

test('answers to repeated requests are deleted after a day, windows of rate limits after an hour', async () => {
  const before = (at: Date, ms: number) => new Date(at.getTime() - ms);
  const hourAgo = before(now, 3_600_000);
  await db.pool.query(
    `insert into customer.idempotent_answer
     values (7, 'snapshot', 'old', '', '{}', '{}', $1), (7, 'snapshot', 'recent', '', '{}', '{}', $2)`,
    [before(daysAgo(1), 1), daysAgo(1)],
  );
  await db.pool.query(`insert into customer.rate_limit values ('old', 1, $1), ('recent', 1, $2)`, [
    before(hourAgo, 1),
    hourAgo,
  ]);
  await retain();
  const kept = `select idempotency_key as key from customer.idempotent_answer
    union all select limit_key from customer.rate_limit`;
  expect(await read(kept)).toEqual(['recent', 'recent']);
});

test('submissions are deleted 30 days after their end, unless their account is at work', async () => {
  const ids: string[] = [];
  for (const settled_at of [daysAgo(31), daysAgo(29), null, daysAgo(31)]) {
    const { account_id } = await createAccount(db.kysely);
    const { rows } = await db.pool.query<{ account_id: string }>(
      `insert into customer.submission (account_id, created_at, settled_at) values ($1, $2, $3)
       returning account_id`,
      [account_id, daysAgo(40), settled_at],
    );
    ids.push(rows[0]!.account_id);
  }
  const client = await db.pool.connect();
  await client.query('begin');
  await client.query('select customer.lock_accounts($1)', [[ids[3]]]);
  await retain();
  await client.query('rollback');
  client.release();
  const left = 'select account_id from customer.submission order by account_id';
  expect(await read(left)).toEqual(ids.slice(1));
  await retain();
  expect(await read(left)).toEqual(ids.slice(1, 3));
});

test('rejected rows lose their text, tokens their IP address and files their mails when they are old', async () => {
  await db.pool.query(
    `with run as (
       insert into registry.run (source, dump_date, state, started_at, finished_at)
       select 'ceidg', day::date, 'refused', day, day from unnest($1::timestamptz[]) as day
       returning run_id
     )
     insert into registry.reject select run_id, 'a.csv', 2, 'damaged_row', 'x', 'Jan' from run`,
    [[daysAgo(91), daysAgo(89)]],
  );
  const { account_id } = await createAccount(db.kysely);
  const { account_id: other } = await createAccount(db.kysely);
  const use = `update customer.token set last_used_at = $2, last_used_ip = '192.0.2.1' where account_id = $1`;
  await db.pool.query(use, [account_id, daysAgo(91)]);
  await db.pool.query(use, [other, daysAgo(89)]);
  const folder = join(dataDir, 'mail');
  await mkdir(folder);
  const files = { 'old.eml': 31, 'old.txt': 31, 'new.eml': 29, a: 31 };
  for (const [file, days] of Object.entries(files)) {
    await writeFile(join(folder, file), '');
    await utimes(join(folder, file), daysAgo(days), daysAgo(days));
  }
  await retain();
  const rejects = 'select raw from registry.reject order by run_id';
  expect(await read(rejects)).toEqual(['', 'Jan']);
  const used = 'select last_used_ip from customer.token where last_used_at > $1 order by token_id';
  expect(await read(used, [daysAgo(100)])).toEqual([null, '192.0.2.1']);
  expect(await readdir(folder)).toEqual(['a', 'new.eml']);
  await retain({ REJECT_DAYS: '88' });
  expect(await read(rejects)).toEqual(['', '']);
});

test('dumps and closed persons stay, unless a period is set', async () => {
  for (const date of ['2026-11-02', '2026-11-03']) {
    await runFixture(db, date, { now: () => daysAgo(date === '2026-11-02' ? 8 : 6) });
  }
  const inbox = join(dataDir, 'inbox', 'ceidg');
  const dates = ['2026-11-01', '2026-11-02', '2026-11-03'];
  for (const date of dates) await mkdir(join(inbox, date), { recursive: true });
  const closed = `select concat(count(*), ' closed, ', count(*) filter (where surname is null), ' hidden')
    from registry.entry where status = 'DELETED'`;
  await retain();
  expect(await readdir(inbox)).toEqual(dates);
  expect(await read(closed)).toEqual(['2 closed, 0 hidden']);
  await db.pool.query(
    `insert into registry.reject
     select max(run_id), 'b.csv', line, 'damaged_row', 'x', nip
     from registry.run, (values (1, (select min(nip) from registry.entry where status = 'DELETED')),
       (2, (select min(nip) from registry.entry where status = 'ACTIVE'))) as raw (line, nip)
     group by line, nip`,
  );
  const shortest = { INBOX_DAYS: '7', CLOSED_PERSON_DAYS: '1' };
  await retain(shortest);
  expect(await readdir(inbox)).toEqual(['2026-11-01', '2026-11-03']);
  expect(await read(closed)).toEqual(['2 closed, 2 hidden']);
  const kept = `select raw <> '' from registry.reject where file = 'b.csv' order by line`;
  expect(await read(kept)).toEqual([false, true]);
  expect(await verify(db, 'ceidg')).toEqual([]);
});

test('the worker deletes them when it starts', async () => {
  const { mail_id } = await leave(40, 'sent');
  await db.pool.query(`update customer.mail set ended_at = '2000-01-01' where mail_id = $1`, [
    mail_id,
  ]);
  const smtp = await startTestSmtp();
  const worker = await startTestWorker(db.url, smtp.url);
  await worker.says('done mails and one-time tokens are deleted');
  expect(await read('select from customer.mail where mail_id = $1', [mail_id])).toEqual([]);
  await worker.stop();
  await smtp.close();
});
