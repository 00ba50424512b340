import { describe, expect, test } from 'vitest';
import { leaveMail, mailRow } from '../../fixtures/process/mail.ts';
import {
  created_at,
  expires_at,
  secretKey,
  serveMail,
} from '../../fixtures/process/mail-delivery.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import type { ReceivedMail } from '../../fixtures/process/test-smtp.ts';
import { signOneTimeToken } from '../../sql/secrets/signed-token.ts';
import { writeHtml, writeText } from './letter.ts';
import { sendMail } from './send.ts';

const db = await createTestDatabase();

/** Sends a mail. Returns the received mail, and the one-time token that it must contain. */
async function receive(
  options: Parameters<typeof leaveMail>[1],
): Promise<ReceivedMail & { jwt: string; message_id: string }> {
  const { smtp, options: sending } = await serveMail(db);
  const mail = await leaveMail(db, { created_at, ...options });
  expect(await sendMail(sending, mail.mail_id)).toEqual({ state: 'sent' });
  expect(await mailRow(db, mail)).toMatchObject({ state: 'sent', last_error: null });
  expect(smtp.mails).toHaveLength(1);
  const purpose = options?.template ?? 'init';
  const jwt = signOneTimeToken(secretKey, { ...mail, purpose, created_at, expires_at });
  return { ...smtp.mails[0]!, jwt, message_id: mail.message_id };
}

const notice = 'This service processes personal data.';
/** The text with which every mail ends. */
const privacy = `\n${notice}\n\nPrivacy:\nhttps://api.registry.example/privacy\n`;

