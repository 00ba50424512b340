import { expect, test } from 'vitest';
import { secretKey, serveMail } from '../../../fixtures/process/mail-delivery.ts';
import { createFirstDay, runFixture } from '../../../fixtures/dump/night.ts';
import type { ReceivedMail } from '../../../fixtures/process/test-smtp.ts';
import { createReader } from '../../../fixtures/client/watch.ts';
import { signUnsubscribeToken } from '../../../sql/secrets/unsubscribe-token.ts';
import { sendMail } from '../send.ts';

test('the mail of a night', async () => {
  const db = await createFirstDay();
  const found = `nip in ('1001001002', '1003201001', '1002201016', '1000201006')`;
  const email = 'anna@company.example';
  const reader = await createReader(db, { email, found, severity: 'info' });
  await db.pool.query(
    `update customer.watch set reference = 'Supplier <17>' where identifier_value = '1001001002'`,
  );
  const { rows } = await db.pool.query<Record<'company_id' | 'nip', string>>(
    `select company_id, nip from registry.company where ${found}`,
  );
  await runFixture(db, '2026-11-03');
  const { rows: mails } = await db.pool.query<{ mail_id: string }>(
    'select mail_id from customer.mail',
  );
  expect(mails).toHaveLength(1);
  const { smtp, options } = await serveMail(db);
  expect(await sendMail(options, Number(mails[0]!.mail_id))).toEqual({ state: 'sent' });
  const [mail] = smtp.mails as [ReceivedMail];
  const link = `https://api.registry.example/unsubscribe?token=${signUnsubscribeToken(secretKey, { user_ref: reader.user_ref, issued_at: new Date('2026-11-20T05:00:00Z') })}`;
  const pageOf = (number: string) =>
    `https://api.registry.example/companies/${rows.find(({ nip }) => nip === number)!.company_id}`;
  expect(mail.to).toEqual(['anna@company.example']);
  expect(mail.email.text).toBe(`Hello Anna Nowak,

CEIDG of 3 November 2026 brings 6 changes at companies that you watch: 2 critical, 2 warning, 2 notice. The worst come first.

Critical: 2
===========

Tkaniny Artystyczne Jadwiga Włókniarz
NIP 1001001002 · Supplier <17>
${pageOf('1001001002')}
- The activity was suspended on 1 November 2026

Wypożyczalnia Rowerów Pedał Adam Szprycha
NIP 1002201016
${pageOf('1002201016')}
- The entry was struck off the registry on 3 November 2026; it was active until then

Warning: 2
==========

Klub Fitness Sztanga i Mata Oskar Hantel
NIP 1003201001
${pageOf('1003201001')}
- The registered address changed: al. Wojska Polskiego 50, 70-001 Szczecin, zachodniopomorskie → al. Wojska Polskiego 52/3, 70-001 Szczecin, zachodniopomorskie
- The name changed: Klub Fitness Sztanga Oskar Hantel → Klub Fitness Sztanga i Mata Oskar Hantel

Notice: 2
=========

Klub Fitness Sztanga i Mata Oskar Hantel
NIP 1003201001
${pageOf('1003201001')}
- The phone number changed: 400232101 → 400232199

Piekarnia Pod Wieżą Anna Żakowska
NIP 1000201006
${pageOf('1000201006')}
- A phone number was added: 400202101

You get this mail because alerts by e-mail are turned on for your account.

Choose the events that are mailed:
https://api.registry.example/console#alerts

Stop these mails:
${link}

This service processes personal data.

Privacy:
https://api.registry.example/privacy
`);
  const headers = mail.email.headers.map(({ key, value }) => [key, value]);
  expect(Object.fromEntries(headers)).toMatchObject({
    'list-unsubscribe': `<${link}>`,
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    to: 'Anna Nowak <anna@company.example>',
    subject: '3 November 2026: 6 changes at companies you watch, 2 critical',
  });
  // The link is on one line, because many mail programs do not recognize a link over several lines.
  expect(mail.raw).toContain(`<${link}>\r\n`);
  const html = mail.email.html!;
  expect(html).toMatch(
    new RegExp(
      `<a href="${pageOf('1003201001')}"[^>]*><b>Klub Fitness Sztanga i Mata Oskar Hantel</b>`,
    ),
  );
  expect(html.match(/<h2[^>]*>[^<]*/g)!.map((tag) => tag.replace(/.*>/, ''))).toEqual([
    'Critical: 2',
    'Warning: 2',
    'Notice: 2',
  ]);
  expect(html).not.toMatch(/<(img|link|script|style|iframe|object)|url\(/);
});
