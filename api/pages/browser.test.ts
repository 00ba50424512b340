import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAccount, createApiToken, type TestAccount } from '../../fixtures/client/account.ts';
import { openPage, startBrowser, type OpenPage, type View } from '../../fixtures/client/browser.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { readMailedToken, secretKey } from '../../fixtures/client/one-time-token.ts';
import { findPort, startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { runSource } from '../../fixtures/dump/three-sources.ts';
import { gap, insertYear } from '../../fixtures/database/year-of-statistics.ts';
import { createLocalPayment } from '../wallet/payment.ts';

let database: TestDatabase;
let api: TestApi;
let browser: Browser;
let axe: string;

beforeAll(async () => {
  browser = await startBrowser();
  database = await createTestDatabase();
  await insertYear(database);
  await runSource(database, 'krs', '2026-11-02');
  const port = await findPort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const payment = createLocalPayment(baseUrl);
  api = await startTestApi({ db: database.kysely, port, baseUrl, payment, secretKey });
  axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
});

afterAll(async () => {
  await browser.close();
  await api.close();
  await database.drop();
});

/** Opens a page of the service; the test fails by what the browser complains about. */
async function visit(path: string, view: View = {}): Promise<OpenPage> {
  const opened = await openPage(browser, view);
  onTestFinished(async () => {
    await opened.page.context().close();
    expect(opened.complaints).toEqual([]);
    expect([...opened.origins]).toEqual([api.url]);
  });
  await opened.page.goto(api.url + path);
  return opened;
}

async function findFaults(page: Page): Promise<unknown> {
  await page.evaluate(axe);
  return page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`);
}

async function enter(page: Page, token: string): Promise<void> {
  await page.getByLabel('Master Token or API token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Forget the token' }).waitFor();
  await page.getByText(/of the newest \d+ events/).waitFor();
}

/** Asks for the recovery of an account; gives the path of the mailed link. */
async function askForRecovery({ email }: TestAccount, password: string): Promise<string> {
  await askJson(api, 'POST /auth/recover', { body: { email, password } });
  return `/recover?token=${await readMailedToken(database.kysely, email)}`;
}

async function statusOf(token: string): Promise<number> {
  return (await askJson(api, 'POST /tokens/verify', { token })).status;
}

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let at = 0; at < 60; at += 1) {
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${selector}`);
}

const schemes = ['light', 'dark'] as const;

/** What a page shows when it is ready, by its path. */
const pages: [path: string, isReady: (page: Page) => Promise<void>][] = [
  ['/', (page) => page.getByText('Newest snapshots').waitFor()],
  // Few days, because axe visits each cell of the tables.
  ['/stats?source=ceidg&from=2026-11-01', (page) => page.locator('#flow-chart canvas').waitFor()],
  ['/console', (page) => page.getByText('No token yet?').waitFor()],
];

/** Expects that a page fits and is accessible in every width, light and dark. */
async function expectFit(page: Page): Promise<void> {
  for (const width of [360, 800, 1600]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([width, overflow]).toEqual([width, 0]);
      // Between the widths nothing changes that axe looks at.
      const isChecked = ['360 dark', '1600 light'].includes(`${width} ${colorScheme}`);
      expect(isChecked ? await findFaults(page) : []).toEqual([]);
    }
  }
}

it.each(pages)(
  '%s fits from 360 to 1,600 pixels and is accessible, light and dark',
  async (path, isReady) => {
    const { page } = await visit(path);
    await isReady(page);
    await expectFit(page);
  },
);

it('the console of an account, its checkout and its recovery fit and are accessible', async () => {
  const account = await createAccount(database.kysely);
  const { page, complaints } = await visit('/console');
  await enter(page, account.master_token);
  await expectFit(page);
  const topup = { token: account.master_token, body: { package_slug: 'starter' } };
  const { body } = await askJson(api, 'POST /wallet/topup', topup);
  await page.goto((body as { data: { checkout_url: string } }).data.checkout_url);
  await expectFit(page);
  await page.goto(api.url + (await askForRecovery(account, 'a new password')));
  await expectFit(page);
  await page.goto(`${api.url}/unsubscribe?token=x`);
  await expectFit(page);
  for (const text of complaints.splice(0)) expect(text).toContain('422');
});

