import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { leaveMail, mailRow } from '../../fixtures/process/mail.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { holdText, startTestSmtp } from '../../fixtures/process/test-smtp.ts';
import { startTestWorker } from '../../fixtures/process/test-worker.ts';

let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});

const startWorker = (smtpUrl: string) => startTestWorker(db.url, smtpUrl);

/** Waits until all mails are in one of these states. */
async function settle(...states: string[]): Promise<void> {
  for (;;) {
    const { rows } = await db.pool.query<{ count: number }>(
      'select count(*)::int from customer.mail where state <> all ($1)',
      [states],
    );
    if (rows[0]!.count === 0) return;
  }
}

async function jobs(): Promise<object[]> {
  const { rows } = await db.pool.query<object>(
    'select key, attempts, locked_by is not null as is_locked from graphile_worker.jobs',
  );
  return rows;
}

describe('a worker', () => {
  test('sends what is there, and what comes in', async () => {
    const smtp = await startTestSmtp();
    const before = await leaveMail(db);
    const worker = await startWorker(smtp.url);
    const later = await leaveMail(db);
    await settle('sent');
    const recipients = smtp.mails.map(({ to }) => to.join()).toSorted();
    expect(recipients).toEqual([before.recipient, later.recipient].toSorted());
    await worker.stop();
    expect(await jobs()).toEqual([]);
  });

  test('tries again after a while, and no mail twice', async () => {
    const codes = [450];
    const smtp = await startTestSmtp({ onRecipient: () => codes.shift() });
    const mail = await leaveMail(db);
    const worker = await startWorker(smtp.url);
    await settle('sent');
    expect(await mailRow(db, mail)).toEqual({ state: 'sent', attempt_count: 2, last_error: null });
    expect(smtp.mails).toHaveLength(1);
    await worker.stop();
    expect(worker.log.filter(({ level }) => Number(level) >= 40)).toEqual([
      expect.objectContaining({
        level: 40,
        msg: 'mail: waits for another attempt',
        mail_id: mail.mail_id,
        attempt: 1,
      }),
    ]);
  });

  test.each([
    ['gives up after twelve attempts', 450, 11],
    ['does not try again what was refused for good', 550, 0],
  ])('%s', async (_, code, attempts) => {
    const smtp = await startTestSmtp({ onRecipient: () => code });
    const mail = await leaveMail(db);
    await db.pool.query('update graphile_worker._private_jobs set attempts = $1', [attempts]);
    const worker = await startWorker(smtp.url);
    await settle('failed');
    const last_error: unknown = expect.stringContaining(String(code));
    expect(await mailRow(db, mail)).toEqual({ state: 'failed', attempt_count: 1, last_error });
    await worker.stop();
    expect(await jobs()).toEqual([]);
    expect(smtp.offers.recipients).toBe(1);
    expect(worker.log).toContainEqual(
      expect.objectContaining({ level: 50, msg: 'mail: failed', state: 'failed' }),
    );
  });

  test('lets a mail under way come to its end when it is told to end', async () => {
    const { behaviour, reached, answer } = holdText();
    const smtp = await startTestSmtp(behaviour);
    const mail = await leaveMail(db);
    const worker = await startWorker(smtp.url);
    await reached;
    const stopped = worker.stop();
    // It takes no other any more.
    const later = await leaveMail(db);
    answer();
    await stopped;
    expect(await mailRow(db, mail)).toMatchObject({ state: 'sent' });
    expect(await mailRow(db, later)).toMatchObject({ state: 'queued', attempt_count: 0 });
    expect(await jobs()).toEqual([{ key: `mail:${later.mail_id}`, attempts: 0, is_locked: false }]);
  });

  test('goes on after it has lost all its sessions, and says so in one sentence', async () => {
    const smtp = await startTestSmtp();
    const worker = await startWorker(smtp.url);
    const sessions = `from pg_stat_activity
      where datname = current_database() and application_name = 'registry-worker'`;
    // Two queues wait for jobs.
    const listening = () => db.pool.query(`select ${sessions} and query like 'LISTEN %'`);
    await expect.poll(async () => (await listening()).rowCount).toBe(2);
    await db.pool.query(`select pg_terminate_backend(pid) ${sessions}`);
    await leaveMail(db);
    await settle('sent');
    expect(smtp.mails).toHaveLength(1);
    const complaints = () => worker.log.filter(({ level }) => Number(level) >= 40);
    await expect.poll(complaints).toHaveLength(1);
    await worker.stop();
    expect(complaints()).toMatchObject([
      { level: 40, msg: expect.stringMatching(/^The database is away, jobs wait/) as string },
    ]);
  });
});

