import { describe, expect, test } from 'vitest';
import { createAccount } from '../../../fixtures/client/account.ts';
import { mailRow } from '../../../fixtures/process/mail.ts';
import { sendOptions, serveMail } from '../../../fixtures/process/mail-delivery.ts';
import { createTestDatabase } from '../../../fixtures/database/test-database.ts';
import type { ReceivedMail } from '../../../fixtures/process/test-smtp.ts';
import { sendMail } from '../send.ts';

const db = await createTestDatabase();
const reader = await createAccount(db.kysely, { email: 'anna@company.example' });
await turn(true);

async function turn(isOn: boolean): Promise<void> {
  await db.pool.query(
    `insert into customer.alert_setting values ($1, true, $2, 'info', null, null)
     on conflict (account_id) do update set notify_via_email = excluded.notify_via_email`,
    [reader.account_id, isOn],
  );
}

async function receive(mail_id: number): Promise<ReceivedMail> {
  const { smtp, options } = await serveMail(db);
  expect(await sendMail(options, mail_id)).toEqual({ state: 'sent' });
  return smtp.mails[0]!;
}

/** Inserts a queued digest of a night, which lists `events`; `totals` counts all events of the night. */
async function leaveDigest(
  events: object[],
  totals: object[] = [{ severity: 'warning', event_count: events.length }],
): Promise<number> {
  const { rows } = await db.pool.query<{ mail_id: string }>(
    `insert into customer.mail (mail_key, account_id, recipient, template, data, created_at)
     values ('digest:' || gen_random_uuid(), $1, $2, 'digest', $3, '2026-11-20T05:00:00Z')
     returning mail_id`,
    [
      reader.account_id,
      reader.email,
      {
        account_id: Number(reader.account_id),
        user_name: reader.name,
        source: 'ceidg',
        event_date: '2026-11-20',
        totals,
        events,
      },
    ],
  );
  return Number(rows[0]!.mail_id);
}

const renamed = {
  company_ref: null,
  company_name: 'Bar Kłos',
  primary_identifier: '1001405001',
  identifier_type: 'NIP',
  event_type: 'COMPANY_NAME_CHANGED',
  severity: 'warning',
  old_value: 'Bar',
  new_value: 'Bar Kłos',
};

function makeEvents(count: number, part: object = {}): object[] {
  return Array.from({ length: count }, (_, at) => ({
    ...renamed,
    company_ref: String(3_000_000_000 + Math.floor(at / 2)),
    primary_identifier: String(1_000_000_000 + Math.floor(at / 2)),
    company_name: `Przedsiębiorstwo Wielobranżowe ${Math.floor(at / 2)} Spółka Cywilna`,
    old_value: 'al. Wojska Polskiego 50, 70-001 Szczecin, zachodniopomorskie',
    new_value: 'al. Wojska Polskiego 52/3, 70-001 Szczecin, zachodniopomorskie',
    ...part,
  }));
}

