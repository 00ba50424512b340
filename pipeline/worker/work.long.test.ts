import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { runCommand, type Started, startCommand } from '../../fixtures/process/cli.ts';
import { leaveMail, mailRow } from '../../fixtures/process/mail.ts';
import { administer } from '../../fixtures/database/test-cluster.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { holdText, startTestSmtp } from '../../fixtures/process/test-smtp.ts';
import { EnvironmentError } from '../../sql/process/environment.ts';
import { readEnvironment } from '../environment.ts';
import { destroyEmbedded } from '../../fixtures/database/destroy-embedded.ts';

let db: TestDatabase;
let dataDir: string;

/** Starts an SMTP server that delays its answer to the first mail until the test calls `answer`. */
async function serveSlowly() {
  const { behaviour, ...held } = holdText();
  return { smtp: await startTestSmtp(behaviour), ...held };
}

async function work(smtpUrl: string): Promise<Started> {
  const started = startCommand(['worker'], {
    DATABASE_URL: db.url,
    DATA_DIR: dataDir,
    SMTP_URL: smtpUrl,
    BASE_URL: 'https://api.registry.example',
    MAIL_FROM: 'Registry <no-reply@registry.example>',
  });
  await started.says('the worker is ready');
  return started;
}

describe('registry work', () => {
  beforeEach(async () => {
    db = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'registry-work-'));
  });

  test('that is killed in the middle of a mail leaves it to another that runs already', async () => {
    const { smtp, reached, answer } = await serveSlowly();
    const killed = await work(smtp.url);
    const mail = await leaveMail(db);
    await reached;
    const other = await work(smtp.url);
    killed.child.kill('SIGKILL');
    answer(451);
    await other.says('mail: sent');
    const ids = smtp.mails.map(({ email }) => email.messageId);
    expect(ids).toEqual([`<${mail.message_id}@registry.example>`]);
    expect(await mailRow(db, mail)).toEqual({ state: 'sent', attempt_count: 2, last_error: null });
    other.child.kill('SIGTERM');
    expect(await other.end).toBe(0);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s, also when it comes twice, lets the mail under way come to its end; exits with 0',
    async (signal) => {
      const { smtp, reached, answer } = await serveSlowly();
      const mail = await leaveMail(db);
      const started = await work(smtp.url);
      await reached;
      started.child.kill(signal);
      started.child.kill(signal);
      answer();
      expect(await started.end).toBe(0);
      expect(smtp.mails).toHaveLength(1);
      expect(await mailRow(db, mail)).toMatchObject({ state: 'sent' });
      expect(started.sentences()).toEqual([]);
      expect(started.stdout).toBe('');
    },
  );

  test('writes lines of its log only, also when the database goes away under a mail', async () => {
    const { smtp, reached, answer } = await serveSlowly();
    await leaveMail(db);
    const started = await work(smtp.url);
    await reached;
    const [server, name] = [inject('serverUrl'), new URL(db.url).pathname.slice(1)];
    await administer(server, `alter database ${name} with allow_connections false`);
    await administer(
      server,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    answer();
    await started.says('The database is away, jobs wait');
    started.child.kill('SIGTERM');
    expect(await started.end).toBe(0);
    expect(started.sentences()).toEqual([]);
  });

  test('without SMTP_URL writes files below DATA_DIR, and starts the embedded Postgres', async () => {
    // If root runs the test, PostgreSQL runs as another user, which needs access to the folder.
    await chmod(dataDir, 0o755);
    onTestFinished(() => destroyEmbedded(dataDir));
    const started = startCommand(['work'], { DATA_DIR: dataDir });
    await started.says('the worker is ready');
    expect(existsSync(join(dataDir, 'secret-key'))).toBe(true);
    started.child.kill('SIGTERM');
    expect(await started.end).toBe(0);
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);

    const mail = await leaveMail(db);
    const other = startCommand(['work'], { DATA_DIR: dataDir, DATABASE_URL: db.url });
    await other.says('mail: sent');
    expect(await readdir(join(dataDir, 'mail'))).toContain(`${mail.message_id}.eml`);
    other.child.kill('SIGTERM');
    expect(await other.end).toBe(0);
  });
});

describe('settings of registry work that are wrong', () => {
  test.each([
    ['SECRET_KEY', 'secret-and-too-short'],
    ['BASE_URL', 'https://registry.example/#secret'],
    ['BASE_URL', 'https://user:secret@registry.example'],
    ['BASE_URL', 'ftp://secret.example'],
    ['BASE_URL', 'https://registry.example/?secret'],
    ['SMTP_URL', 'http://secret.example'],
    ['SMTP_URL', 'secret'],
    ['MAIL_FROM', 'secret'],
    ['MAIL_FROM', 'a@secret.example, b@secret.example'],
    ['MAIL_FROM', 'Registry <a@secret.example>\r\nBcc: b@secret.example'],
  ])('%s=%j: one sentence without the value', (name, value) => {
    const read = () => readEnvironment({ [name]: value });
    expect(read).toThrow(EnvironmentError);
    expect(read).toThrow(new RegExp(`^${name} must .+\\.$`));
    expect(read).not.toThrow(/secret/);
  });

  test('SMTP_URL without MAIL_FROM: one sentence, exit code 2', async () => {
    const command = await runCommand(['work'], {
      DATABASE_URL: 'postgresql://127.0.0.1:1/none',
      SMTP_URL: 'smtp://127.0.0.1:1',
    });
    expect(command.sentences()).toEqual([
      expect.stringMatching(/^BASE_URL must be set where SMTP_URL /),
      expect.stringMatching(/^MAIL_FROM must .*; it must be given where SMTP_URL is\.$/),
    ]);
    expect(command.code).toBe(2);
  });
});
