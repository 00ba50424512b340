import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { leaveMail } from '../../fixtures/process/mail.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { startTestSmtp } from '../../fixtures/process/test-smtp.ts';
import { startTestWorker } from '../../fixtures/process/test-worker.ts';
import { deleteDone } from './queue.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const day_ms = 86_400_000;
const now = new Date('2026-11-20T10:05:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * day_ms);

/** Inserts a mail and its token, both some days old. `state` is the state of the mail. */
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

async function left(): Promise<{ mails: number[]; tokens: string[] }> {
  const { rows: mails } = await db.pool.query<{ mail_id: string }>(
    'select mail_id from customer.mail order by mail_id',
  );
  const { rows: tokens } = await db.pool.query<{ one_time_token_id: string }>(
    'select one_time_token_id from customer.one_time_token order by created_at, one_time_token_id',
  );
  return {
    mails: mails.map(({ mail_id }) => Number(mail_id)),
    tokens: tokens.map(({ one_time_token_id }) => one_time_token_id),
  };
}

test('mails and one-time tokens that are done are deleted after 30 days', async () => {
  const waiting = await leave(40, 'queued');
  const done = await Promise.all(['sent', 'failed', 'dropped'].map((state) => leave(40, state)));
  const recent = await leave(29, 'sent');
  await db.pool.query(
    `insert into customer.alert
     select mail.account_id, 7, 'email', mail_id from customer.mail where mail_id = any ($1)`,
    [[done[0]!.mail_id, recent.mail_id]],
  );
  expect(await deleteDone(db.pool, now)).toEqual({ mail_count: 3, token_count: 4 });
  expect(await left()).toEqual({
    mails: [waiting.mail_id, recent.mail_id],
    tokens: [recent.token],
  });
  const { rows } = await db.pool.query<object>('select mail_id::int from customer.alert');
  expect(rows).toEqual([{ mail_id: recent.mail_id }]);
  expect(await deleteDone(db.pool, now)).toEqual({ mail_count: 0, token_count: 0 });
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
  await deleteDone(db.pool, now);
  const { rows } = await db.pool.query<object>(
    `select idempotency_key as key from customer.idempotent_answer
     union all select limit_key from customer.rate_limit`,
  );
  expect(rows).toEqual([{ key: 'recent' }, { key: 'recent' }]);
});

test('the worker deletes them every hour', async () => {
  const smtp = await startTestSmtp();
  const worker = await startTestWorker(db.url, smtp.url);
  await db.pool.query(`select graphile_worker.add_job('delete_done')`);
  await worker.says('done mails and one-time tokens are deleted');
  await vi.waitFor(async () => {
    const { rows } = await db.pool.query<object>(
      'select identifier from graphile_worker._private_known_crontabs',
    );
    expect(rows).toEqual([{ identifier: 'delete_done' }]);
  });
  await worker.stop();
  await smtp.close();
});