describe('a digest', () => {
  test('of one event', async () => {
    const { email } = await receive(await leaveDigest([renamed]));
    expect(email.subject).toBe('20 November 2026: 1 change at companies you watch, 1 warning');
    expect(email.text).toContain(
      'brings 1 change at companies that you watch: 1 warning. The worst come first.\n\nWarning: 1\n',
    );
    expect(email.text).not.toContain('more');
  });

  test('in Polish', async () => {
    const { rowCount } = await db.pool.query(
      `update customer.account set language = 'pl' where account_id = $1`,
      [reader.account_id],
    );
    expect(rowCount).toBe(1);
    const totals = [{ severity: 'warning', event_count: 2 }];
    const { email } = await receive(await leaveDigest([renamed], totals));
    await db.pool.query(`update customer.account set language = 'en'`);
    expect(email.subject).toBe(
      '20 listopada 2026: 2 zmiany w obserwowanych firmach, ostrzeżenia: 2',
    );
    expect(email.text).toContain(`Dzień dobry, Anna Nowak,

CEIDG z 20 listopada 2026: 2 zmiany w obserwowanych firmach (ostrzeżenia: 2). Poniżej najważniejsze: 1.

Ostrzeżenia: 1 z 2
==================

Bar Kłos
NIP 1001405001
- Zmieniono nazwę: Bar → Bar Kłos

Pozostałe: 1
`);
    expect(email.text).toContain('Wyłącz te wiadomości:');
  });

  test('names the numbers of the country of each company', async () => {
    const events = [
      ['KRS', '0000010078', '0000010079'],
      ['SIREN', '000990069', '000990077'],
    ].map(([identifier_type, old_value, new_value]) => ({
      ...renamed,
      company_ref: old_value,
      identifier_type,
      event_type: 'COMPANY_REGISTRY_NUMBER_CHANGED',
      old_value,
      new_value,
    }));
    const { email } = await receive(await leaveDigest(events));
    expect(email.text!.match(/^- .*$/gm)).toEqual([
      '- The KRS number was replaced by another: 0000010078 → 0000010079',
      '- The SIREN or RNA number changed: 000990069 → 000990077',
    ]);
  });

  test('of 5,000 tells the worst 200, and how many more there are', async () => {
    const totals = [
      { severity: 'critical', event_count: 150 },
      { severity: 'warning', event_count: 4_800 },
      { severity: 'notice', event_count: 50 },
    ];
    const events = [...makeEvents(150, { severity: 'critical' }), ...makeEvents(50)];
    const { email } = await receive(await leaveDigest(events, totals));
    expect(email.subject).toBe(
      '20 November 2026: 5,000 changes at companies you watch, 150 critical',
    );
    expect(email.text).toContain(
      'brings 5,000 changes at companies that you watch: 150 critical, 4,800 warning, 50 notice. The worst 200 follow.',
    );
    expect(email.text!.match(/^- /gm)).toHaveLength(200);
    // The 200 events in the mail belong to 100 companies.
    expect(email.text!.match(/^NIP /gm)).toHaveLength(100);
    expect(email.html!.match(/<li>/g)).toHaveLength(200);
    expect(email.text).toContain('\nCritical: 150\n');
    expect(email.text).toContain('\nWarning: 50 of 4,800\n');
    expect(email.text).toContain(`
And 4,800 more
==============

4,750 warning, 50 notice. The feed of your watch list has them all:

GET https://api.registry.example/api/v1/watchlist/events?from_date=2026-11-20&to_date=2026-11-20
`);
    // Gmail truncates an HTML mail of more than 102,000 bytes.
    expect(Buffer.byteLength(email.html!)).toBeLessThan(102_000);
  });

  test('takes nothing in a name for a line, a header or a tag', async () => {
    const company_name = 'Eve\r\nBcc: a@b.example\r\n\r\n<script>alert("1")</script>\u202Egnp';
    const values = { old_value: '<b>&amp;\n- x', new_value: 'ż'.repeat(250) };
    const { email, raw } = await receive(
      await leaveDigest([{ ...renamed, company_name, ...values }]),
    );
    expect(email.text).toContain(
      `\nEve Bcc: a@b.example <script>alert("1")</script> gnp\nNIP 1001405001\n- The name changed: <b>&amp; - x → ${'ż'.repeat(199)}…\n`,
    );
    expect(email.html).toContain(
      '<b>Eve Bcc: a@b.example &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; gnp</b>',
    );
    expect(email.html).toContain('<li>The name changed: &lt;b&gt;&amp;amp; - x → ż');
    expect(email.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(raw).not.toMatch(/^Bcc/m);
  });

  test('of a company without name and number, and of an event without values', async () => {
    const nobody = { company_name: null, primary_identifier: null, identifier_type: null };
    const events = [{ ...renamed, ...nobody, old_value: null, new_value: null }];
    const { email } = await receive(await leaveDigest(events));
    expect(email.text).toContain(
      '\nA company without a name\nwithout a number\n- The name changed\n',
    );
  });

  test('offers no one-click request where it would not be secret', async () => {
    const { smtp, options } = await serveMail(db);
    const mail_id = await leaveDigest([renamed]);
    await sendMail({ ...options, baseUrl: 'http://localhost:8080' }, mail_id);
    const keys = smtp.mails[0]!.email.headers.map(({ key }) => key);
    expect(keys).toContain('list-unsubscribe');
    expect(keys).not.toContain('list-unsubscribe-post');
  });

  test('is dropped when the mails were turned off meanwhile, also for a single company', async () => {
    const mail_id = await leaveDigest([renamed]);
    await turn(false);
    const sending = await sendMail(
      sendOptions(db, () => Promise.reject(new Error('It was sent'))),
      mail_id,
    );
    const reason = 'The account has turned alerts by mail off';
    expect(sending).toEqual({ state: 'dropped', reason });
    expect(await mailRow(db, { mail_id })).toMatchObject({ state: 'dropped', last_error: reason });

    await db.pool.query(
      `insert into customer.watch (
         account_id, identifier_type, identifier_value, state, created_at, has_custom_settings,
         alerts_enabled, notify_via_email, alert_min_severity
       )
       values ($1, 'NIP', '1001001002', 'queued', '2026-11-01T12:00:00Z', true, true, true, 'info')`,
      [reader.account_id],
    );
    await receive(await leaveDigest([renamed]));
    await turn(true);
  });
});
