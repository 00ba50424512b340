import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../fixtures/client/account.ts';
import { expectFit, findFaults, overflowOf, weigh } from '../../fixtures/client/fit.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { enter, tabTo, usePages } from '../../fixtures/client/pages.ts';

const pages = await usePages();

/** Each page, with a function that waits until the page has loaded its content. */
const ready: [path: string, isReady?: (page: Page) => Promise<void>][] = [
  ['/'],
  // The page shows few days, because the accessibility checker axe visits each cell of the tables.
  [
    '/stats?source=ceidg&from=2026-11-01',
    (page) => page.locator('#flow-chart canvas').first().waitFor(),
  ],
  ['/docs', (page) => page.getByText('1. Register').waitFor()],
  ['/docs/companies'],
  ['/guides'],
  ['/guides/operators'],
  ['/quality'],
  ['/quality/2026-11-02'],
  ['/downloads'],
  ['/console'],
  ['/privacy'],
  ['/terms'],
  ['/checkout/success'],
  ['/checkout/cancel'],
];

const inEnglishOnly = /^\/(console|docs|guides)/;

test.each(ready)(
  '%s fits from 360 to 1,600 pixels, is accessible and light, in each language that it has',
  async (path, isReady) => {
    const { page } = await pages.visit(path);
    await isReady?.(page);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.hash')).toBe('#main');
    await expectFit(page);
    // At this moment the page has loaded everything that it shows.
    expect(await weigh(page)).toBeLessThan(100_000);
    const other = page.locator('a.language[lang=pl]');
    expect(await other.count()).toBe(inEnglishOnly.test(path) ? 0 : 1);
    if (inEnglishOnly.test(path)) return;
    await other.click();
    await page.locator('html[lang=pl]').waitFor();
    await isReady?.(page);
    await page.locator('a.language[lang=en]').waitFor();
    // The Polish page differs from the English page only in its words, so only the narrowest width is checked.
    await expectFit(page, [360]);
  },
);

test('the console of an account, its checkout and its recovery fit and are accessible', async () => {
  const account = await createAccount(pages.database.kysely);
  const { page, complaints } = await pages.visit('/console');
  await enter(page, account.master_token);
  await expectFit(page);
  await page.setViewportSize({ width: 360, height: 900 });
  for (const view of ['Watch list', 'Events', 'Alerts', 'Wallet', 'Tokens']) {
    await page.locator('.views').getByRole('link', { name: view }).click();
    await page.getByRole('heading', { name: view }).waitFor();
    expect([view, await overflowOf(page), await findFaults(page)]).toEqual([view, 0, []]);
  }
  const topup = { token: account.master_token, body: { package_slug: 'starter' } };
  const { body } = await askJson(pages.api, 'POST /wallet/topup', topup);
  await page.goto((body as { data: { checkout_url: string } }).data.checkout_url);
  await expectFit(page);
  await page.goto(`${pages.api.url}/recover`);
  await expectFit(page);
  // A recovery link is also accepted when the page `/recover` is already open.
  await page.goto(pages.api.url + (await pages.askForRecovery(account, 'a new password')));
  await page.getByRole('button', { name: 'Recover the account' }).waitFor();
  await expectFit(page);
  await page.locator('a.language').click();
  await page.getByRole('button', { name: 'Odzyskaj konto' }).waitFor();
  await expectFit(page);
  await page.goto(`${pages.api.url}/unsubscribe?token=x&lang=pl`);
  await expectFit(page);
  for (const text of complaints.splice(0)) expect(text).toContain('422');
});

describe('/docs', () => {
  test('finds endpoints, fields and errors by keyboard alone', async () => {
    const { page } = await pages.visit('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('next_cursor');
    await page.getByText(/^\d+ results$/).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/company-monitor#get_events_feed.answer.meta.next_cursor');
    // The fields of an answer are collapsed until a link leads to one of them.
    await page.getByText(/^Cursor to send as the parameter after/).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('402 snapshot');
    await page.getByRole('link', { name: '402 error: POST /api/v1/companies/snapshot' }).click();
    await page.waitForURL('**/docs/companies#post_companies_snapshot.402');
    expect(await page.locator('#found').isVisible()).toBe(false);
  });

  test('shows all samples in the language that is chosen by arrow keys, and keeps the choice', async () => {
    const { page } = await pages.visit('/docs', { hasClipboard: true });
    await tabTo(page, '.samples input');
    await page.keyboard.press('ArrowLeft');
    expect(await page.locator('.samples [data-language]:visible').count()).toBe(7);
    expect(await page.locator('.samples [data-language=python]:visible').count()).toBe(7);
    await page.getByRole('button', { name: 'Copy Python: Search' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      '/companies/search?activity_prefix=1071&voivodeship=dolnoslaskie",',
    );
    await page.goto(`${pages.api.url}/docs/tokens`);
    await page.locator('.samples [value=python]:checked').first().waitFor();
    expect(await page.locator('.samples [data-language=curl]:visible').count()).toBe(0);
  });

  test('has a menu on a phone', async () => {
    const { page } = await pages.visit('/docs/wallet', { width: 360 });
    const link = page.locator('#contents').getByText('Buy credits');
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Contents' }).click();
    await link.click();
    await page.waitForURL('**/docs/wallet#post_wallet_topup');
    expect(await link.isVisible()).toBe(false);
  });
});
