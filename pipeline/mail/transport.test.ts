import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { describe, expect, test } from 'vitest';
import { leaveMail, mailRow } from '../../fixtures/process/mail.ts';
import {
  created_at,
  expires_at,
  secretKey,
  sendOptions,
  serveMail,
} from '../../fixtures/process/mail-delivery.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { signOneTimeToken } from '../../sql/secrets/signed-token.ts';
import { sendMail } from './send.ts';
import { createFileDelivery, createSmtpDelivery } from './transport.ts';

let folder: string;

const db = await createTestDatabase();

async function makeFolder(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'registry-mail-'));
}

describe('a server that offers STARTTLS', () => {
  test('is trusted only with a certificate that can be, or where SMTP_URL says so', async () => {
    const { smtp, options } = await serveMail(db, { offersTls: true });
    const mail = await leaveMail(db, { created_at });
    expect(await sendMail(options, mail.mail_id, false)).toMatchObject({ state: 'queued' });
    expect((await mailRow(db, mail)).last_error).toMatch(/certificate/);
    expect(smtp.offers.senders).toBe(0);

    const trusting = createSmtpDelivery(`${smtp.url}?tls.rejectUnauthorized=false`);
    expect(await sendMail(sendOptions(db, trusting), mail.mail_id, false)).toEqual({
      state: 'sent',
    });
    expect(smtp.mails.map(({ isSecure }) => isSecure)).toEqual([true]);
  });

  test('is spoken to in clear where SMTP_URL says so', async () => {
    const { smtp } = await serveMail(db, { offersTls: true });
    const mail = await leaveMail(db, { created_at });
    const clear = createSmtpDelivery(`${smtp.url}?ignoreTLS=true`);
    expect(await sendMail(sendOptions(db, clear), mail.mail_id, false)).toEqual({ state: 'sent' });
    expect(smtp.mails.map(({ isSecure }) => isSecure)).toEqual([false]);
  });
});

describe('a server that offers no STARTTLS', () => {
  const login: [string, string] = ['registry', 'secret'];

  test('on another machine gets neither password nor mail', async () => {
    const { smtp } = await serveMail(db, { login });
    const mail = await leaveMail(db, { created_at });
    // This machine too, by an address that does not show it.
    const elsewhere = smtp.url.replace('127.0.0.1', '0.0.0.0');
    const options = sendOptions(db, createSmtpDelivery(elsewhere));
    expect(await sendMail(options, mail.mail_id, false)).toMatchObject({
      state: 'queued',
      reason: expect.stringContaining('STARTTLS') as string,
    });
    expect(smtp.offers.senders).toBe(0);

    const clear = sendOptions(db, createSmtpDelivery(`${elsewhere}?ignoreTLS=true`));
    expect(await sendMail(clear, mail.mail_id, false)).toEqual({ state: 'sent' });
  });

  test('on this machine gets both', async () => {
    const { options } = await serveMail(db, { login });
    const mail = await leaveMail(db, { created_at });
    expect(await sendMail(options, mail.mail_id, false)).toEqual({ state: 'sent' });
  });
});

describe('mails without an SMTP server', () => {
  test('are files, of the bytes that a server would get, and to copy from, for their owner alone', async () => {
    await makeFolder();
    const { smtp, options } = await serveMail(db);
    const inbox = join(folder, 'not there yet', 'mail');
    const mail = await leaveMail(db, { created_at, template: 'recover', user_name: 'Żaneta' });
    const filing = sendOptions(db, createFileDelivery(inbox));
    expect(await sendMail(filing, mail.mail_id, false)).toEqual({ state: 'sent' });
    expect(await mailRow(db, mail)).toMatchObject({ state: 'sent' });
    const names = (await readdir(inbox)).toSorted();
    expect(names).toEqual([`${mail.message_id}.eml`, `${mail.message_id}.txt`]);
    const [file, readable] = names.map((name) => join(inbox, name)) as [string, string];
    for (const path of [file, readable]) expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(inbox)).mode & 0o777).toBe(0o700);
    const text = await readFile(file, 'utf8');
    expect((await PostalMime.parse(text)).to).toEqual([
      { name: 'Żaneta', address: mail.recipient },
    ]);

    const jwt = signOneTimeToken(secretKey, {
      ...mail,
      purpose: 'recover',
      created_at,
      expires_at,
    });
    const copy = await readFile(readable, 'utf8');
    expect(copy).toMatch(/^Subject: Recover your Company Registry API account\n\nHello Ż/);
    expect(copy.split('\n')).toContain(`https://api.registry.example/recover#token=${jwt}`);

    await db.pool.query(
      `update customer.mail set state = 'queued', ended_at = null where mail_id = $1`,
      [mail.mail_id],
    );
    await sendMail(options, mail.mail_id, false);
    expect(smtp.mails[0]!.raw).toBe(text);
  });

  test('wait while the folder cannot be written', async () => {
    await makeFolder();
    const mail = await leaveMail(db, { created_at });
    // A file where the folder should be: so it is for root too.
    const file = join(folder, 'mail');
    await writeFile(file, '');
    const sending = await sendMail(sendOptions(db, createFileDelivery(file)), mail.mail_id, false);
    expect(sending).toEqual({ state: 'queued', reason: expect.stringMatching(/^E(EXIST|NOTDIR)/) });
  });
});
