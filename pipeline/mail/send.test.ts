import { describe, expect, test } from 'vitest';
import { leaveMail, mailRow } from '../../fixtures/process/mail.ts';
import { created_at, sendOptions, serveMail } from '../../fixtures/process/mail-delivery.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { sendMail } from './send.ts';
import { createSmtpDelivery } from './transport.ts';

const db = await createTestDatabase();

const leave = (options: Parameters<typeof leaveMail>[1] = {}) =>
  leaveMail(db, { created_at, ...options });

describe('a fault that may pass', () => {
  test('of greylisting: the mail waits, the same text goes out the next time', async () => {
    const codes = [450, 421, undefined];
    const { smtp, options } = await serveMail(db, { onRecipient: () => codes.shift() });
    const mail = await leave();
    const reason = "Can't send mail - all recipients were rejected: 450 Answer 450";
    expect(await sendMail(options, mail.mail_id, false)).toEqual({ state: 'queued', reason });
    expect(await mailRow(db, mail)).toEqual({
      state: 'queued',
      attempt_count: 1,
      last_error: reason,
    });
    expect(await sendMail(options, mail.mail_id, false)).toMatchObject({ state: 'queued' });
    expect(smtp.mails).toEqual([]);
    expect(await sendMail(options, mail.mail_id, false)).toEqual({ state: 'sent' });
    expect(await mailRow(db, mail)).toEqual({ state: 'sent', attempt_count: 3, last_error: null });
    expect(smtp.mails).toHaveLength(1);
  });

  test.each([
    ['of the sender', { onSender: () => 550 }, /^Mail command failed: 550 /],
    ['of the text, for now', { onText: () => 451 }, /^Message failed: 451 /],
    ['of the order of the commands', { onRecipient: () => 503 }, /503 /],
  ])('%s: the mail waits', async (_, behaviour, reason) => {
    const { options } = await serveMail(db, behaviour);
    const mail = await leave();
    const last_error = expect.stringMatching(reason) as string;
    expect(await sendMail(options, mail.mail_id, false)).toEqual({
      state: 'queued',
      reason: last_error,
    });
    expect(await mailRow(db, mail)).toEqual({ state: 'queued', attempt_count: 1, last_error });
  });

  test('of the password: the mail waits, and the password is not in the reason', async () => {
    const { smtp, options } = await serveMail(db, { login: ['registry', 'secret'] });
    const mail = await leave();
    const wrong = sendOptions(db, createSmtpDelivery(smtp.url.replace('secret', 'other%20secret')));
    const sending = await sendMail(wrong, mail.mail_id, false);
    expect(sending).toEqual({
      state: 'queued',
      reason: expect.stringMatching(/^Invalid login: 535 /),
    });
    expect(JSON.stringify(sending)).not.toContain('other');
    expect(await sendMail(options, mail.mail_id, false)).toEqual({ state: 'sent' });
  });

  test('of a server that ends the connection in the middle: the same bytes go out again', async () => {
    let attempts = 0;
    const seen: string[] = [];
    const { smtp, options } = await serveMail(db, {
      onText: (drop, text) => {
        seen.push(text);
        attempts += 1;
        if (attempts === 1) drop();
        return undefined;
      },
    });
    const mail = await leave();
    expect(await sendMail(options, mail.mail_id, false)).toMatchObject({ state: 'queued' });
    expect(await sendMail(options, mail.mail_id, false)).toEqual({ state: 'sent' });
    expect(smtp.mails).toHaveLength(1);
    expect(seen).toEqual([smtp.mails[0]!.raw, smtp.mails[0]!.raw]);
  });

  test('of a server that is not there: the mail waits', async () => {
    const options = sendOptions(db, createSmtpDelivery('smtp://127.0.0.1:1'));
    const mail = await leave();
    expect(await sendMail(options, mail.mail_id, false)).toEqual({
      state: 'queued',
      reason: 'connect ECONNREFUSED 127.0.0.1:1',
    });
  });

  test('at the last attempt: the mail has failed', async () => {
    const { options } = await serveMail(db, { onRecipient: () => 450 });
    const mail = await leave();
    expect(await sendMail(options, mail.mail_id, true)).toMatchObject({ state: 'failed' });
    const last_error = "Can't send mail - all recipients were rejected: 450 Answer 450";
    expect(await mailRow(db, mail)).toEqual({ state: 'failed', attempt_count: 1, last_error });
  });

  test('of a kind of mail that this version does not know: the mail waits', async () => {
    const { options } = await serveMail(db);
    const mail = await leave();
    await db.pool.query(`update customer.mail set template = 'new' where mail_id = $1`, [
      mail.mail_id,
    ]);
    expect(await sendMail(options, mail.mail_id, false)).toEqual({
      state: 'queued',
      reason: "There is no template 'new'",
    });
  });
});

