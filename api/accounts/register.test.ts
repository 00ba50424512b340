import { describe, expect, onTestFinished, test } from 'vitest';
import { type Answer, askJson, refusal, refusals } from '../../fixtures/client/json-client.ts';
import { createAccount } from '../../fixtures/client/account.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { verifyPassword } from './password.ts';

let now = new Date('2026-05-01T10:00:00.750Z');
const message = 'The account is registered. A one-time token was sent to its e-mail address.';
const taken = 'The email has already been taken.';
const free = 'The email field must not be an address of a disposable or free mailbox.';

let count = 0;

const { database, api } = await useApi({ now: () => now });

function nextAddress(): string {
  count += 1;
  return `anna${count}@firma.pl`;
}

function bodyOf(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    email: nextAddress(),
    name: 'Anna Nowak',
    password: 'correct horse',
    password_confirmation: 'correct horse',
    ...change,
  };
}

function register(change: Record<string, unknown> = {}): Promise<Answer> {
  return askJson(api, 'POST /auth/register', { body: bodyOf(change) });
}

async function rowsOf(email: string) {
  const { rows: accounts } = await database.pool.query(
    `select user_ref, email, name, password_hash, created_at, initialized_at, language
    from customer.account where lower(email) = lower($1)`,
    [email],
  );
  const { rows: tokens } = await database.pool.query(
    `select purpose, token.password_hash, token.created_at, expires_at, used_at, cancelled_at
    from customer.one_time_token as token join customer.account using (account_id)
    where lower(email) = lower($1) order by cancelled_at nulls last`,
    [email],
  );
  const { rows: mails } = await database.pool.query(
    `select mail_key, recipient, template, data, state, mail.created_at
    from customer.mail join customer.account using (account_id)
    where lower(email) = lower($1) order by mail_id`,
    [email],
  );
  return { accounts, tokens, mails };
}

