import { describe, expect, test } from 'vitest';
import { createAccount, createApiToken } from '../../fixtures/client/account.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { readMailedToken } from '../../fixtures/client/one-time-token.ts';
import { enter, tabTo, usePages } from '../../fixtures/client/pages.ts';
import { runSource } from '../../fixtures/dump/three-sources.ts';

const pages = usePages();

async function statusOf(token: string): Promise<number> {
  return (await askJson(pages.api, 'POST /tokens/verify', { token })).status;
}

describe('/console', () => {
  test('is opened by the token that a recovery shows, pasted', async () => {
    const account = await createAccount(pages.database.kysely);
    const link = await pages.askForRecovery(account, 'correct horse battery');
    const { page, complaints } = await pages.visit(link, { hasClipboard: true });
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
    expect(await page.getByLabel('Password').count()).toBe(0);
    for (const text of complaints.splice(0)) expect(text).toContain('422');
  });

  test('registers an account, and opens it with its one-time token', async () => {
    const { page } = await pages.visit('/console');
    const email = 'console@company.example';
    const form = page.locator('#register');
    await form.getByLabel('Company e-mail').fill(email);
    await form.getByLabel('Name').fill('Anna Nowak');
    await form.getByLabel('Language of mails').selectOption('polski');
    await form.getByLabel('Password').fill('correct horse battery');
    await page.keyboard.press('Enter');
    await page.getByText('A one-time token was sent').waitFor();
    await page
      .getByLabel('One-time token')
      .fill(await readMailedToken(pages.database.kysely, email));
    await page.keyboard.press('Enter');
    await page.getByText('Store the Master Token now').waitFor();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('Welcome bonus').waitFor();
    expect(await page.locator('#balance').innerText()).toBe('200');
    const language = 'select language from customer.account where email = $1';
    const { rows } = await pages.database.pool.query(language, [email]);
    expect(rows).toEqual([{ language: 'pl' }]);
  });

  test('shows no form of the account before its values are there', async () => {
    const account = await createAccount(pages.database.kysely);
    const { page } = await pages.visit('/console');
    const held = Promise.withResolvers<void>();
    await page.route('**/wallet/packages', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByLabel('Master Token or API token').fill(account.master_token);
    const [settings] = await Promise.all([
      page.waitForResponse('**/watchlist/events?per_page=100'),
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
    expect(await page.locator('#balance').innerText()).toBe('700');
  });

  test('creates, renames, rotates and revokes a token by keyboard alone', async () => {
    const account = await createAccount(pages.database.kysely);
    const { page } = await pages.visit('/console');
    await tabTo(page, '#token-form input');
    await page.keyboard.type(account.master_token);
    await page.keyboard.press('Enter');
    await page.getByText(account.user_ref).waitFor();
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
    // Asks, cancels and asks again, before the browser tells of the cancellation.
    await page.evaluate(`
      const button = document.querySelector('[aria-label="Revoke Reports (rotated)"]');
      button.click();
      document.querySelector('#ask').close();
      button.click();`);
    await page.keyboard.press('Enter');
    await page.getByText('3 in all').waitFor();
    await expect.poll(() => statusOf(second), { timeout: 10_000 }).toBe(401);
  });

  test('names the wrong ones of the numbers to watch, and says what was taken before them', async () => {
    const account = await createAccount(pages.database.kysely);
    const { page, complaints } = await pages.visit('/console');
    await enter(page, account.master_token);
    const numbers = `${'1001406006\n'.repeat(100)}5260250274, 123`;
    await page.getByLabel('Numbers, separated by anything').fill(numbers);
    await page.getByRole('button', { name: 'Watch' }).click();
    const output = page.locator('#add-form output');
    await output.getByText('123 must be a NIP').waitFor();
    expect(await output.innerText()).toMatch(
      /^0 of 1 company ready\. .* 123 must be a NIP: ten digits, the last of which is the check digit\.$/,
    );
    await page.locator('#watched-list').getByText('1 in all').waitFor();
    for (const text of complaints.splice(0)) expect(text).toContain('422');
  });

  test('watches what a file lists, shows its events, and previews what alerts would send', async () => {
    const account = await createAccount(pages.database.kysely);
    const { plaintext } = await createApiToken(pages.database.kysely, account.account_id);
    const { page } = await pages.visit('/console');
    await enter(page, plaintext);
    expect(await page.getByRole('heading', { name: 'Tokens' }).isVisible()).toBe(false);
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
    await page.locator('#preview-rows tr').first().waitFor();
    const told = await page.locator('#preview-rows tr').count();
    await page.getByLabel('Type').selectOption('COMPANY_NAME_CHANGED');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page
      .locator('#events-list')
      .getByText(/^1 in all/)
      .waitFor();
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
    await page
      .locator('#watched-list')
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click();
    await page.getByText('is no longer watched').waitFor();
  });
});