/** Returns the text that a reader of the HTML mail sees. */
function visible(html: string): string {
  return html
    .replace(/^[^]*<body[^>]*>|<[^>]+>/g, '')
    .replace(/&#39;|&quot;/g, (entity) => (entity === '&#39;' ? "'" : '"'))
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim();
}

describe('mails', () => {
  test('with the token that initialises an account: text, headers, envelope', async () => {
    const mail = await receive({ template: 'init', recipient: 'jan@firma.example' });
    expect([mail.from, mail.to]).toEqual(['no-reply@registry.example', ['jan@firma.example']]);
    const text = `Hello,

Your account of the Company Registry API is registered. One step is left: open the console, which exchanges a one-time token for your Master Token. The token works once, until 21 November 2026, 10:05 UTC.

Open the console:
https://api.registry.example/console#init=${mail.jwt}

The console shows your Master Token, once: keep it where you keep your passwords.

Without a browser, exchange the token yourself, for example with curl:

${mail.jwt}

curl -X POST https://api.registry.example/api/v1/auth/init \\
  -H 'Content-Type: application/json' \\
  -d '{"token":"${mail.jwt}"}'

If you have not registered, ignore this mail: without the token above nothing happens.
`;
    expect(mail.email.text).toBe(text + privacy);
    const seen = `${text} ${notice} Privacy`.replace('console:', 'console');
    expect(visible(mail.email.html!)).toBe(seen.replace(/\s+/g, ' '));
    expect(mail.email.headers.map(({ key, value }) => [key, value])).toEqual([
      ['auto-submitted', 'auto-generated'],
      ['from', 'Company Registry <no-reply@registry.example>'],
      ['to', 'jan@firma.example'],
      ['subject', 'Your one-time token for the Company Registry API'],
      ['message-id', `<${mail.message_id}@registry.example>`],
      ['date', 'Fri, 20 Nov 2026 10:05:00 +0000'],
      ['mime-version', '1.0'],
      ['content-type', expect.stringMatching(/^multipart\/alternative; boundary=/)],
    ]);
    expect(mail.raw.split('\r\n').every((line) => line.length <= 78)).toBe(true);
  });

  test('with the link that confirms a recovery', async () => {
    const { jwt, email } = await receive({ template: 'recover' });
    const link = `https://api.registry.example/recover#token=${jwt}`;
    const text = `Hello Jan Kowalski,

Somebody, hopefully you, has asked to recover your account of the Company Registry API. Open this page to confirm it; the link works once, until 21 November 2026, 10:05 UTC.

Confirm the recovery:
${link}

The page asks for the new password that was chosen with the request. It then shows a new Master Token, and every token you have now stops working.

If you have not asked for this, ignore this mail: as long as nobody confirms it, your password and your tokens stay as they are.
`;
    expect(email.subject).toBe('Recover your Company Registry API account');
    expect(email.text).toBe(text + privacy);
    expect(email.html).toContain(`<a href="${link}" `);
  });

  test('in Polish', async () => {
    const { email } = await receive({ template: 'recover', language: 'pl' });
    expect(email.subject).toBe('Odzyskiwanie konta Company Registry API');
    expect(email.text).toMatch(/^Dzień dobry, Jan Kowalski,\n\nKtoś, prawdopodobnie Ty, poprosił/);
    expect(email.text).toContain('odnośnik działa raz, do 21 listopada 2026, 10:05 UTC.');
    expect(email.text).toContain('\n\nTa usługa przetwarza dane osobowe.\n\nPrywatność:\nhttps');
    expect(email.html).toContain('<html lang="pl">');
  });

  test('to an address that anybody can register repeat nothing of the registration', async () => {
    const { email, raw } = await receive({ user_name: 'Pay your invoice now' });
    expect(email.text).toMatch(/^Hello,\n/);
    expect(raw).not.toContain('invoice');
    expect(email.html).not.toContain('invoice');
  });
});

describe('the name of the reader', () => {
  test.each([
    'Żaneta Gęślą-Jaźń',
    '"Kowalski, Jan" <x>',
    'O’Neill & Søns; sp. z o.o.',
    'a very long name '.repeat(5).trim(),
    '株式会社 🦊',
  ])('%j stands in the greeting and in the header', async (user_name) => {
    const recipient = 'jan@firma.example';
    const { email, raw } = await receive({ template: 'recover', user_name, recipient });
    expect(email.to).toEqual([{ name: user_name, address: 'jan@firma.example' }]);
    expect(email.text).toMatch(`Hello ${user_name},\n`);
    expect(email.html).not.toContain('<x>');
    expect(/^[\r\n -~]*$/.test(raw)).toBe(true);
  });

  test.each([
    'Eve\r\nBcc: everybody@firma.example',
    'Eve\nSubject: something else',
    'Eve\r\n\r\n<p>another body</p>',
    'Eve\u2028Bcc: x',
    'Eve\u202Egnp.exe',
    // The character NUL is not tested, because PostgreSQL cannot store this character in a text.
    'Eve\u0001',
    'You have won: https://evil.example',
    'evil.example/login',
    'www.evil.example',
    'e'.repeat(101),
  ])('%j is left out', async (user_name) => {
    const { email, raw } = await receive({ template: 'recover', user_name });
    expect(email.to).toEqual([{ name: '', address: expect.stringMatching(/@firma\.example$/) }]);
    expect(email.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(email.text).toMatch(/^Hello,\n/);
    expect(raw).not.toContain('evil');
    expect(email.subject).toBe('Recover your Company Registry API account');
  });
});

test('letters are the same in HTML, take nothing for a tag, and load nothing', () => {
  const evil = `<script>alert("1")</script>&'`;
  const pieces = [{ text: evil }, { code: evil }, { link: evil, label: evil }];
  const letter = { subject: evil, pieces };
  const html = writeHtml(letter, 'en');
  expect(html).not.toMatch(/<(img|link|script|style|iframe|object)|url\(|https?:|alert\("|&'/);
  const written = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;';
  expect(html.split(written)).toHaveLength(7);
  expect(writeText(letter)).toBe([evil, evil, `${evil}:\n${evil}`].join('\n\n'));
});
