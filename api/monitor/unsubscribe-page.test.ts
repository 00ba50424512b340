import jwt from 'jsonwebtoken';
import { describe, expect, test } from 'vitest';
import { createAccount, type TestAccount } from '../../fixtures/client/account.ts';
import { createFirstDay } from '../../fixtures/dump/night.ts';
import { secretKey } from '../../fixtures/client/mailed-token.ts';
import { createReader as createWatcher } from '../../fixtures/client/watch.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { signOneTimeToken } from '../../sql/secrets/signed-token.ts';
import { signUnsubscribeToken } from '../../sql/secrets/unsubscribe-token.ts';

const { database, api } = await useApi({ secretKey }, createFirstDay);

/**
 * Creates an account that gets mails of every event, by its account-wide settings and by the settings of a single
 * company.
 */
async function createReader(): Promise<TestAccount & { token: string }> {
  const two = '(select company_id from registry.company order by company_id limit 2)';
  const found = `company_id in ${two}`;
  const account = await createWatcher(database, { found, severity: 'info' });
  await database.pool.query(
    `with chosen as (
       update customer.alert_setting set alert_event_classes = '{risk}' where account_id = $1
     )
     update customer.watch
     set has_custom_settings = true, alerts_enabled = true, notify_via_email = true,
       alert_min_severity = 'high'
     where watch_id = (select min(watch_id) from customer.watch where account_id = $1)`,
    [account.account_id],
  );
  return { ...account, token: tokenOf(account) };
}

/** Returns the unsubscribe token of a mail to an account, issued at the current time or at `issued_at`. */
function tokenOf({ user_ref }: { user_ref: string }, issued_at = new Date()): string {
  return signUnsubscribeToken(secretKey, { user_ref, issued_at });
}

/** Returns all alert settings of an account: the account-wide settings, then the settings of each watched company. */
async function settingsOf({ account_id }: TestAccount): Promise<unknown[][]> {
  const { rows } = await database.pool.query<object>(
    `select true as has_custom_settings, alerts_enabled, notify_via_email, alert_min_severity,
       alert_event_classes
     from customer.alert_setting where account_id = $1
     union all
     (select has_custom_settings, alerts_enabled, notify_via_email, alert_min_severity,
       alert_event_classes
     from customer.watch where account_id = $1 order by watch_id)`,
    [account_id],
  );
  return rows.map((row) => Object.values(row));
}

const settings = (notify_via_email: boolean) => [
  [true, true, notify_via_email, 'info', ['risk']],
  [true, true, notify_via_email, 'high', null],
  [false, null, null, null, null],
];

function post(path: string, body?: URLSearchParams | FormData | string): Promise<Response> {
  return api.ask(path, { method: 'POST', ...(body === undefined ? {} : { body }) });
}

function expectPrivate({ headers }: Response): void {
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
}

/**
 * Returns invalid unsubscribe tokens: damaged tokens, tokens signed with another key, and tokens for another purpose.
 */
function forgedTokens({ user_ref, token }: { user_ref: string; token: string }): string[] {
  const claims = { purpose: 'unsubscribe', sub: user_ref };
  const day_ms = 24 * 3600 * 1000;
  return [
    '',
    'x',
    `${token}x`,
    token.replace(/\.[^.]*$/, '.'),
    jwt.sign(claims, 'another key that is long enough for it', { noTimestamp: true }),
    jwt.sign(claims, '', { algorithm: 'none' }),
    jwt.sign(claims, secretKey, { algorithm: 'HS512', noTimestamp: true }),
    jwt.sign({ ...claims, purpose: 'init' }, secretKey, { noTimestamp: true }),
    signOneTimeToken(secretKey, {
      one_time_token_id: '0b0e7e1c-5f0e-4a43-8a57-1f2f3a4b5c6d',
      purpose: 'recover',
      user_ref,
      created_at: new Date(),
      expires_at: new Date(Date.now() + day_ms),
    }),
  ];
}