/** Counts the pixels of a chart that have the colour of a line, from a day on to another. */
function countPixels(page: Page, chart: string, key: string, from?: string, to?: string) {
  return page.evaluate(`(() => {
    const canvas = document.querySelector('#${chart}-chart canvas');
    const color = getComputedStyle(document.querySelector('#${chart}-keys .${key}')).color;
    const [red, green, blue] = color.match(/\\d+/g).map(Number);
    const plot = document.querySelector('#${chart}-chart .u-over').getBoundingClientRect();
    const days = [...document.querySelectorAll('#${chart}-rows th')].map(({ textContent }) =>
      Date.parse(textContent.slice(0, 10)) / 864e5);
    const [first, last] = [Math.min(...days) - 0.5, Math.max(...days) + 0.5];
    const left = plot.left - canvas.getBoundingClientRect().left;
    const columnOf = (day) => Math.round(left + ((day - first) / (last - first)) * plot.width);
    const [start, end] = [${JSON.stringify(from ?? null)}, ${JSON.stringify(to ?? null)}].map((day, at) =>
      columnOf(day ? Date.parse(day) / 864e5 : [first, last][at]));
    const { data } = canvas.getContext('2d').getImageData(start, 0, end - start, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3]) count += 1;
    }
    return count;
  })()`);
}

