import { describe, expect, test } from 'vitest';
import { createAccount } from '../../fixtures/client/account.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { readMailedToken, secretKey } from '../../fixtures/client/mailed-token.ts';
import { recover } from '../../fixtures/client/recovery.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const password = 'a new <password> & "more"';

const { database, api } = await useApi({ secretKey });

async function askForRecovery() {
  const account = await createAccount(database.kysely);
  await recover(api, account.email, password);
  return { ...account, link: await readMailedToken(database.kysely, account.email) };
}

function send(body: string, type: string): Promise<Response> {
  return api.ask('/recover', { method: 'POST', body, headers: { 'Content-Type': type } });
}

function post(form: Record<string, string> | string, address?: string): Promise<Response> {
  return api.ask('/recover', {
    method: 'POST',
    body: new URLSearchParams(form),
    ...(address === undefined ? {} : { address }),
  });
}

async function liveTokens(account_id: string): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    'select token_ref from customer.token where account_id = $1 and revoked_at is null',
    [account_id],
  );
  return rows;
}

function expectPrivate({ headers }: Response): void {
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('content-security-policy')).toContain("form-action 'self'");
}

/** Posts the token of a recovery link to `/recover`, as the script of the recovery page does. */
function open(token: string, lang = ''): Promise<Response> {
  return api.ask(`/recover?lang=${lang}`, { method: 'POST', body: new URLSearchParams({ token }) });
}

test('GET /recover takes the token of the link by a script, or pasted', async () => {
  const response = await api.ask('/recover');
  expect(response.status).toBe(200);
  expectPrivate(response);
  const page = await response.text();
  expect(page).toMatch(/<script type="module" src="\/assets\/recover\.js\?v=\w+"><\/script>/);
  expect(page).toContain('<form method="post" action="/recover">');
  expect(page).toMatch(/<noscript>.+please paste the whole link/);
  // The page `/console` reads the token of a registration link.
  expect((await api.ask('/console')).headers.get('referrer-policy')).toBe('no-referrer');
});

describe('a mailed link', () => {
  test('200 shows a form and changes nothing, however often it is opened', async () => {
    const account = await askForRecovery();
    for (let at = 0; at < 3; at += 1) {
      const response = await open(account.link);
      expect(response.status).toBe(200);
      expectPrivate(response);
      const page = await response.text();
      expect(page).toContain('<form method="post" action="/recover">');
      expect(page).toContain(`<input type="hidden" name="token" value="${account.link}">`);
      expect(page).not.toContain('role="alert"');
    }
    expect(await liveTokens(account.account_id)).toEqual([{ token_ref: account.token_ref }]);
    const { rows } = await database.pool.query(
      'select used_at from customer.one_time_token where account_id = $1',
      [account.account_id],
    );
    expect(rows).toEqual([{ used_at: null }]);
  });

  test('200 speaks the language of the account, unless the address asks for another', async () => {
    const account = await askForRecovery();
    await database.pool.query("update customer.account set language = 'pl' where account_id = $1", [
      account.account_id,
    ]);
    const page = await (await open(account.link)).text();
    expect(page).toContain('<button type="submit">Odzyskaj konto</button>');
    expect(page).toContain('class="language"');
    const other = await (await open(account.link, 'en')).text();
    expect(other).toContain('<form method="post" action="/recover?lang=en">');
    const wrong = await post({ token: account.link, password: 'wrong password' });
    expect(await wrong.text()).toContain('Nie udało się potwierdzić odzyskania.');
    const done = await (await post({ token: account.link, password })).text();
    expect(done).toContain('Oto nowy Master Token');
    // The result page has no link to the other language: that link would send the form again, and the new Master Token
    // is shown only once.
    expect(done).not.toContain('class="language"');
  });

  test('422 when it was used, or replaced by a newer one', async () => {
    const used = await askForRecovery();
    await post({ token: used.link, password });
    const replaced = await askForRecovery();
    await recover(api, replaced.email, password);
    const newer = await readMailedToken(database.kysely, replaced.email);
    await post({ token: newer, password });
    for (const { link } of [used, replaced]) expect((await open(link)).status).toBe(422);
  });
});

describe('POST /recover', () => {
  test('200 shows the new Master Token once', async () => {
    const account = await askForRecovery();
    const response = await post({ token: account.link, password });
    expect(response.status).toBe(200);
    expectPrivate(response);
    const page = await response.text();
    const master_token = /<code>(sk_live_[0-9A-Za-z]{49})<\/code>/.exec(page)?.[1] ?? '';
    expect(page).toContain(account.user_ref);
    const verified = await askJson(api, 'POST /tokens/verify', { token: master_token });
    expect(verified).toMatchObject({ status: 200, body: { data: { user_ref: account.user_ref } } });

    const again = await post({ token: account.link, password });
    expect(again.status).toBe(422);
    expect(await again.text()).not.toContain('sk_live_');
    expect(JSON.stringify(api.log)).not.toMatch(/sk_live_[0-9A-Za-z]/);
    expect(JSON.stringify(api.log)).not.toContain(account.link);
  });

  test('200 for the whole link, pasted', async () => {
    const { link } = await askForRecovery();
    for (const address of [`https://x.example/recover#token=${link}`, ` /recover?token=${link} `]) {
      const page = await (await post({ token: address })).text();
      expect(page).toContain(`<input type="hidden" name="token" value="${link}">`);
    }
  });

  test('422 for another password and an unknown field, and shows the form again', async () => {
    const account = await askForRecovery();
    for (const form of [
      { token: account.link, password: 'another password' },
      { token: account.link, password: '' },
      { token: account.link, password, extra: 'x' },
      { token: `${account.link}x`, password },
      { token: `${account.link}x` },
      {},
      'token=a&token=b&password=c',
      { token: '"><script>alert(1)</script>' },
      'token=%00&password=%ff',
    ]) {
      const response = await post(form);
      expect([form, response.status]).toEqual([form, 422]);
      expectPrivate(response);
      const page = await response.text();
      const isKnown = typeof form === 'object' && form.token === account.link;
      expect(page).toContain(
        isKnown ? '<p role="alert">Recovery confirmation failed.' : 'This link cannot be used',
      );
      expect(page.includes('<form method="post"')).toBe(isKnown);
      expect(page).not.toContain('alert(1)');
    }
    expect(await liveTokens(account.account_id)).toEqual([{ token_ref: account.token_ref }]);
  });

  test('4xx for a body that is no form, or too large', async () => {
    expect((await send('{"token":"x"}', 'application/json')).status).toBe(422);
    const form = 'application/x-www-form-urlencoded';
    expect((await send(`token=${'a'.repeat(20_000)}`, form)).status).toBe(413);
    expect((await send('a=1&'.repeat(20), form)).status).toBe(413);
  });

  test('429 after 10 confirmations of a client within an hour, here and in JSON', async () => {
    const address = '192.0.2.80';
    const body = { token: 'x', password };
    for (let at = 0; at < 5; at += 1) {
      expect((await post(body, address)).status).toBe(422);
      const answer = await askJson(api, 'POST /auth/recover/confirm', { address, body });
      expect(answer.status).toBe(422);
    }
    expect((await post(body, address)).status).toBe(429);
    const answer = await askJson(api, 'POST /auth/recover/confirm', { address, body });
    expect(answer.status).toBe(429);
  });
});
