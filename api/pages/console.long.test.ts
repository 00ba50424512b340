import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { readMailedToken } from '../../fixtures/client/mailed-token.ts';
import { enter, tabTo, usePages } from '../../fixtures/client/pages.ts';
import { runSource } from '../../fixtures/dump/three-sources.ts';

const pages = await usePages();

async function statusOf(token: string): Promise<number> {
  return (await askJson(pages.api, 'POST /tokens/verify', { token })).status;
}

/** A company of KRS with at least one published event: its reference, name, number and number of events. */
type Changed = Record<'ref' | 'name' | 'number', string> & { total: number };

function openView(page: Page, name: string): Promise<void> {
  return page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click();
}

function balanceOf(page: Page): Promise<string> {
  return page.locator('.actions [data-balance]').innerText();
}

describe('/console', () => {
  test('is opened by the token that a recovery shows, pasted', async () => {
    const account = await createAccount(pages.database.kysely);
    const link = await pages.askForRecovery(account, 'correct horse battery');
    const { page, complaints } = await pages.visit('/privacy', { hasClipboard: true });
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url(), request.headers().referer ?? ''));
    await page.goto(pages.api.url + link);
    await page.getByLabel('Password').fill('correct horse battery');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copy the Master Token' }).click();
    await page.getByText('Copied').waitFor();
    await page.getByRole('link', { name: 'Open the console' }).click();
    await page.locator('#token-form button:enabled').waitFor();
    await page.getByLabel('Master Token or API token').press('ControlOrMeta+V');
    await page.keyboard.press('Enter');
    await page.getByText(account.user_ref).waitFor();
    await page.goto(pages.api.url + link);
    await page.getByText('This link cannot be used').waitFor();
    // The token of the link is in no URL that the browser sends to the server.
    const [, token] = link.split('=');
    expect(sent.filter((text) => text.includes(token!))).toEqual([]);
    expect(page.url()).toBe(`${pages.api.url}/recover`);
    expect(await page.getByLabel('Password').count()).toBe(0);
    for (const text of complaints.splice(0)) expect(text).toContain('422');
  });

  test('is led to from the link of a recovery without JavaScript: the page says to paste it', async () => {
    const account = await createAccount(pages.database.kysely);
    const link = await pages.askForRecovery(account, 'correct horse battery');
    const { page } = await pages.visit(link, { hasScripts: false });
    await page.locator('noscript p', { hasText: 'paste the whole link' }).waitFor();
    await page.getByLabel('Link of the e-mail').fill(`${pages.api.url}${link}`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Recover the account' }).click();
    expect(await page.locator('code').innerText()).toMatch(/^sk_live_/);
  });

  test('shows no form of the account before its values are there', async () => {
    const account = await createAccount(pages.database.kysely);
    const { page } = await pages.visit('/console#wallet');
    const held = Promise.withResolvers<void>();
    await page.route('**/wallet/packages', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByLabel('Master Token or API token').fill(account.master_token);
    const [settings] = await Promise.all([
      page.waitForResponse('**/watchlist/events?lang=en&per_page=100'),
      page.keyboard.press('Enter'),
    ]);
    expect(settings.status()).toBe(200);
    expect(await page.getByRole('button', { name: 'Buy' }).isVisible()).toBe(false);
    held.resolve();
    await page.getByRole('button', { name: 'Buy' }).waitFor();
    expect(await page.getByLabel('Package').inputValue()).not.toBe('');
  });

  test('leads to the checkout, and shows what was bought in the ledger', async () => {
    const account = await createAccount(pages.database.kysely);
    const { page } = await pages.visit('/console');
    await enter(page, account.master_token);
    await openView(page, 'Wallet');
    await page.getByRole('button', { name: 'Buy' }).click();
    const [checkout] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Pay for 500 credits' }).click(),
    ]);
    await checkout.getByRole('button', { name: 'Pay' }).click();
    await checkout.getByText('500 credits were added to your wallet.').waitFor();
    await checkout.getByRole('link', { name: 'Back to the console' }).waitFor();
    await checkout.close();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Top-up: Starter').waitFor();
    expect(await balanceOf(page)).toBe('700 credits');
    expect(await page.locator('#ledger-list tr').first().innerText()).toContain('Time');
    expect(await page.getByText('+500 credits').count()).toBe(1);
  });

  test('creates, renames, rotates and revokes a token by keyboard alone', async () => {
    const account = await createAccount(pages.database.kysely);
    const { page } = await pages.visit('/console');
    await tabTo(page, '#token-form input');
    await page.keyboard.type(account.master_token);
    await page.keyboard.press('Enter');
    await page.getByText(account.user_ref).waitFor();
    await tabTo(page, '.views a[href$="#tokens"]');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Tokens');
    await tabTo(page, '#create-form input');
    await page.keyboard.type('Billing');
    await page.keyboard.press('Enter');
    const first = await page.locator('#create-form code').innerText();
    expect(await page.getByRole('button', { name: 'Rename Master Token' }).count()).toBe(1);
    expect(await page.getByRole('button', { name: /R(otate|evoke) Master Token/ }).count()).toBe(0);
    await tabTo(page, '[aria-label="Rename Billing"]');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Reports');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Rotate Reports' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Revoke Reports (rotated)' }).waitFor();
    const second = await page.locator('#create-form code').innerText();
    expect(second).toMatch(/^sk_api_/);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    await page.getByRole('button', { name: 'Revoke Reports (rotated)' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await statusOf(second)).toBe(200);
    // The script clicks the button, closes the dialog and clicks again, before the browser fires the dialog's `close`
    // event.
    await page.evaluate(`
      const button = document.querySelector('[aria-label="Revoke Reports (rotated)"]');
      button.click();
      document.querySelector('#ask').close();
      button.click();`);
    await page.keyboard.press('Enter');
    await page.getByText('3 in all').waitFor();
    await expect.poll(() => statusOf(second)).toBe(401);
  });

  test('takes the good ones of pasted numbers, and lists the others with what is wrong', async () => {
    const account = await createAccount(pages.database.kysely);
    const { page, complaints } = await pages.visit('/console#watched');
    await enter(page, account.master_token);
    const field = page.getByLabel('Numbers, one a line');
    await field.fill(
      `NIP;name\n100 140 60 06\n${'1001406006\n'.repeat(100)}526-025-02-74, 123; "PL 1001406006"\nNIP: 10014060O6\n5260250275 100 020 10 06`,
    );
    await page.getByRole('button', { name: 'Watch' }).click();
    const output = page.locator('#add-form output');
    await output.getByText('3 are not numbers and stay out:').waitFor();
    expect(await output.locator('p').first().innerText()).toMatch(
      /^0 of 3 companies ready\. 3 are not known yet/,
    );
    const form = 'must be a NIP: ten digits, the last of which is the check digit.';
    expect(await output.locator('li').allInnerTexts()).toEqual([
      'NIP: 10014060O6 has more than digits.',
      `123 ${form}`,
      `5260250275 ${form}`,
    ]);
    expect(await field.inputValue()).toBe('NIP: 10014060O6\n123\n5260250275');
    await page.locator('#watched-list').getByText('3 in all').waitFor();
    for (const text of complaints.splice(0)) expect(text).toContain('422');
  });

  test('watches what a file lists, shows its events, and previews what alerts would send', async () => {
    const account = await createAccount(pages.database.kysely);
    const { plaintext } = await createApiToken(pages.database.kysely, account.account_id);
    const { page } = await pages.visit('/console');
    await enter(page, plaintext);
    const views = await page.locator('.views').innerText();
    expect(views.split(/\s\s+|\n/)).toEqual(expect.arrayContaining(['Watch list', 'Events']));
    expect(views).not.toContain('Tokens');
    await openView(page, 'Watch list');
    const { rows } = await pages.database.pool.query<{ krs: string }>(
      'select krs from registry.company',
    );
    const buffer = Buffer.from(`krs;name\n${rows.map(({ krs }) => `${krs};"x"`).join('\n')}\n`);
    await page.getByLabel('Kind of number').selectOption('KRS');
    await page
      .getByLabel('Numbers from a file')
      .setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Watch' }).click();
    await page.getByText(`${rows.length} of ${rows.length} companies ready`).waitFor();
    await runSource(pages.database, 'krs', '2026-11-03');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await openView(page, 'Alerts');
    await page.locator('#preview-rows tr').first().waitFor();
    const told = await page.locator('#preview-rows tr').count();
    await openView(page, 'Events');
    await page.getByLabel('What happened').selectOption('The name changed');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page
      .locator('#events-list')
      .getByText(/^1 in all/)
      .waitFor();
    await openView(page, 'Alerts');
    await page.getByLabel('Least severity').selectOption('critical');
    const critical = await page.locator('#preview-rows tr').count();
    expect(critical).toBeLessThan(told);
    await page.getByLabel('alerts are on').check();
    await page.getByLabel('by e-mail').check();
    await page.getByLabel('web presence').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { body } = await askJson(pages.api, 'GET /watchlist/alerts', { token: plaintext });
    expect(body).toMatchObject({
      data: {
        global: { alerts_enabled: true, notify_via_email: true, alert_min_severity: 'critical' },
      },
    });
    await openView(page, 'Watch list');
    await page
      .locator('#watched-list')
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click();
    await page.getByText('is no longer watched').waitFor();
  });

  test('leads from the registration over its mail to search, company, watch and history', async () => {
    await runSource(pages.database, 'krs', '2026-11-04');
    const { rows } = await pages.database.pool.query<Changed>(`
      select
        company.company_id as ref, name, registry.primary_identifier(company) as number,
        count(*)::int as total
      from registry.event
      join registry.company using (company_id)
      group by company.company_id
      having max(event_date) = '2026-11-04'
      order by total desc, company.company_id
      limit 1`);
    const changed = rows[0]!;
    const { page, complaints } = await pages.visit('/console');
    const email = 'console@company.example';
    const form = page.locator('#register');
    await form.getByLabel('Company e-mail').fill(email);
    await form.getByLabel('Name').fill('Anna Nowak');
    await form.getByLabel('Language of mails').selectOption('polski');
    await form.getByLabel('Password').fill('correct horse battery');
    await page.keyboard.press('Enter');
    await page.getByText('A one-time token was sent').waitFor();
    const language = 'select language from customer.account where email = $1';
    expect((await pages.database.pool.query(language, [email])).rows).toEqual([{ language: 'pl' }]);
    const mailed = await readMailedToken(pages.database.kysely, email);
    await page.goto(`${pages.api.url}/console#init=${mailed}`);
    await page.waitForURL(`${pages.api.url}/console`);
    expect(await page.getByLabel('One-time token').inputValue()).toBe(mailed);
    await page.keyboard.press('Enter');
    await page.getByText('Store the Master Token now').waitFor();
    const secret = await page.locator('#init-form code').innerText();
    await page.getByRole('button', { name: 'It is stored: open the account' }).click();
    await page.getByRole('heading', { name: 'Search' }).waitFor();
    expect(await balanceOf(page)).toBe('200 credits');

    // Typing the number of a company opens the page of this company without a charge.
    const box = page.getByLabel('Name or number');
    await box.fill('5260250274');
    await page.keyboard.press('Enter');
    await page.getByText('No company has this number yet.').waitFor();
    await box.fill(changed.number.replace(/^(...)/, '$1-'));
    await page.keyboard.press('Enter');
    await page.waitForURL(`${pages.api.url}/companies/${changed.ref}`);
    await page.getByRole('heading', { name: changed.name }).waitFor();
    expect(await balanceOf(page)).toBe('200 credits');
    await page.goBack();
    await box.fill(changed.name);
    await page.getByRole('button', { name: 'Search: 1 credit' }).click();
    await page.getByRole('link', { name: changed.name }).click();
    await page.waitForURL(`${pages.api.url}/companies/${changed.ref}`);
    await page.getByRole('heading', { name: changed.name }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe(changed.name);
    expect(await page.title()).toBe(`${changed.name} · Company registry`);
    await page.locator('#history-list').getByText(`${changed.total} in all`).waitFor();
    expect(await page.locator('#history-list li').first().innerText()).toMatch(
      /^4 November 2026\s+\w+\n/,
    );
    expect(await balanceOf(page)).toBe('199 credits');
    await expect
      .poll(() => page.locator('#company-about').innerText())
      .toMatch(/^(active|suspended|deleted) · /);
    const registries = page.locator('footer [data-attribution]:visible');
    expect(await registries.allInnerTexts()).toEqual([
      'Data: CEIDG, KRS and REGON, public sector information of Poland.',
    ]);
    await page.getByRole('button', { name: 'Show the profile: 5 credits' }).click();
    await page.locator('#profile').getByText('Says so since').first().waitFor();
    expect(await page.locator('#profile').innerText()).toMatch(/KRS active[^]*File .*, line \d+/);
    expect(await balanceOf(page)).toBe('194 credits');
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    await page.getByRole('button', { name: 'Stop watching' }).waitFor();

    await openView(page, 'Wallet');
    await page.locator('#ledger-list').getByText('−5 credits').waitFor();
    expect(await registries.allInnerTexts()).toContain(
      'Data: SIRENE (INSEE), Licence Ouverte 2.0.',
    );
    await page.goBack();

    // The search results are still stored in the page, so the browser's back button causes no second charge.
    await page.goBack();
    await page.getByRole('link', { name: changed.name }).waitFor();
    await page.goForward();
    await page.getByRole('button', { name: 'Stop watching' }).waitFor();
    await page.getByText('KRS active').waitFor();
    expect(await balanceOf(page)).toBe('194 credits');
    await page.reload();
    await page.locator('#token-form button:enabled').waitFor();
    await enter(page, secret);
    await page.getByRole('heading', { name: changed.name }).waitFor();
    expect(await page.locator('#profile').innerText()).toBe('');

    // When the company is watched again, its page shows the earlier events.
    await page.getByRole('button', { name: 'Stop watching' }).click();
    await page.getByText('no longer watched').waitFor();
    await openView(page, 'Watch list');
    await page.locator('#watched-list').getByText('0 in all').waitFor();
    const kind = changed.number.length === 10 ? 'NIP' : 'REGON9';
    await page.getByLabel('Kind of number').selectOption(kind);
    await page.getByLabel('Numbers, one a line').fill(changed.number.replace(/^(...)/, '$1 '));
    await page.getByRole('button', { name: 'Watch' }).click();
    const output = page.locator('#add-form output');
    await output.getByText(`${changed.total} in all`).waitFor();
    expect(await output.locator('li').count()).toBe(Math.min(changed.total, 5));
    expect(await output.locator('li').first().innerText()).toMatch(/^4 November 2026 [A-Z]/);
    await output.getByRole('link', { name: changed.name }).click();
    await page.waitForURL(`${pages.api.url}/companies/${changed.ref}`);
    await page.goto(`${pages.api.url}/companies/4711000`);
    await page.locator('#token-form button:enabled').waitFor();
    await enter(page, secret);
    await page.getByText('No company with this number is known.').waitFor();
    expect(await page.getByRole('button', { name: /Watch|profile/ }).count()).toBe(0);
    for (const text of complaints.splice(0)) expect(text).toMatch(/404|422/);
  });
});