describe('/stats', () => {
  it('draws each line in its colours, light and dark, with a gap where there is no data', async () => {
    const { page } = await visit('/stats?source=ceidg', { width: 1600 });
    const lines = {
      stock: ['active', 'suspended', 'deleted'],
      flow: ['new', 'ended', 'suspended', 'resumed'],
    };
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      await page.locator('#flow-chart canvas').waitFor();
      for (const [chart, keys] of Object.entries(lines)) {
        for (const key of keys) expect(await countPixels(page, chart, key)).toBeGreaterThan(100);
      }
    }
    expect(await countPixels(page, 'stock', 'active', '2026-05-12', '2026-05-23')).toBe(0);
    expect(await countPixels(page, 'stock', 'active', '2026-05-25', '2026-06-05')).toBeGreaterThan(
      10,
    );
    const rows = await page.locator('#stock-rows tr').allInnerTexts();
    expect(rows.find((row) => row.includes('no data'))).toBe(`${gap.from} … ${gap.to}\tno data`);
    expect(rows.at(-1)).toMatch(/^2025-11-20 \(baseline\)\t/);
    await page.getByRole('checkbox', { name: 'Active' }).uncheck();
    expect(await countPixels(page, 'stock', 'active')).toBe(0);
  });

  it('is chosen from by keyboard alone, and the address and the file hold the selection', async () => {
    const { page } = await visit('/stats');
    await tabTo(page, '[name=section]');
    await page.keyboard.type('G:');
    await tabTo(page, '#selection button');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${api.url}/stats?source=ceidg&section=G&by=day`);
    await tabTo(page, 'a[aria-label$=" śląskie"]');
    await page.keyboard.press('Enter');
    const query = 'source=ceidg&voivodeship=slaskie&section=G&by=day';
    await page.waitForURL(`${api.url}/stats?${query}`);
    await page.locator('#flow-chart canvas').waitFor();
    const link = page.getByRole('link', { name: 'Both tables as CSV' }).first();
    const csv = await (await api.ask((await link.getAttribute('href'))!)).text();
    const newest = csv.trim().split('\n').at(-1)!.split(',');
    const row = await page.locator('#stock-rows tr').first().innerText();
    expect(row.replaceAll(',', '').split('\t')).toEqual(newest.slice(0, 4));
  });

  it('writes the dates of its axis as the tables do, and gives one day no years of room', async () => {
    const { page } = await visit('/');
    await page.addInitScript(`
      const { fillText } = CanvasRenderingContext2D.prototype;
      globalThis.written = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        written.push(String(text));
        return fillText.call(this, text, ...rest);
      };`);
    const newest =
      "select max(stat_date)::text as day from registry.daily_stat where source = 'ceidg'";
    const [{ day }] = (await database.pool.query(newest)).rows as [{ day: string }];
    await page.goto(`${api.url}/stats?source=ceidg&from=${day}&to=${day}`);
    await page.getByText(`1 snapshot from ${day} to ${day}.`).waitFor();
    const dates = `[...new Set(written.filter((text) => /^\\d+[-/]/.test(text)))]`;
    await expect.poll(() => page.evaluate(dates)).toEqual([day]);
  });

  it('says when the charts follow, once the limit of the statistics is reached', async () => {
    const { page, complaints } = await visit('/stats?source=ceidg');
    const day = '/api/v1/stats/day/2026-11-02';
    await page.evaluate(
      `Promise.all(Array.from({ length: 10 }, () => fetch('${day}', { cache: 'no-store' })))`,
    );
    await page.reload();
    await page.getByText(/^Too many requests: the charts follow in \d+ seconds\.$/).waitFor();
    for (const text of complaints.splice(0)) expect(text).toContain('429');
  });
});

it('/docs shows and tries the operations, fits and is accessible', async () => {
  const { page, complaints } = await visit('/docs');
  const operation = page.locator('#operations-Statistics-get_stats_day_date');
  await operation.getByRole('button').first().click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByPlaceholder('date').fill('2026-02-30');
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.getByText('must be a calendar date').first().waitFor();
  await expectFit(page);
  for (const text of complaints.splice(0)) expect(text).toContain('422');
}, 120_000);

describe('/console', () => {
  it('is opened by the token that a recovery shows, pasted', async () => {
    const account = await createAccount(database.kysely);
    const link = await askForRecovery(account, 'correct horse battery');
    const { page, complaints } = await visit(link, { hasClipboard: true });
    await page.getByLabel('Password').fill('correct horse battery');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copy the Master Token' }).click();
    await page.getByText('Copied').waitFor();
    await page.getByRole('link', { name: 'Open the console' }).click();
    await page.locator('#token-form button:enabled').waitFor();
    await page.getByLabel('Master Token or API token').press('ControlOrMeta+V');
    await page.keyboard.press('Enter');
    await page.getByText(account.user_ref).waitFor();
    await page.goto(api.url + link);
    await page.getByText('This link cannot be used').waitFor();
    expect(await page.getByLabel('Password').count()).toBe(0);
    for (const text of complaints.splice(0)) expect(text).toContain('422');
  });

  it('registers an account, and opens it with its one-time token', async () => {
    const { page } = await visit('/console');
    const email = 'console@company.example';
    const form = page.locator('#register');
    await form.getByLabel('Company e-mail').fill(email);
    await form.getByLabel('Name').fill('Anna Nowak');
    await form.getByLabel('Language of mails').selectOption('polski');
    await form.getByLabel('Password').fill('correct horse battery');
    await page.keyboard.press('Enter');
    await page.getByText('A one-time token was sent').waitFor();
    await page.getByLabel('One-time token').fill(await readMailedToken(database.kysely, email));
    await page.keyboard.press('Enter');
    await page.getByText('Store the Master Token now').waitFor();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('Welcome bonus').waitFor();
    expect(await page.locator('#balance').innerText()).toBe('200');
    const language = 'select language from customer.account where email = $1';
    const { rows } = await database.pool.query(language, [email]);
    expect(rows).toEqual([{ language: 'pl' }]);
  });

  it('shows no form of the account before its values are there', async () => {
    const account = await createAccount(database.kysely);
    const { page } = await visit('/console');
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

  it('leads to the checkout, and shows what was bought in the ledger', async () => {
    const account = await createAccount(database.kysely);
    const { page } = await visit('/console');
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

  it('creates, renames, rotates and revokes a token by keyboard alone', async () => {
    const account = await createAccount(database.kysely);
    const { page } = await visit('/console');
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
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('3 in all').waitFor();
    await expect.poll(() => statusOf(second), { timeout: 10_000 }).toBe(401);
  });

  it('names the wrong ones of the numbers to watch, and says what was taken before them', async () => {
    const account = await createAccount(database.kysely);
    const { page, complaints } = await visit('/console');
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

  it('watches what a file lists, shows its events, and previews what alerts would send', async () => {
    const account = await createAccount(database.kysely);
    const { plaintext } = await createApiToken(database.kysely, account.account_id);
    const { page } = await visit('/console');
    await enter(page, plaintext);
    expect(await page.getByRole('heading', { name: 'Tokens' }).isVisible()).toBe(false);
    const { rows } = await database.pool.query<{ krs: string }>('select krs from registry.company');
    const buffer = Buffer.from(`krs;name\n${rows.map(({ krs }) => `${krs};"x"`).join('\n')}\n`);
    await page.getByLabel('Kind of number').selectOption('KRS');
    await page
      .getByLabel('Numbers from a file')
      .setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Watch' }).click();
    await page.getByText(`${rows.length} of ${rows.length} companies ready`).waitFor();
    await runSource(database, 'krs', '2026-11-03');
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
    const { body } = await askJson(api, 'GET /watchlist/alerts', { token: plaintext });
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
