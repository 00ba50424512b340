import { describe, expect, test } from 'vitest';
import { leaveMail, mailRow, type TestMail } from '../../fixtures/process/mail.ts';
import { created_at, sendOptions, serveMail } from '../../fixtures/process/mail-delivery.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { sendMail, type SendOptions } from './send.ts';
import { createSmtpDelivery } from './transport.ts';

const db = await createTestDatabase();

const leave = (options: Parameters<typeof leaveMail>[1] = {}) =>
  leaveMail(db, { created_at, ...options });

/** Sends a mail once, and expects `state` and `reason` as the result of `sendMail` and in the mail's row. */
async function expectOutcome(
  options: SendOptions,
  mail: TestMail,
  state: string,
  reason?: string | RegExp,
  attempt_count = 1,
): Promise<void> {
  // This update replaces the worker, which counts an attempt when it claims a mail.
  const claim = 'update customer.mail set attempt_count = attempt_count + 1 where mail_id = $1';
  await db.pool.query(claim, [mail.mail_id]);
  const said: unknown = reason instanceof RegExp ? expect.stringMatching(reason) : reason;
  expect(await sendMail(options, mail.mail_id)).toEqual({ state, reason: said });
  expect(await mailRow(db, mail)).toEqual({ state, attempt_count, last_error: said ?? null });
}

describe('a fault that may pass', () => {
  test('of greylisting: the mail waits, the same text goes out the next time', async () => {
    const codes = [450, 421, undefined];
    const { smtp, options } = await serveMail(db, { onRecipient: () => codes.shift() });
    const mail = await leave();
    const reason = "Can't send mail - all recipients were rejected: 450 Answer 450";
    await expectOutcome(options, mail, 'queued', reason);
    await expectOutcome(options, mail, 'queued', /421/, 2);
    expect(smtp.mails).toEqual([]);
    await expectOutcome(options, mail, 'sent', undefined, 3);
    expect(smtp.mails).toHaveLength(1);
  });

  test.each([
    ['of the sender', { onSender: () => 550 }, /^Mail command failed: 550 /],
    ['of the text, for now', { onText: () => 451 }, /^Message failed: 451 /],
    ['of the order of the commands', { onRecipient: () => 503 }, /503 /],
  ])('%s: the mail waits', async (_, behaviour, reason) => {
    const { options } = await serveMail(db, behaviour);
    await expectOutcome(options, await leave(), 'queued', reason);
  });

  test('of the password: the mail waits, and the password is not in the reason', async () => {
    const { smtp, options } = await serveMail(db, { login: ['registry', 'secret'] });
    const mail = await leave();
    const wrong = sendOptions(db, createSmtpDelivery(smtp.url.replace('secret', 'other%20secret')));
    await expectOutcome(wrong, mail, 'queued', /^Invalid login: 535 (?!.*other)/);
    await expectOutcome(options, mail, 'sent', undefined, 2);
  });

  test('of a server that ends the connection in the middle: the same bytes go out again', async () => {
    const seen: string[] = [];
    const { smtp, options } = await serveMail(db, {
      onText: (drop, text) => {
        if (seen.push(text) === 1) drop();
        return undefined;
      },
    });
    const mail = await leave();
    await expectOutcome(options, mail, 'queued', /./);
    await expectOutcome(options, mail, 'sent', undefined, 2);
    expect(smtp.mails).toHaveLength(1);
    expect(seen).toEqual([smtp.mails[0]!.raw, smtp.mails[0]!.raw]);
  });

  test('of a server that is not there: the mail waits', async () => {
    const options = sendOptions(db, createSmtpDelivery('smtp://127.0.0.1:1'));
    await expectOutcome(options, await leave(), 'queued', 'connect ECONNREFUSED 127.0.0.1:1');
  });

  test('at the last attempt: the mail has failed', async () => {
    const { options } = await serveMail(db, { onRecipient: () => 450 });
    const mail = await leave();
    await db.pool.query('update customer.mail set attempt_count = 11');
    const reason = "Can't send mail - all recipients were rejected: 450 Answer 450";
    await expectOutcome(options, mail, 'failed', reason, 12);
  });
});

describe('a refusal for good', () => {
  test.each([
    ['of the reader', { onRecipient: () => 550 }, /rejected: 550 Answer 550$/],
    ['of the text', { onText: () => 554 }, /^Message failed: 554 Answer 554$/],
  ])('%s: the mail has failed, and is not tried again', async (_, behaviour, reason) => {
    const { smtp, options } = await serveMail(db, behaviour);
    const mail = await leave();
    await expectOutcome(options, mail, 'failed', reason);
    expect(await sendMail(options, mail.mail_id)).toEqual({ state: 'ended before' });
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
    expect(await sendMail(options, mail.mail_id)).toMatchObject({ state: 'failed' });
    expect(smtp.offers).toEqual({ senders: 0, recipients: 0, texts: 0 });
  });

  test('an answer of any length, with anything in it, is kept in short', async () => {
    const noise = `\u0000\u001b[31m ${'x'.repeat(2000)}`;
    const deliver = () => Promise.reject(new Error(noise));
    const mail = await leave();
    await sendMail(sendOptions(db, deliver), mail.mail_id);
    const { last_error } = await mailRow(db, mail);
    expect(last_error).toMatch(/^\[31m x+$/);
    expect(last_error).toHaveLength(500);
  });
});

describe('a mail that nobody needs any more', () => {
  test.each([
    ['was used', `update customer.one_time_token set used_at = created_at`],
    ['was cancelled', `update customer.one_time_token set cancelled_at = created_at`],
    ['has expired', `update customer.one_time_token set expires_at = created_at`],
    ['is gone', `delete from customer.one_time_token`],
  ])('because its token %s: is dropped', async (ending, change) => {
    const { smtp, options } = await serveMail(db);
    const mail = await leave({ template: 'recover' });
    await db.pool.query(`${change} where one_time_token_id = $1`, [mail.one_time_token_id]);
    await expectOutcome(options, mail, 'dropped', `The one-time token ${ending}`, 0);
    expect(smtp.offers.senders).toBe(0);
  });
});

describe('one mail', () => {
  test('that several send at once goes out once, also when the first attempt fails', async () => {
    const codes = [450];
    const { smtp, options } = await serveMail(db, { onRecipient: () => codes.shift() });
    const mail = await leave();
    const sendings = await Promise.all(
      Array.from({ length: 6 }, () => sendMail(options, mail.mail_id)),
    );
    const states = sendings.map(({ state }) => state).toSorted();
    expect(states).toEqual([...Array<string>(4).fill('ended before'), 'queued', 'sent']);
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.offers.recipients).toBe(2);
  });

  test('that is not there is no fault', async () => {
    const { options } = await serveMail(db);
    expect(await sendMail(options, 9_999_999)).toEqual({ state: 'ended before' });
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
    await expect(sendMail(options, mail.mail_id)).rejects.toThrow('mail/end_attempt.sql');
    expect(await mailRow(db, mail)).toMatchObject({ state: 'queued', attempt_count: 0 });
    expect(await sendMail(options, mail.mail_id)).toEqual({ state: 'sent' });
    const ids = smtp.mails.map(({ email }) => email.messageId);
    expect(ids).toEqual([`<${mail.message_id}@registry.example>`, ids[0]]);
  });
});
