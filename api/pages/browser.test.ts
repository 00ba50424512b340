import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../../fixtures/client/account.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { enter, tabTo, usePages } from '../../fixtures/client/pages.ts';
import { gap } from '../../fixtures/database/year-of-statistics.ts';

const pages = usePages();
let axe: string;

beforeAll(async () => {
  axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
});

async function findFaults(page: Page): Promise<unknown> {
  await page.evaluate(axe);
  return page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`);
}

const schemes = ['light', 'dark'] as const;

/** What a page shows when it is ready, by its path. */
const ready: [path: string, isReady: (page: Page) => Promise<void>][] = [
  ['/', (page) => page.getByText('Newest snapshots').waitFor()],
  // Few days, because axe visits each cell of the tables.
  ['/stats?source=ceidg&from=2026-11-01', (page) => page.locator('#flow-chart canvas').waitFor()],
  ['/console', (page) => page.getByText('No token yet?').waitFor()],
  ['/downloads', (page) => page.getByText('stock_daily').first().waitFor()],
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

test.each(ready)(
  '%s fits from 360 to 1,600 pixels and is accessible, light and dark',
  async (path, isReady) => {
    const { page } = await pages.visit(path);
    await isReady(page);
    await expectFit(page);
  },
);

test('the console of an account, its checkout and its recovery fit and are accessible', async () => {
  const account = await createAccount(pages.database.kysely);
  const { page, complaints } = await pages.visit('/console');
  await enter(page, account.master_token);
  await expectFit(page);
  const topup = { token: account.master_token, body: { package_slug: 'starter' } };
  const { body } = await askJson(pages.api, 'POST /wallet/topup', topup);
  await page.goto((body as { data: { checkout_url: string } }).data.checkout_url);
  await expectFit(page);
  await page.goto(pages.api.url + (await pages.askForRecovery(account, 'a new password')));
  await expectFit(page);
  await page.goto(`${pages.api.url}/unsubscribe?token=x`);
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
  test('draws each line in its colours, light and dark, with a gap where there is no data', async () => {
    const { page } = await pages.visit('/stats?source=ceidg', { width: 1600 });
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

  test('is chosen from by keyboard alone, and the address and the file hold the selection', async () => {
    const { page } = await pages.visit('/stats');
    await tabTo(page, '[name=section]');
    await page.keyboard.type('G:');
    await tabTo(page, '#selection button');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${pages.api.url}/stats?source=ceidg&section=G&by=day`);
    await tabTo(page, 'a[aria-label$=" śląskie"]');
    await page.keyboard.press('Enter');
    const query = 'source=ceidg&voivodeship=slaskie&section=G&by=day';
    await page.waitForURL(`${pages.api.url}/stats?${query}`);
    await page.locator('#flow-chart canvas').waitFor();
    const link = page.getByRole('link', { name: 'Both tables as CSV' }).first();
    const csv = await (await pages.api.ask((await link.getAttribute('href'))!)).text();
    const newest = csv.trim().split('\n').at(-1)!.split(',');
    const row = await page.locator('#stock-rows tr').first().innerText();
    expect(row.replaceAll(',', '').split('\t')).toEqual(newest.slice(0, 4));
  });

  test('writes the dates of its axis as the tables do, and gives one day no years of room', async () => {
    const { page } = await pages.visit('/');
    await page.addInitScript(`
      const { fillText } = CanvasRenderingContext2D.prototype;
      globalThis.written = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        written.push(String(text));
        return fillText.call(this, text, ...rest);
      };`);
    const newest =
      "select max(stat_date)::text as day from registry.daily_stat where source = 'ceidg'";
    const [{ day }] = (await pages.database.pool.query(newest)).rows as [{ day: string }];
    await page.goto(`${pages.api.url}/stats?source=ceidg&from=${day}&to=${day}`);
    await page.getByText(`1 snapshot from ${day} to ${day}.`).waitFor();
    const dates = `[...new Set(written.filter((text) => /^\\d+[-/]/.test(text)))]`;
    await expect.poll(() => page.evaluate(dates)).toEqual([day]);
  });

  test('says when the charts follow, once the limit of the statistics is reached', async () => {
    const { page, complaints } = await pages.visit('/stats?source=ceidg');
    const day = '/api/v1/stats/day/2026-11-02';
    await page.evaluate(
      `Promise.all(Array.from({ length: 10 }, () => fetch('${day}', { cache: 'no-store' })))`,
    );
    await page.reload();
    await page.getByText(/^Too many requests: the charts follow in \d+ seconds\.$/).waitFor();
    for (const text of complaints.splice(0)) expect(text).toContain('429');
  });
});

test('/docs shows and tries the operations, fits and is accessible', async () => {
  const { page, complaints } = await pages.visit('/docs');
  const operation = page.locator('#operations-Statistics-get_stats_day_date');
  await operation.getByRole('button').first().click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByPlaceholder('date').fill('2026-02-30');
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.getByText('must be a calendar date').first().waitFor();
  await expectFit(page);
  for (const text of complaints.splice(0)) expect(text).toContain('422');
}, 120_000);
