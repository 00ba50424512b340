import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findPort, startTestApi, type TestApi } from '../../fixtures/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/test-database.ts';

let database: TestDatabase;
let api: TestApi;

beforeAll(async () => {
  database = await createTestDatabase();
  const port = await findPort();
  const baseUrl = `http://127.0.0.1:${port}`;
  api = await startTestApi({ db: database.kysely, port, baseUrl });
});

afterAll(async () => {
  await api.close();
  await database.drop();
});

describe('GET /docs', () => {
  it('200 is a page without a script of its own, under a policy that allows none', async () => {
    const response = await api.ask('/docs');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'self';/);
    expect(policy).not.toMatch(/script-src|upgrade-insecure-requests|https?:/);
    const page = await response.text();
    expect(page).not.toMatch(/<script>|\son\w+=|https?:/);
    const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '');
    expect(links).toHaveLength(4);
    const answers = await Promise.all(links.map((link) => api.ask(link)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it.each(['package.json', 'index.html', '..%2Fapp.ts', '%2e%2e%2f%2e%2e%2fpackage.json'])(
    '404 for other files of the package, and for those beside it: %s',
    async (path) => {
      expect((await api.ask(`/docs/${path}`)).status).toBe(404);
    },
  );

  it('405 for another method', async () => {
    expect((await api.ask('/docs', { method: 'POST' })).status).toBe(405);
    expect((await api.ask('/docs/start.js', { method: 'POST' })).status).toBe(405);
  });
});

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

describe.runIf(executablePath)('the page of /docs in a browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] });
  });

  afterAll(() => browser.close());

  /** Opens the page; what the browser complains about, and where it asked for files. */
  async function openDocs(): Promise<{ page: Page; complaints: string[]; origins: Set<string> }> {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const complaints: string[] = [];
    const origins = new Set<string>();
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:') origins.add(origin);
    });
    await page.goto(`${api.url}/docs`);
    await page.getByText('/api/v1/tokens/verify').waitFor();
    return { page, complaints, origins };
  }

  it('shows and tries the operations, asks nobody else, and the browser has no complaint', async () => {
    const { page, complaints, origins } = await openDocs();
    await page.getByText('/api/v1/stats/day/{date}').click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByPlaceholder('date').fill('2026-02-30');
    await page.getByRole('button', { name: 'Execute' }).click();
    const answer = page.locator('.live-responses-table');
    await answer.getByText('must be a calendar date').first().waitFor();
    // What the browser says of the 422 itself.
    expect(complaints.filter((text) => !text.includes('status of 422'))).toEqual([]);
    expect([...origins]).toEqual([api.url]);
  });
});
