import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { tabTo, usePages } from '../../../fixtures/client/pages.ts';
import { insertDays } from '../../../fixtures/database/published-days.ts';
import { gap } from '../../../fixtures/database/year-of-statistics.ts';

const pages = await usePages();

const schemes = ['light', 'dark'] as const;

/**
 * One snapshot of a registry: the change of the number of active and suspended entries, then the counts of new, ended,
 * suspended and resumed entries.
 */
type Day = [date: string, ACTIVE: number, SUSPENDED: number, ...flows: number[]];

/** Publishes snapshots of an invented registry; the first snapshot is the baseline. */
async function publish(source: string, days: Day[]): Promise<void> {
  const stat = (date: string, at: number) => `('${source}', '${date}', 0, 0, 0, 0, ${at === 0})`;
  await insertDays(pages.database, days.map(([date], at) => stat(date, at)).join());
  for (const [date, active, suspended, born = 0, ended = 0, paused = 0, resumed = 0] of days) {
    await pages.database.pool.query(
      `insert into registry.stock_change (
        source, stat_date, voivodeship, activity_section, legal_form, status, entry_change, new_count,
        ended_count, suspended_count, resumed_count
      )
      values
        ($1, $2, '14', 'F', '099', 'ACTIVE', $3, $5, 0, 0, $8),
        ($1, $2, '14', 'F', '099', 'SUSPENDED', $4, 0, $6, $7, 0)`,
      [source, date, active, suspended, born, ended, paused, resumed],
    );
  }
}

/** Returns the day that is `days` days after `date`. */
const dayAfter = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

// Twenty snapshots over ten months. The distance is a fortnight, but six weeks after the tenth snapshot.
const fortnights = Array.from({ length: 20 }, (_, at) =>
  dayAfter('2026-01-01', at * 14 + (at < 10 ? 0 : 28)),
);

beforeAll(async () => {
  await publish('gap', [
    ['2026-09-29', 1000, 100],
    ['2026-09-30', 5, 0, 5],
    ['2026-10-08', -4, 2, 1, 3, 2],
    ['2026-10-09', 7, 0, 8, 1],
    ['2026-10-12', 30, 1, 36, 5, 4, 3],
    ['2026-11-02', 2, 0, 2],
  ]);
  await publish(
    'sparse',
    fortnights.map((date, at): Day => [date, at === 0 ? 1000 : 9, 0, at && 9]),
  );
  await pages.database.pool.query(
    `insert into registry.stock_move
    values ('gap', '2026-10-09', 'ACTIVE', true, '14', 'G', '099', '14', 'F', '099', 6)`,
  );
});

/** Opens the statistics page, and waits until its charts are drawn. */
async function open(query: string, width = 1600): Promise<Page> {
  const { page } = await pages.visit('/privacy', { width });
  await page.addInitScript(`
    const { fillText } = CanvasRenderingContext2D.prototype;
    globalThis.written = [];
    CanvasRenderingContext2D.prototype.fillText = function (text, x, ...rest) {
      const panel = [...document.querySelectorAll('.panel')].findIndex((one) => one.contains(this.canvas));
      written.push([panel, String(text), Math.round(x)]);
      return fillText.call(this, text, x, ...rest);
    };`);
  await page.goto(`${pages.api.url}/stats?${query}`);
  await page.locator('#flow-chart canvas').first().waitFor();
  return page;
}

/** Returns the labels of a chart's time axis (days or months), in their order from left to right. */
async function labelsOf(page: Page, panel: number): Promise<string[]> {
  const written = await page.evaluate(`written`);
  const places = new Set(
    (written as [number, string, number][])
      .filter(([at, text]) => at === panel && /^\d{4}-\d\d/.test(text))
      .toSorted(([, , one], [, , other]) => one - other)
      .map(([, text, x]) => `${text} at ${x}`),
  );
  return [...places].map((place) => place.split(' ')[0]!);
}

/** Returns the words that are drawn into the charts, without the labels of the axes. */
async function wordsOf(page: Page): Promise<string[]> {
  const written = (await page.evaluate(`written`)) as [number, string, number][];
  const words = written.map(([, text]) => text).filter((text) => /^[a-z]|^\d+ d/.test(text));
  return [...new Set(words)];
}

/** Returns the rows of a table as texts, the newest day first, with ` | ` between the cells. */
async function rowsOf(page: Page, name: string): Promise<string[]> {
  const rows = await page.locator(`#${name}-table tr`).allInnerTexts();
  return rows.map((row) => row.replaceAll('\t', ' | '));
}