async function countMailsToStranger(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::int from customer.mail where recipient ilike 'stranger%@firma.pl'`,
  );
  return rows[0]!.count;
}

describe('POST /auth/register', () => {
  test('201 leaves an account, a one-time token and its mail', async () => {
    const email = nextAddress();
    const { status, body } = await register({ email, name: '  Anna Nowak ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      user_ref: expect.stringMatching(/^[0-9A-Z]{12}$/),
      email,
      message,
      expires_at: '2026-05-02T10:00:00+00:00',
    });

    const { accounts, tokens, mails } = await rowsOf(email);
    expect(accounts).toEqual([
      {
        user_ref: (body as { user_ref: string }).user_ref,
        email,
        name: 'Anna Nowak',
        password_hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/),
        created_at: now,
        initialized_at: null,
        language: 'en',
      },
    ]);
    expect(tokens).toEqual([
      {
        purpose: 'init',
        password_hash: null,
        created_at: now,
        expires_at: new Date('2026-05-02T10:00:00Z'),
        used_at: null,
        cancelled_at: null,
      },
    ]);
    const { one_time_token_id } = (mails[0] as { data: { one_time_token_id: string } }).data;
    expect(mails).toEqual([
      {
        mail_key: `init:${one_time_token_id}`,
        recipient: email,
        template: 'init',
        data: { one_time_token_id },
        state: 'queued',
        created_at: now,
      },
    ]);
  });

  test('201 gives the address in its one spelling, and keeps the language of the mails', async () => {
    const { status, body } = await register({ email: 'Anna@ŻÓŁW.pl', language: 'pl' });
    expect([status, body]).toMatchObject([201, { email: 'Anna@xn--w-uga1v8h.pl' }]);
    expect((await rowsOf('anna@xn--w-uga1v8h.pl')).accounts).toMatchObject([{ language: 'pl' }]);
  });

  test('201 counts characters, not their halves', async () => {
    expect((await register({ name: '🦆🦆🦆' })).status).toBe(201);
    expect((await register({ name: '🦆'.repeat(255) })).status).toBe(201);
    const password = '🦆'.repeat(8);
    expect((await register({ password, password_confirmation: password })).status).toBe(201);
  });

  test('201 for the address again before it is initialized: fresh token, new name and password', async () => {
    const email = nextAddress();
    const first = await register({ email });
    const again = await register({
      email: email.toUpperCase().replace('FIRMA.PL', 'firma.pl'),
      name: 'Another name',
      password: 'another one',
      password_confirmation: 'another one',
    });
    expect(again.status).toBe(201);
    expect(again.body).toHaveProperty('user_ref', (first.body as { user_ref: string }).user_ref);
    const { accounts, tokens, mails } = await rowsOf(email);
    expect(accounts).toHaveLength(1);
    const account = accounts[0] as { name: string; password_hash: string };
    expect(account.name).toBe('Another name');
    expect(await verifyPassword('another one', account.password_hash)).toBe(true);
    expect(tokens).toMatchObject([{ cancelled_at: now }, { cancelled_at: null }]);
    expect(mails).toHaveLength(2);
  });

  test('201 beyond 3 mails an hour and 10 a day to a mailbox, without a mail', async () => {
    const start = now;
    onTestFinished(() => {
      now = start;
    });
    const counts: number[] = [];
    for (let hour = 0; hour < 5; hour += 1) {
      now = new Date(start.getTime() + hour * 3_600_000);
      for (let at = 0; at < 4; at += 1) {
        const email = at % 2 === 0 ? 'stranger@firma.pl' : `Stranger+${hour}${at}@firma.pl`;
        const { status, body } = await register({ email });
        expect([status, body]).toMatchObject([201, { email, message }]);
      }
      counts.push(await countMailsToStranger());
    }
    expect(counts).toEqual([3, 6, 9, 10, 10]);
    now = new Date(start.getTime() + 24 * 3_600_000);
    await register({ email: 'stranger@firma.pl' });
    expect(await countMailsToStranger()).toBe(11);
  });

  test('201 without a mail keeps the newest mailed token, and what it opens', async () => {
    const email = nextAddress();
    for (let at = 0; at < 5; at += 1) {
      const password = `password ${at}`;
      await register({ email, name: `Name ${at}`, password, password_confirmation: password });
    }
    const { accounts, tokens } = await rowsOf(email);
    const account = accounts[0] as { name: string; password_hash: string };
    expect(account.name).toBe('Name 2');
    expect(await verifyPassword('password 2', account.password_hash)).toBe(true);
    expect(tokens.map(({ cancelled_at }) => cancelled_at as unknown)).toEqual([now, now, null]);
  });

  test('201 for the same address ten times at once: one account, one token that is good', async () => {
    const email = nextAddress();
    const answers = await Promise.all(Array.from({ length: 10 }, () => register({ email })));
    const { accounts, tokens } = await rowsOf(email);
    expect(accounts).toHaveLength(1);
    const [{ user_ref }] = accounts as [{ user_ref: string }];
    for (const answer of answers) expect(answer).toMatchObject({ status: 201, body: { user_ref } });
    expect(tokens).toHaveLength(3);
    expect(tokens.filter((token) => token.cancelled_at === null)).toHaveLength(1);
  });

  test('422 for the address of an account, however it is cased', async () => {
    const email = nextAddress();
    await createAccount(database.kysely, { email });
    for (const spelling of [email, email.toUpperCase()]) {
      expect(await register({ email: spelling })).toEqual(refusal('email', taken));
    }
    expect((await rowsOf(email)).mails).toEqual([]);
  });

  test.each([
    'anna@gmail.com',
    'anna@GMAIL.COM',
    'anna@poczta.onet.pl',
    'anna@x.mailinator.com',
    'anna@ｇmail.com',
  ])('422 for a disposable or free mailbox: %s', async (email) => {
    expect(await register({ email })).toEqual(refusal('email', free));
    expect((await rowsOf(email)).accounts).toEqual([]);
  });

  test('422 for a domain of the setting', async () => {
    const strict = await startTestApi({
      db: database.kysely,
      FREE_MAIL_DOMAINS: ['wlasna.example'],
    });
    const body = bodyOf({ email: 'anna@wlasna.example' });
    expect(await askJson(strict, 'POST /auth/register', { body })).toEqual(refusal('email', free));
  });

  test('503 while registration is switched off', async () => {
    const closed = await startTestApi({ db: database.kysely, REGISTRATION_OPEN: false });
    const body = bodyOf();
    const headers = { 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await closed.ask('/api/v1/auth/register', init);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3600']);
    expect(await response.json()).toEqual({ message: 'Registration is currently switched off.' });
    expect((await rowsOf(body.email as string)).accounts).toEqual([]);
  });
});

const unprintable = 'must not contain control characters or direction marks.';

describe('422 of POST /auth/register names each wrong field', () => {
  const email = 'refused@firma.pl';

  test.each([
    ['missing', {}, 'is required.'],
    [
      'of the wrong type',
      { email: 1, name: ['x'], password: null, password_confirmation: {} },
      'must be a string.',
    ],
  ])('all of them %s', async (_how, body, wrong) => {
    const fields = ['email', 'name', 'password', 'password_confirmation'];
    const errors = refusals(Object.fromEntries(fields.map((field) => [field, wrong])));
    expect(await askJson(api, 'POST /auth/register', { body })).toEqual({
      status: 422,
      body: { message: `The email field ${wrong} (and 3 more errors)`, errors },
    });
  });

  test.each<[Record<string, string>, Record<string, string>]>([
    [{ name: '  An ' }, { name: 'must be at least 3 characters.' }],
    [{ name: '🦆🦆' }, { name: 'must be at least 3 characters.' }],
    [{ name: 'a'.repeat(256) }, { name: 'must not be longer than 255 characters.' }],
    [{ name: 'An\r\nna' }, { name: unprintable }],
    [{ name: 'An\u2028na' }, { name: unprintable }],
    [{ name: 'An\0na' }, { name: unprintable }],
    [{ name: 'An\u202Ena' }, { name: unprintable }],
    [{ name: 'Anna \ud800' }, { name: 'must not contain half of a surrogate pair.' }],
    [
      { password: 'seven77', password_confirmation: 'seven77' },
      { password: 'must be at least 8 characters.' },
    ],
    [
      { password: 'ł'.repeat(513), password_confirmation: 'ł'.repeat(513) },
      { password: 'must not be longer than 1024 bytes.' },
    ],
    [
      { password_confirmation: 'correct horsf' },
      { password_confirmation: 'must match the password field.' },
    ],
    [
      { name: 'An', password_confirmation: '' },
      {
        name: 'must be at least 3 characters.',
        password_confirmation: 'must match the password field.',
      },
    ],
    [{ email: 'anna@firma.pl.' }, { email: 'must be a valid e-mail address.' }],
    [{ language: 'de' }, { language: 'must be one of pl, en.' }],
    [{ role: 'admin' }, { role: 'is unknown.' }],
    [{ constructor: 'x' }, { constructor: 'is unknown.' }],
  ])('%j', async (change, wrong) => {
    const errors = refusals(wrong);
    const { status, body } = await register({ email, ...change });
    expect({ status, body }).toEqual({
      status: 422,
      body: { message: expect.stringContaining(Object.values(errors)[0]![0]!), errors },
    });
  });

  test('__proto__', async () => {
    const body = JSON.stringify(bodyOf({ email })).replace('{', '{"__proto__":{"name":"x"},');
    const { status, body: answer } = await askJson(api, 'POST /auth/register', { body });
    expect(status).toBe(422);
    expect(JSON.stringify(answer)).toBe(
      '{"message":"The __proto__ field is unknown.","errors":{"__proto__":["The __proto__ field is unknown."]}}',
    );
  });

  test('and leaves no account', async () => {
    expect((await rowsOf(email)).accounts).toEqual([]);
  });
});
