import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { countWaiting, hold } from '../../fixtures/database/locks.ts';
import { leaveMail, mailRow } from '../../fixtures/process/mail.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { holdText, startTestSmtp } from '../../fixtures/process/test-smtp.ts';
import { startTestWorker } from '../../fixtures/process/test-worker.ts';
import { worker as figures } from '../figures/worker-pauses.ts';

let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});

const startWorker = (smtpUrl: string) => startTestWorker(db.url, smtpUrl);

/** Waits until all mails are in one of the given states. */
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
  const { rows } = await db.pool.query<object>('select task, state from customer.job');
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
    ['gives up after twelve attempts', 450, 12],
    ['does not try again what was refused for good', 550, 1],
  ])('%s', async (_, code, attempt_count) => {
    const smtp = await startTestSmtp({ onRecipient: () => code });
    const mail = await leaveMail(db);
    await db.pool.query('update customer.mail set attempt_count = $1', [attempt_count - 1]);
    const worker = await startWorker(smtp.url);
    await settle('failed');
    const last_error: unknown = expect.stringContaining(String(code));
    expect(await mailRow(db, mail)).toEqual({ state: 'failed', attempt_count, last_error });
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
    // A stopping worker sends no further mail.
    const later = await leaveMail(db);
    answer();
    await stopped;
    expect(await mailRow(db, mail)).toMatchObject({ state: 'sent' });
    expect(await mailRow(db, later)).toMatchObject({ state: 'queued', attempt_count: 0 });
    expect(await jobs()).toEqual([{ task: 'send_mail', state: 'waiting' }]);
  });

  test('goes on after it has lost all its sessions, and says so in one sentence', async () => {
    const smtp = await startTestSmtp();
    const worker = await startWorker(smtp.url);
    const unlock = await hold(
      db.pool,
      'lock table customer.mail, customer.watch, customer.webhook',
    );
    // The worker's queries for due mails, imports and webhooks wait, because their three tables are locked.
    await expect.poll(() => countWaiting(db.pool)).toBeGreaterThan(2);
    await db.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'registry-worker'`,
    );
    await unlock();
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

test('a worker whose claims fail goes on when they do not any more', async () => {
  const smtp = await startTestSmtp();
  await db.pool.query(`
    create function customer.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'The disk is full'; end $$;
    create trigger refuse before update on customer.mail
    for each row execute function customer.refuse()`);
  await leaveMail(db);
  const worker = await startWorker(smtp.url);
  await worker.says('Mails cannot be sent');
  await db.pool.query('drop trigger refuse on customer.mail');
  await settle('sent');
  expect(smtp.mails).toHaveLength(1);
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
    // The test waits for the log lines, because a worker writes the line of a mail after the commit.
    await expect.poll(() => senders()[0]! + senders()[1]!).toBe(40);
    expect(Math.min(...senders())).toBeGreaterThan(0);
  });

  test('never send one at once, even when its next attempt is due', async () => {
    const { behaviour, reached, answer } = holdText();
    const smtp = await startTestSmtp(behaviour);
    const mail = await leaveMail(db);
    const workers = await Promise.all([startWorker(smtp.url), startWorker(smtp.url)]);
    await reached;
    const due = 'select from customer.mail where next_attempt_at <= now()';
    await expect.poll(async () => (await db.pool.query(due)).rowCount).toBe(1);
    expect(await jobs()).toEqual([{ task: 'send_mail', state: 'running' }]);
    // Both look again.
    await delay(2 * figures.tick_ms);
    answer();
    await settle('sent');
    await Promise.all(workers.map(({ stop }) => stop()));
    expect(smtp.offers.texts).toBe(1);
    expect(await mailRow(db, mail)).toMatchObject({ attempt_count: 1 });
  });
});

describe('what was left behind', () => {
  test('a mail whose attempts were begun twelve times and never ended has failed', async () => {
    const smtp = await startTestSmtp();
    const mail = await leaveMail(db);
    await db.pool.query(
      'update customer.mail set attempt_count = 12, next_attempt_at = now(), sending_since = now()',
    );
    const worker = await startWorker(smtp.url);
    await settle('failed');
    expect(await mailRow(db, mail)).toEqual({
      state: 'failed',
      attempt_count: 12,
      last_error: 'The worker was ended in the middle each time',
    });
    await worker.stop();
    expect(await jobs()).toEqual([]);
    expect(smtp.offers.senders).toBe(0);
  });

  test('the mail of a worker that lives is left to it', async () => {
    const smtp = await startTestSmtp();
    const { behaviour, reached, answer } = holdText();
    const slow = await startTestSmtp(behaviour);
    await leaveMail(db);
    const first = await startWorker(slow.url);
    await reached;
    const second = await startWorker(smtp.url);
    // The first worker claims at most four mails at a time, so some of the six mails remain for the second worker.
    for (let count = 0; count < 6; count += 1) await leaveMail(db);
    await second.says('mail: sent');
    expect(await jobs()).toContainEqual({ task: 'send_mail', state: 'running' });
    answer();
    await settle('sent');
    expect(slow.mails.length + smtp.mails.length).toBe(7);
    await Promise.all([first.stop(), second.stop()]);
    expect(second.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });
});