/** Counts the pixels of a chart that have the colour of a line, between two days. */
function countPixels(page: Page, key: string, from?: string, to?: string) {
  return page.evaluate(`(() => {
    const label = document.querySelector('.key.${key}');
    const panel = label.closest('.panel');
    const canvas = panel.querySelector('canvas');
    const [red, green, blue] = getComputedStyle(label).color.match(/\\d+/g).map(Number);
    const plot = panel.querySelector('.u-over').getBoundingClientRect();
    const days = [...document.querySelectorAll('#stock-rows th')].map(({ textContent }) =>
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

describe('the charts', () => {
  test('have each line in its colours, light and dark, with a gap where there is no data', async () => {
    const page = await open('source=ceidg');
    const keys = ['ACTIVE', 'SUSPENDED', 'DELETED', 'new', 'ended', 'suspended', 'resumed'];
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      for (const key of keys) {
        await expect.poll(() => countPixels(page, key), { message: key }).toBeGreaterThan(50);
      }
    }
    expect(await countPixels(page, 'ACTIVE', '2026-05-12', '2026-05-23')).toBe(0);
    expect(await countPixels(page, 'ACTIVE', '2026-05-25', '2026-06-05')).toBeGreaterThan(5);
    expect(await rowsOf(page, 'stock')).toContain(`${gap.from} … ${gap.to} | no data`);
    await page.getByRole('checkbox', { name: 'Active' }).uncheck();
    expect(await countPixels(page, 'ACTIVE')).toBe(0);
  });

  test('draw a status alike in both figures, and each status on a scale of its own', async () => {
    const page = await open('source=gap');
    const looks = await page.evaluate(`['SUSPENDED', 'suspended'].map((key) => {
      const label = document.querySelector('.key.' + key);
      return [getComputedStyle(label).color, label.querySelector('line').getAttribute('stroke-dasharray')];
    })`);
    const [stock, flow] = looks as [string, string][];
    expect(flow).toEqual(stock);
    expect(stock![1]).toBe('9 4');
    const keys = await page.locator('.panel .keys').allInnerTexts();
    expect(keys.map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
      'Active',
      'Suspended',
      'Deleted',
      'New Ended',
      'Suspended Resumed',
    ]);
  });

  test.each([
    ['two', '2026-10-01', ['2026-10', '2026-11']],
    ['three', '2026-09-01', ['2026-09', '2026-10', '2026-11']],
  ])('label each of %s months once', async (_, from, months) => {
    const page = await open(`source=gap&by=month&from=${from}`);
    for (const panel of [0, 3]) expect(await labelsOf(page, panel)).toEqual(months);
  });

  test('label one day once, and give it no years of room', async () => {
    const page = await open('source=gap&from=2026-10-08&to=2026-10-08');
    expect(await page.locator('#summary').innerText()).toBe(
      'Snapshots: 1, from 2026-10-08 to 2026-10-08.',
    );
    expect(await labelsOf(page, 0)).toEqual(['2026-10-08']);
  });

  test('draw a sparse series by points and lines, and none across its gap', async () => {
    const page = await open('source=sparse');
    const [beforeGap, afterGap] = [fortnights[9]!, fortnights[10]!];
    const count = (from: string, to: string) => countPixels(page, 'ACTIVE', from, to);
    expect(await count('2026-01-04', '2026-01-12')).toBeGreaterThan(5);
    expect(await count(dayAfter(beforeGap, 4), dayAfter(afterGap, -4))).toBe(0);
    expect(await count(dayAfter(afterGap, -2), dayAfter(afterGap, 2))).toBeGreaterThan(5);
  });

  test('say how many days a flow covers, in the table, at the pointer and beside its point', async () => {
    const page = await open('source=gap&from=2026-09-29&to=2026-10-12');
    expect(await rowsOf(page, 'flow')).toEqual([
      'Date | Days covered | New | of which returned | Ended | Suspended | Resumed',
      '2026-10-12 | 3 | 36 | 0 | 5 | 4 | 3',
      '2026-10-10 … 2026-10-11 | no data',
      '2026-10-09 | 1 | 8 | 0 | 1 | 0 | 0',
      '2026-10-08 | 8 | 1 | 0 | 3 | 2 | 0',
      '2026-10-01 … 2026-10-07 | no data',
      '2026-09-30 | 1 | 5 | 0 | 0 | 0 | 0',
      '2026-09-29 (baseline) | – | – | – | – | – | –',
    ]);
    expect(await wordsOf(page)).toEqual(['baseline', '8 days', '3 days']);
    const plot = page.locator('#flow-chart .u-over').first();
    const { width } = (await plot.boundingBox())!;
    await plot.hover({ position: { x: width - 6, y: 40 } });
    const tip = await page.locator('#flow-chart .tip').first().innerText();
    expect(tip.replaceAll(/\s+/g, ' ')).toBe(
      '2026-10-12, 3 days New 36 Ended 5 Suspended 4 Resumed 3 Days covered 3',
    );
    // The line of the ended entries has a break between a snapshot that covers eight days and one that covers one day;
    // the line of the active entries has no break.
    const night = ['2026-10-08T08:00Z', '2026-10-08T16:00Z'] as const;
    expect(await countPixels(page, 'ended', ...night)).toBe(0);
    expect(await countPixels(page, 'ACTIVE', ...night)).toBeGreaterThan(5);
    // The legends of the other charts show the values of the same day.
    expect(await page.locator('.key.ACTIVE').innerText()).toMatch(/Active\s+1,038$/);
  });

  test('mark partial months, and a break where sections were recoded', async () => {
    const page = await open('source=gap&by=month&section=F');
    expect(await rowsOf(page, 'flow')).toEqual([
      'Date | Days covered | New | of which returned | Ended | Suspended | Resumed | Recoded in | Recoded out',
      '2026-11 (partial) | 21 | 2 | 0 | 0 | 0 | 0 | 0 | 0',
      '2026-10 (partial) | 12 | 45 | 0 | 9 | 6 | 3 | 6 | 0',
      '2026-09 (baseline, partial) | 1 | 5 | 0 | 0 | 0 | 0 | 0 | 0',
    ]);
    const words = await wordsOf(page);
    expect(words).toContain('partial, recoded');
    expect(words).toContain('baseline, partial');
  });

  test('say when they follow, once the limit of the page is reached', async () => {
    const { page, complaints } = await pages.visit('/stats?source=gap');
    await page.locator('#flow-chart canvas').first().waitFor();
    const statuses = await page.evaluate(
      `Promise.all(Array.from({ length: 60 }, () =>
        fetch('/stats/series?source=gap', { cache: 'no-store' }).then(({ status }) => status)))`,
    );
    const answered = (statuses as number[]).filter((status) => status === 200);
    expect(answered).toHaveLength(59);
    await page.reload();
    await page.getByText(/^Too many requests: the charts follow in \d+ s\.$/).waitFor();
    for (const text of complaints.splice(0)) expect(text).toContain('429');
  });

  test('speak Polish where the page does', async () => {
    const page = await open('source=gap&lang=pl&section=F');
    expect((await rowsOf(page, 'flow'))[0]).toBe(
      'Data | Liczba dni | Nowe | w tym przywrócone | Zakończone | Zawieszone | Wznowione | Przeklasyfikowane tutaj | Przeklasyfikowane stąd',
    );
    expect(await wordsOf(page)).toEqual([
      'stan początkowy',
      'przeklasyfikowanie',
      '8 dni',
      '3 dni',
      '21 dni',
    ]);
    expect(await page.locator('[name=section] option:checked').innerText()).toBe('F: Budownictwo');
    await page.getByRole('link', { name: 'English' }).click();
    await page.locator('#flow-chart canvas').first().waitFor();
    expect(await page.locator('[name=section] option:checked').innerText()).toBe('F: Construction');
  });
});

test('the form is chosen from by keyboard alone, and the address and the file hold the selection', async () => {
  const { page } = await pages.visit('/stats?source=ceidg');
  await tabTo(page, '[name=section]');
  await page.keyboard.type('G:');
  await tabTo(page, '#selection button');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${pages.api.url}/stats?source=ceidg&section=G&by=day`);
  await tabTo(page, 'a[aria-label$=" śląskie"]');
  await page.keyboard.press('Enter');
  const query = 'source=ceidg&voivodeship=slaskie&section=G&by=day';
  await page.waitForURL(`${pages.api.url}/stats?${query}`);
  await page.locator('#flow-chart canvas').first().waitFor();
  const link = page.getByRole('link', { name: 'Both tables as CSV' }).first();
  const csv = await (await pages.api.ask((await link.getAttribute('href'))!)).text();
  const newest = csv.trim().split('\n').at(-1)!.split(',');
  const [, row] = await rowsOf(page, 'stock');
  expect(row!.replaceAll(',', '').split(' | ')).toEqual(newest.slice(0, 4));
});