describe('GET /unsubscribe', () => {
  test('200 shows a button and changes nothing', async () => {
    const reader = await createReader();
    const response = await api.ask(`/unsubscribe?token=${reader.token}`);
    expect(response.status).toBe(200);
    expectPrivate(response);
    const page = await response.text();
    expect(page).toContain('<form method="post" action="/unsubscribe">');
    expect(page).toContain(`<input type="hidden" name="token" value="${reader.token}">`);
    expect(page).toContain('<button type="submit">Stop these e-mails</button>');
    expect(await settingsOf(reader)).toEqual(settings(true));
    expect(JSON.stringify(api.log)).not.toContain(reader.token);
  });

  test('200 speaks the language of the account, before and after the button', async () => {
    const reader = await createReader();
    await database.pool.query("update customer.account set language = 'pl' where account_id = $1", [
      reader.account_id,
    ]);
    const page = await (await api.ask(`/unsubscribe?token=${reader.token}`)).text();
    expect(page).toContain('<button type="submit">Wyłącz te wiadomości</button>');
    const done = await post('/unsubscribe', new URLSearchParams({ token: reader.token }));
    expect(await done.text()).toContain('<a href="/console#alerts">konsola</a> albo PATCH');
  });

  test('422 for what is not our token, or of no account, which is not repeated, to POST too', async () => {
    const reader = await createReader();
    const unknown = tokenOf({ user_ref: 'AAAAAAAAAAAA' });
    const tokens = [...forgedTokens(reader), unknown, '"><script>alert(1)</script>'];
    for (const token of tokens) {
      const address = `/unsubscribe?token=${encodeURIComponent(token)}`;
      const form = new URLSearchParams({ token });
      for (const asked of [api.ask(address), post(address), post('/unsubscribe', form)]) {
        const response = await asked;
        expect([token, response.status]).toEqual([token, 422]);
        expectPrivate(response);
        const page = await response.text();
        expect(page).toContain('<p role="alert">This link is not valid');
        expect(page).not.toContain('<form');
        expect(page).not.toContain('alert(1)');
      }
    }
    for (const query of ['', `?token=${reader.token}&token=${reader.token}`]) {
      expect((await api.ask(`/unsubscribe${query}`)).status).toBe(422);
      expect((await post(`/unsubscribe${query}`)).status).toBe(422);
    }
    expect(await settingsOf(reader)).toEqual(settings(true));
  });
});

describe('POST /unsubscribe', () => {
  test('200 by the button turns the mails of the account off, and nothing else', async () => {
    const [reader, other] = [await createReader(), await createReader()];
    for (let at = 0; at < 2; at += 1) {
      const response = await post('/unsubscribe', new URLSearchParams({ token: reader.token }));
      expect(response.status).toBe(200);
      expectPrivate(response);
      expect(await response.text()).toContain('You get no more e-mails about changes');
      expect(await settingsOf(reader)).toEqual(settings(false));
    }
    expect(await settingsOf(other)).toEqual(settings(true));
  });

  test('200 by the one-click request of a mail program', async () => {
    const multipart = new FormData();
    multipart.set('List-Unsubscribe', 'One-Click');
    const urlencoded = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    for (const body of [multipart, urlencoded, undefined]) {
      const reader = await createReader();
      const response = await post(`/unsubscribe?token=${reader.token}`, body);
      expect(response.status).toBe(200);
      expect(await settingsOf(reader)).toEqual(settings(false));
    }
  });

  test('200 where no settings were ever made', async () => {
    const token = tokenOf(await createAccount(database.kysely));
    expect((await post('/unsubscribe', new URLSearchParams({ token }))).status).toBe(200);
  });

  test('413 for a body that is too large', async () => {
    const form = new URLSearchParams({ token: 'a'.repeat(20_000) });
    expect((await post('/unsubscribe', form)).status).toBe(413);
  });
});

async function expectStatus(token: string, status: number): Promise<void> {
  expect((await api.ask(`/unsubscribe?token=${token}`)).status).toBe(status);
  expect((await post(`/unsubscribe?token=${token}`)).status).toBe(status);
}

test('a link works for 365 days after its mail', async () => {
  const reader = await createReader();
  for (const [days, status, isOn] of [
    [366, 422, true],
    [364, 200, false],
  ] as const) {
    const token = tokenOf(reader, new Date(Date.now() - days * 86_400_000));
    await expectStatus(token, status);
    expect(await settingsOf(reader)).toEqual(settings(isOn));
  }
});

test('a link ends with the recovery of its account; that of a later mail works', async () => {
  const reader = await createReader();
  const recovered_at = new Date(Date.now() + 2_000);
  await database.pool.query('update customer.account set recovered_at = $2 where account_id = $1', [
    reader.account_id,
    recovered_at,
  ]);
  await expectStatus(reader.token, 422);
  expect(await settingsOf(reader)).toEqual(settings(true));
  const later = tokenOf(reader, recovered_at);
  await expectStatus(later, 200);
});

test('a token is good for nothing else', async () => {
  const { token } = await createReader();
  const recovery = await post('/recover', new URLSearchParams({ token, password: 'a password' }));
  expect(recovery.status).toBe(422);
});