test('a worker whose jobs could not be marked as done begins its queue anew', async () => {
  let texts = 0;
  // One after the other: their failures keep the queue from its end.
  const smtp = await startTestSmtp({ onText: () => delay(100 * (texts += 1), undefined) });
  await db.pool.query(`
    create function customer.refuse_end() returns trigger language plpgsql as
    $$ begin raise exception 'The disk is full'; end $$;
    create trigger refuse_end before delete on graphile_worker._private_jobs
    for each row execute function customer.refuse_end()`);
  await Promise.all(Array.from({ length: 4 }, () => leaveMail(db)));
  const worker = await startWorker(smtp.url);
  const failures = () =>
    worker.log.filter(({ msg }) => String(msg).startsWith('Failed to complete'));
  await expect.poll(() => failures().length, { timeout: 10_000 }).toBe(4);
  await db.pool.query('drop trigger refuse_end on graphile_worker._private_jobs');
  await expect.poll(jobs, { timeout: 30_000 }).toEqual([]);
  expect(smtp.mails).toHaveLength(4);
});

describe('two workers', () => {
  test('send each mail once', async () => {
    const smtp = await startTestSmtp();
    const workers = await Promise.all([startWorker(smtp.url), startWorker(smtp.url)]);
    const mails = await Promise.all(Array.from({ length: 40 }, () => leaveMail(db)));
    await settle('sent');
    const ids = smtp.mails.map(({ email }) => String(email.messageId)).toSorted();
    const expected = mails.map(({ message_id }) => `<${message_id}@registry.example>`).toSorted();
    expect(ids).toEqual(expected);
    const senders = () =>
      workers.map(({ log }) => log.filter(({ msg }) => msg === 'mail: sent').length);
    // The line of the log follows the commit.
    await expect.poll(() => senders()[0]! + senders()[1]!).toBe(40);
    expect(Math.min(...senders())).toBeGreaterThan(0);
  });

  test('never send one at once, even when its job is given to both', async () => {
    const { behaviour, reached, answer } = holdText();
    const smtp = await startTestSmtp(behaviour);
    const mail = await leaveMail(db);
    const [, second] = await Promise.all([startWorker(smtp.url), startWorker(smtp.url)]);
    await reached;
    await db.pool.query('select customer.enqueue_mail($1)', [mail.mail_id]);
    for (;;) {
      const { rowCount } = await db.pool.query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'
           and query like '%for update%' and pid <> pg_backend_pid()`,
      );
      if (rowCount === 1) break;
    }
    answer();
    await settle('sent');
    await second.stop();
    expect(smtp.offers.texts).toBe(1);
  });
});

describe('what was left behind', () => {
  test('a mail whose job was begun twelve times and never ended has failed', async () => {
    const smtp = await startTestSmtp();
    const mail = await leaveMail(db);
    await db.pool.query(
      `update graphile_worker._private_jobs
       set attempts = 12, locked_by = 'pool-of-yesterday', locked_at = now()`,
    );
    const worker = await startWorker(smtp.url);
    await settle('failed');
    expect(await mailRow(db, mail)).toEqual({
      state: 'failed',
      attempt_count: 0,
      last_error: 'The worker was ended in the middle each time',
    });
    await worker.stop();
    expect(await jobs()).toEqual([]);
    expect(smtp.offers.senders).toBe(0);
  });

  test('the jobs of a worker that lives are left to it', async () => {
    const smtp = await startTestSmtp();
    const { behaviour, reached, answer } = holdText();
    const slow = await startTestSmtp(behaviour);
    await leaveMail(db);
    const first = await startWorker(slow.url);
    await reached;
    const second = await startWorker(smtp.url);
    // The first takes four at most.
    for (let count = 0; count < 6; count += 1) await leaveMail(db);
    await second.says('mail: sent');
    expect(await jobs()).toContainEqual(expect.objectContaining({ is_locked: true }));
    answer();
    await settle('sent');
    expect(slow.mails.length + smtp.mails.length).toBe(7);
    await Promise.all([first.stop(), second.stop()]);
    expect(second.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });
});
