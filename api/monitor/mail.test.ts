import { describe, expect, test } from 'vitest';
import { fieldOf, makeReports, withFields } from '../../fixtures/dump/bad-dump.ts';
import { runBad } from '../../fixtures/dump/bad-night.ts';
import { textOf } from '../../fixtures/client/samples.ts';
import { serveMail } from '../../fixtures/process/mail-delivery.ts';
import { createSubmitter, type Submitter } from '../../fixtures/client/submitter.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import type { ReceivedMail } from '../../fixtures/process/test-smtp.ts';
import { sendMail } from '../../pipeline/mail/send.ts';

const name = 'Zakład <b>„Pod & Nad”</b> <script>alert(1)</script>';

const { database, api } = await useApi({ now: () => new Date('2026-11-19T10:05:00Z') });
const reports = makeReports({});
const lines = reports.mazowieckie!;
lines[1] = withFields(lines[1]!, { NazwaPodmiotu: name });
const known = fieldOf(lines[1], 'Nip');
const others = reports.śląskie!.slice(1).map((line) => fieldOf(line, 'Nip'));
await runBad(database, reports, '2026-11-02');

/** Sends the newest mail of an account to a test SMTP server, and returns the mail as received. */
async function receive({ account_id }: Submitter): Promise<ReceivedMail> {
  const { smtp, options } = await serveMail(database);
  const { rows } = await database.pool.query<{ mail_id: string }>(
    'select mail_id from customer.mail where account_id = $1 order by mail_id desc limit 1',
    [account_id],
  );
  expect(await sendMail(options, Number(rows[0]!.mail_id))).toEqual({ state: 'sent' });
  return smtp.mails[0]!;
}

/** Returns the text that a reader of an HTML mail sees. */
function visible(html: string): string {
  const body = html.replace(/^[^]*<body[^>]*>/, '').replaceAll('<', ' <');
  return textOf(body).replace(/\s+/g, ' ').trim();
}

describe('the mail about a submission', () => {
  test('lists what is ready and what has failed, in plain text and in HTML', async () => {
    const submitter = await createSubmitter(database, api);
    const identifiers = [
      { identifier_type: 'NIP', identifier_value: '1000201006' },
      { identifier_type: 'NIP', identifier_value: known, reference: 'Supplier <17>' },
    ];
    await submitter.ask('POST /companies/add', { identifiers });
    await database.pool.query(`select customer.advance_watches('2026-11-27T00:00:00Z')`);
    const { email, raw } = await receive(submitter);
    const { rows } = await database.pool.query<{ ref: string }>(
      'select company_id as ref from registry.company where nip = $1',
      [known],
    );
    const { ref } = rows[0]!;
    expect(email.subject).toBe('Your watch list: 1 ready, 1 failed');
    const text = `Hello Anna Nowak,

On 19 November 2026, 10:05 UTC, you submitted 2 companies to your watch list. This is what became of them.

Ready: 1
========

${name}
NIP ${known} · Supplier <17>
https://api.registry.example/companies/${ref}

Their events come into your feed from now on.

See your events:
https://api.registry.example/console#events

Failed: 1
=========

NIP 1000201006
No registry has reported this number within 7 days

Submit a number again to have it imported anew.

This service processes personal data.

Privacy:
https://api.registry.example/privacy
`;
    expect(email.text).toBe(text);
    // The HTML mail shows addresses only as targets of links, except the address of the button, which is also shown as
    // text.
    const button = text.replace(/:\n(?=\S+#events)/, ' ');
    const shown = button.replace(/=+|:?\nhttps\S+/g, '');
    expect(visible(email.html!)).toBe(shown.replace(/\s+/g, ' ').trim());
    expect(email.html).not.toMatch(/<script|<b>„/);
    expect(raw.split('\r\n').every((line) => line.length <= 78)).toBe(true);
  });

  test('counts what was removed meanwhile', async () => {
    const submitter = await createSubmitter(database, api);
    await submitter.add('NIP', ...others, '1000201006');
    await submitter.ask('DELETE /companies/watched', { name: 'NIP', value: [others[0]] });
    await submitter.ask('DELETE /companies/watched', { name: 'NIP', value: ['1000201006'] });
    const { email } = await receive(submitter);
    expect(email.subject).toBe('Your watch list: 7 ready');
    expect(email.text).toContain(
      'you submitted 9 companies to your watch list. This is what became of them. 2 you have removed meanwhile.\n',
    );
    expect(email.text!.match(/^NIP \d{10}$/gm)).toEqual(others.slice(1).map((nip) => `NIP ${nip}`));
  });

  test('keeps names to one line, whatever a registry has told', async () => {
    const submitter = await createSubmitter(database, api);
    await submitter.add('NIP', known);
    await database.pool.query(
      `update customer.mail
      set data = jsonb_set(data, '{ready,0,name}', to_jsonb($2::text))
      where account_id = $1`,
      [submitter.account_id, 'Firma\r\nBcc: everybody@firma.example\r\n\r\nFailed: 9\u202e'],
    );
    const { email } = await receive(submitter);
    expect(email.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(email.text).toContain(`\nFirma Bcc: everybody@firma.example Failed: 9\nNIP ${known}\n`);
  });
});