describe('a refusal for good', () => {
  test.each([
    ['of the reader', { onRecipient: () => 550 }, /rejected: 550 Answer 550$/],
    ['of the text', { onText: () => 554 }, /^Message failed: 554 Answer 554$/],
  ])('%s: the mail has failed, and is not tried again', async (_, behaviour, reason) => {
    const { smtp, options } = await serveMail(db, behaviour);
    const mail = await leave();
    const last_error = expect.stringMatching(reason) as string;
    expect(await sendMail(options, mail.mail_id, false)).toEqual({
      state: 'failed',
      reason: last_error,
    });
    expect(await mailRow(db, mail)).toEqual({ state: 'failed', attempt_count: 1, last_error });
    expect(await sendMail(options, mail.mail_id, false)).toEqual({ state: 'ended before' });
    expect(smtp.offers.recipients).toBe(1);
  });

  test.each([
    'jan@firma.example>\r\nRCPT TO:<eve@firma.example',
    'jan@firma.example\r\nDATA',
    '<jan@firma.example>',
    'jan@firma.example, eve@firma.example',
    'Eve: jan@firma.example;',
    ' ',
  ])('of an address that is none: %j reaches no server', async (recipient) => {
    const { smtp, options } = await serveMail(db);
    const mail = await leave({ recipient });
    expect(await sendMail(options, mail.mail_id, false)).toMatchObject({ state: 'failed' });
    expect(smtp.offers).toEqual({ senders: 0, recipients: 0, texts: 0 });
  });

  test('an answer of any length, with anything in it, is kept in short', async () => {
    const noise = `\u0000\u001b[31m ${'x'.repeat(2000)}`;
    const deliver = () => Promise.reject(new Error(noise));
    const mail = await leave();
    await sendMail(sendOptions(db, deliver), mail.mail_id, false);
    const { last_error } = await mailRow(db, mail);
    expect(last_error).toMatch(/^\[31m x+$/);
    expect(last_error).toHaveLength(500);
  });
});

describe('a mail that nobody needs any more', () => {
  test.each([
    ['was used', `set used_at = created_at`],
    ['was cancelled', `set cancelled_at = created_at`],
    ['has expired', `set expires_at = created_at`],
  ])('because its token %s: is dropped', async (ending, change) => {
    const { smtp, options } = await serveMail(db);
    const mail = await leave({ template: 'recover' });
    await db.pool.query(`update customer.one_time_token ${change} where one_time_token_id = $1`, [
      mail.one_time_token_id,
    ]);
    const reason = `The one-time token ${ending}`;
    expect(await sendMail(options, mail.mail_id, false)).toEqual({ state: 'dropped', reason });
    expect(await mailRow(db, mail)).toEqual({
      state: 'dropped',
      attempt_count: 0,
      last_error: reason,
    });
    expect(smtp.offers.senders).toBe(0);
  });

  test('because there is no such token: is dropped', async () => {
    const { options } = await serveMail(db);
    const mail = await leave({ template: 'recover' });
    await db.pool.query(`update customer.mail set template = 'init' where mail_id = $1`, [
      mail.mail_id,
    ]);
    expect(await sendMail(options, mail.mail_id, false)).toEqual({
      state: 'dropped',
      reason: 'There is no such init token',
    });
  });
});

describe('one mail', () => {
  test('that several send at once goes out once, also when the first attempt fails', async () => {
    const codes = [450];
    const { smtp, options } = await serveMail(db, { onRecipient: () => codes.shift() });
    const mail = await leave();
    const sendings = await Promise.all(
      Array.from({ length: 6 }, () => sendMail(options, mail.mail_id, false)),
    );
    const states = sendings.map(({ state }) => state).toSorted();
    expect(states).toEqual([...Array<string>(4).fill('ended before'), 'queued', 'sent']);
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.offers.recipients).toBe(2);
  });

  test('that is not there is no fault', async () => {
    const { options } = await serveMail(db);
    expect(await sendMail(options, 9_999_999, false)).toEqual({ state: 'ended before' });
  });

  test('whose session is lost before it is marked can be sent again', async () => {
    const { smtp, options } = await serveMail(db, {
      onText: async () => {
        if (smtp.offers.texts > 1) return undefined;
        await db.pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and state = 'idle in transaction'`,
        );
        return undefined;
      },
    });
    const mail = await leave();
    await expect(sendMail(options, mail.mail_id, false)).rejects.toThrow('mail/end_attempt.sql');
    expect(await mailRow(db, mail)).toMatchObject({ state: 'queued', attempt_count: 0 });
    expect(await sendMail(options, mail.mail_id, false)).toEqual({ state: 'sent' });
    const ids = smtp.mails.map(({ email }) => email.messageId);
    expect(ids).toEqual([`<${mail.message_id}@registry.example>`, ids[0]]);
  });
});
