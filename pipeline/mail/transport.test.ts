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
import { sendMail, type SendOptions } from './send.ts';
import { createFileDelivery, createSmtpDelivery } from './transport.ts';

const db = await createTestDatabase();
const folder = await mkdtemp(join(tmpdir(), 'registry-mail-'));

async function send(deliver: SendOptions['deliver']) {
  const mail = await leaveMail(db, { created_at });
  return await sendMail(sendOptions(db, deliver), mail.mail_id);
}

describe('a server that offers STARTTLS', () => {
  test('is trusted only with a certificate that can be, or where SMTP_URL says so', async () => {
    const { smtp } = await serveMail(db, { offersTls: true });
    const reason: unknown = expect.stringMatching(/certificate/);
    expect(await send(createSmtpDelivery(smtp.url))).toEqual({ state: 'queued', reason });
    expect(smtp.offers.senders).toBe(0);

    const trusting = createSmtpDelivery(`${smtp.url}?tls.rejectUnauthorized=false`);
    expect(await send(trusting)).toEqual({ state: 'sent' });
    expect(smtp.mails.map(({ isSecure }) => isSecure)).toEqual([true]);
    // With `ignoreTLS` in SMTP_URL, the connection to the server is not encrypted.
    const clear = createSmtpDelivery(`${smtp.url}?ignoreTLS=true`);
    expect(await send(clear)).toEqual({ state: 'sent' });
    expect(smtp.mails.map(({ isSecure }) => isSecure)).toEqual([true, false]);
  });
});

test('a server that offers no STARTTLS gets password and mail on this machine, or where SMTP_URL says so', async () => {
  const { smtp } = await serveMail(db, { login: ['registry', 'secret'] });
  // The address 0.0.0.0 leads to this machine too, but the product treats it as an address of another machine.
  const elsewhere = smtp.url.replace('127.0.0.1', '0.0.0.0');
  const reason: unknown = expect.stringContaining('STARTTLS');
  expect(await send(createSmtpDelivery(elsewhere))).toEqual({ state: 'queued', reason });
  expect(smtp.offers.senders).toBe(0);
  const clear = createSmtpDelivery(`${elsewhere}?ignoreTLS=true`);
  expect(await send(clear)).toEqual({ state: 'sent' });
  expect(await send(createSmtpDelivery(smtp.url))).toEqual({ state: 'sent' });
});

describe('mails without an SMTP server', () => {
  test('are files, of the bytes that a server would get, and to copy from, for their owner alone', async () => {
    const { smtp, options } = await serveMail(db);
    const inbox = join(folder, 'not there yet', 'mail');
    const mail = await leaveMail(db, { created_at, template: 'recover', user_name: 'Żaneta' });
    const filing = sendOptions(db, createFileDelivery(inbox));
    expect(await sendMail(filing, mail.mail_id)).toEqual({ state: 'sent' });
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

    const token = { ...mail, purpose: 'recover' as const, created_at, expires_at };
    const jwt = signOneTimeToken(secretKey, token);
    const copy = await readFile(readable, 'utf8');
    expect(copy).toMatch(/^Subject: Recover your Company Registry API account\n\nHello Ż/);
    expect(copy.split('\n')).toContain(`https://api.registry.example/recover#token=${jwt}`);

    await db.pool.query(
      `update customer.mail set state = 'queued', ended_at = null where mail_id = $1`,
      [mail.mail_id],
    );
    await sendMail(options, mail.mail_id);
    expect(smtp.mails[0]!.raw).toBe(text);
  });

  test('wait while the folder cannot be written', async () => {
    // Writing to the folder fails, even for root, because a file has the path of the folder.
    const file = join(folder, 'mail');
    await writeFile(file, '');
    const reason: unknown = expect.stringMatching(/^E(EXIST|NOTDIR)/);
    expect(await send(createFileDelivery(file))).toEqual({ state: 'queued', reason });
  });
});