test('the map has shades that differ from their neighbours, and words that can be read on each', async () => {
  const { page } = await pages.visit('/stats?source=gap');
  const shades = [
    ['shade-0', 'shade-1', 'shade-2', 'shade-3', 'shade-4'],
    ...[0, 4].map((end) => [
      `shade-of-change-${end}`,
      `shade-of-change-${Math.abs(end - 1)}`,
      'shade-of-change-2',
    ]),
  ];
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    const contrasts = (await page.evaluate(`(() => {
      const lightOf = (color) => {
        const [red, green, blue] = color.match(/\\d+/g).map((value) => {
          const part = value / 255;
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
      };
      const contrast = (one, other) => Math.max(one / other, other / one);
      const ink = lightOf(getComputedStyle(document.body).color);
      return ${JSON.stringify(shades)}.map((scale) => {
        const lights = scale.map((name) => {
          const swatch = document.querySelector('.swatch').cloneNode();
          swatch.className = 'swatch ' + name;
          document.body.append(swatch);
          return lightOf(getComputedStyle(swatch).backgroundColor);
        });
        return {
          neighbours: Math.min(...lights.slice(1).map((light, at) => contrast(light, lights[at]))),
          words: Math.min(...lights.map((light) => contrast(light, ink))),
        };
      });
    })()`)) as { neighbours: number; words: number }[];
    for (const { neighbours, words } of contrasts) {
      expect(neighbours).toBeGreaterThan(1.3);
      expect(words).toBeGreaterThan(4.5);
    }
  }
});
