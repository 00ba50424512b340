import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { insertYear } from '../../fixtures/database/year-of-statistics.ts';
import type { AppOptions } from '../app.ts';
import { readHeadline } from './home.ts';

const now = () => new Date('2026-11-20T23:30:00Z');

const { database, api } = await useApi({ now, SNAPSHOT_CREDITS: 7 });

/** Requests a page with the `Accept` header of a browser. */
function open(path: string): Promise<Response> {
  return api.ask(path, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
}

async function read(path: string): Promise<string> {
  const response = await open(path);
  expect(response.status).toBe(200);
  return response.text();
}

/** Returns the text of a page from a new API with the given options. */
async function readOwn(options: Partial<AppOptions>, path: string): Promise<string> {
  const own = await startTestApi({ db: database.kysely, ...options });
  const page = await (await own.ask(path)).text();
  await own.close();
  return page;
}

describe('GET /privacy', () => {
  test('200 names that the operator has not set the text, and each page leads there', async () => {
    expect(await read('/privacy')).toContain('The operator of this service has not set a privacy');
    expect(await read('/stats')).toContain('<a href="/privacy">');
  });

  test('200 shows the text of the operator: paragraphs, or HTML as it is', async () => {
    const shown = async (en: string) => {
      const page = await readOwn({ PRIVACY_FILE: { en, pl: en } }, '/privacy');
      return page.slice(page.indexOf('<h1>'), page.indexOf('</main>')).replace(/\s*\n\s*/g, '');
    };
    expect(await shown('# Who we are\nRejestr <b>S.A.</b>\n\nWrite to us.')).toBe(
      '<h1>Privacy</h1><h2 id="who-we-are"><a href="#who-we-are">Who we are</a></h2><p>Rejestr &lt;b&gt;S.A.&lt;/b&gt;</p><p>Write to us.</p>',
    );
    expect(await shown('<p>Hello <b>you</b></p>')).toBe('<h1>Privacy</h1><p>Hello <b>you</b></p>');
  });
});

describe('the foot of a page', () => {
  test('leads to the terms of the data, and to the contact of the operator', async () => {
    const footer = (page: string) => page.slice(page.indexOf('<footer>'));
    expect(footer(await read('/stats'))).toContain('<a href="/terms#data">sources and terms');
    expect(footer(await read('/stats'))).not.toContain('Contact');
    const contacts = [
      ['help@registry.example', 'mailto:help@registry.example'],
      ['https://registry.example/@help', 'https://registry.example/@help'],
    ] as const;
    for (const [CONTACT, address] of contacts) {
      const page = await readOwn({ CONTACT }, '/privacy');
      expect(footer(page)).toContain(`<a href="${address}">Contact</a>`);
    }
  });

  test('200 shows the terms of the data below those of the operator', async () => {
    const TERMS_FILE = { en: 'Ask nicely.', pl: 'Prosimy.' };
    const page = await readOwn({ TERMS_FILE, sample: 'all' }, '/terms?lang=pl');
    expect(page).toMatch(/<p>Prosimy\.<\/p>[^]*<h2 id="data">Warunki korzystania z danych<\/h2>/);
    expect(page).toContain('<aside class="sample">Zmyślone dane przykładowe');
    const unset = await read('/terms');
    expect(unset).toContain('has not set terms of use yet (TERMS_FILE)');
    expect(unset).not.toContain('class="sample"');
  });
});

test.each(['en', 'pl'])(
  'the first page and the terms name every registry, and the terms its licence: %s',
  async (language) => {
    const pages = [await read(`/?lang=${language}`), await read(`/terms?lang=${language}`)];
    const { rows } = await database.pool.query<{ source: string }>(
      'select source from registry.source_rank',
    );
    expect(rows).toHaveLength(4);
    for (const page of pages) {
      const [main] = /<main[^]*<\/main>/.exec(page)!;
      for (const { source } of rows) expect(main).toContain(source.toUpperCase());
    }
    expect(pages[1]).toContain('SIRENE (INSEE)');
    expect(pages[1]).toContain('Licence Ouverte 2.0');
  },
);

describe('the language of a page', () => {
  async function languageOf(path: string, acceptLanguage: string) {
    const headers = { Accept: 'text/html', 'Accept-Language': acceptLanguage };
    const response = await api.ask(path, { headers });
    expect(response.headers.get('vary')).toContain('Accept-Language');
    const page = await response.text();
    expect(page).toContain(`<html lang="${response.headers.get('content-language')}">`);
    return [/<h1>(.*)<\/h1>/.exec(page)?.[1], /class="language" href="([^"]*)"/.exec(page)?.[1]];
  }

  test('is the one of the address, else the first that the browser reads and the service writes', async () => {
    expect(await languageOf('/privacy', 'de, pl-PL;q=0.8, en;q=0.5')).toEqual([
      'Prywatność',
      '/privacy?lang=en',
    ]);
    expect(await languageOf('/privacy?lang=en', 'pl')).toEqual(['Privacy', '/privacy?lang=pl']);
    for (const unknown of ['?lang=de', '?lang=pl&lang=pl', '?lang=']) {
      expect((await languageOf(`/privacy${unknown}`, 'de'))[0]).toBe('Privacy');
    }
  });

  test('stays English where a page has no other texts, which the page says, and is kept in its links', async () => {
    expect(await languageOf('/console?lang=pl', 'pl')).toEqual(['Console', undefined]);
    for (const path of ['/console', '/companies/9', '/docs', '/docs/wallet', '/guides/analysts'])
      expect(await read(path)).toContain('lang="pl">Tylko po angielsku</span>');
    expect(await read('/privacy?lang=pl')).toContain('hreflang="en">Konsola (EN)</a>');
    expect(await read('/console?lang=pl')).toContain('<a href="/privacy?lang=pl">');
    expect(await read('/console')).toContain('<a href="/privacy">');
  });

  test('changes by a link within the service, whatever the path', async () => {
    for (const path of ['//elsewhere.example/x', '/%5Celsewhere.example']) {
      const [, address] = await languageOf(`${path}?a=%22%3E`, 'en');
      expect(address).toMatch(/^\/(%5C)?elsewhere\.example(\/x)?\?a=%22%3E&amp;lang=pl$/);
    }
  });
});

describe('a path without a page', () => {
  test('404 is a page for a browser', async () => {
    const response = await open('/nope');
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toContain('<h1>Page not found</h1>');
  });

  test.each(['/nope', '/api/v1/nope'])(
    '404 is JSON for a program, and below the API: %s',
    async (path) => {
      const response = path === '/nope' ? await api.ask(path) : await open(path);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ message: 'Not Found' });
    },
  );
});

const paths = [
  '/',
  '/stats',
  '/quality',
  '/console',
  '/companies/9',
  '/docs',
  '/privacy',
  '/terms',
];

describe.each(paths)('GET %s', (path) => {
  test('200 is a page without inline scripts or styles, whose own files browsers may keep', async () => {
    const response = await open(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self';form-action 'self';frame-ancestors 'none';base-uri 'none'",
    );
    const page = await response.text();
    expect(page).not.toMatch(/<script[^>]*>[^<]|<style|\sstyle=|\son\w+=/);
    expect(page).toContain('<html lang="en">');
    // A template with a missing value would print `undefined`, `[object Object]` or `NaN`.
    expect(page).not.toMatch(/undefined|\[object|NaN/);
    expect(page.match(/<h1>/g)).toHaveLength(1);
    const links = [...page.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)];
    const files = await Promise.all(links.map(([, link = '']) => api.ask(link)));
    for (const { status, headers } of files) {
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
    const texts = await Promise.all(files.map((file) => file.text()));
    expect(Buffer.byteLength(texts.join('') + page)).toBeLessThan(100_000);
  });
});

test('GET / 200 without a snapshot says so, and what calls cost', async () => {
  for (const path of ['/', '/downloads']) {
    expect(await read(path)).toContain('<p>No snapshot has been published yet.</p>');
  }
  expect(await read('/')).toContain('a full profile 7 credits');
});

describe('GET /stats', () => {
  beforeAll(() => insertYear(database));

  test('200 selects what the address holds, in the form, the map and the file', async () => {
    const page = await read(
      '/stats?source=ceidg&voivodeship=slaskie&section=F&by=month&from=2026-01-01',
    );
    for (const name of ['CEIDG', 'śląskie', 'F: Construction', 'All forms', 'Month']) {
      expect(page).toMatch(new RegExp(`<option value="[^"]*" selected>${name}</option>`));
    }
    const current = page.match(/<a [^>]*aria-current="true"[^>]*>/g)!;
    expect(current.map((link) => /aria-label=".*śląskie"/.test(link))).toEqual([false, true]);
    expect(page.match(/<rect /g)).toHaveLength(16);
    const query =
      'source=ceidg&amp;voivodeship=slaskie&amp;section=F&amp;from=2026-01-01&amp;by=month';
    expect(page).toContain(`href="/api/v1/stats/series.csv?${query}"`);
  });

  test('200 takes what it does not know for nothing, and writes it as text', async () => {
    const page = await read(
      `/stats?from=x&by=year&section=a&section=b&legal_form=x&source=${encodeURIComponent('"><script>')}`,
    );
    expect(page).not.toContain('"><script>');
    expect(page).toContain('<option value="day" selected>');
  });
});

describe('the headline', () => {
  async function sum(flow: 'new_count' | 'ended_count', after: string, to: string) {
    const { rows: sums } = await database.pool.query<{ sum: number }>(
      `select sum(${flow})::int from registry.stock_change where stat_date > $1 and stat_date <= $2`,
      [after, to],
    );
    return sums[0]!.sum;
  }

  async function expectSpan(newest: string, since: string, before: string, days: number) {
    const headline = (await readHeadline(database.kysely, 'ceidg', newest))!;
    expect(headline).toMatchObject({ since, days });
    for (const [flow, column] of [
      ['new', 'new_count'],
      ['ended', 'ended_count'],
    ] as const) {
      const [count, earlier] = [await sum(column, since, newest), await sum(column, before, since)];
      expect(headline[flow]).toEqual({ count, change: count - earlier });
      expect(count).not.toBe(earlier);
    }
  }

  test('compares a month with the days before it, also where a gap makes it longer', async () => {
    await expectSpan('2026-11-19', '2026-10-20', '2026-09-20', 30);
    await database.pool.query("delete from registry.run where dump_date > '2026-06-15'");
    await database.pool.query("delete from registry.stock_change where stat_date > '2026-06-15'");
    await expectSpan('2026-06-15', '2026-05-10', '2026-04-04', 36);
  });

  test('hides a small flow where the operator says so', async () => {
    const headline = await readHeadline(database.kysely, 'ceidg', '2026-06-15', 1_000_000);
    expect(headline).toMatchObject({ new: { count: null, change: undefined } });
  });

  test('compares no days that no snapshot begins', async () => {
    await database.pool.query("delete from registry.run where dump_date = '2026-04-04'");
    const headline = await readHeadline(database.kysely, 'ceidg', '2026-06-15');
    expect(headline).toMatchObject({ since: '2026-05-10', new: { change: undefined } });
  });
});

test('the console has no form that the Enter key sends before the script is there', async () => {
  const forms = (await read('/console')).match(/<form class="row".*?<\/form>/gs)!;
  expect(forms.length).toBeGreaterThan(5);
  for (const form of forms) expect(form).toContain('<button type="submit" disabled>');
});

describe('GET /assets/', () => {
  test('200 is not kept under another version', async () => {
    for (const path of ['/assets/site.css', '/assets/site.css?v=0']) {
      expect((await api.ask(path)).headers.get('cache-control')).toBe('no-cache');
    }
  });

  test.each(['package.json', 'index.html', '..%2Fapp.ts', '%2e%2e%2f%2e%2e%2fpackage.json', ''])(
    '404 for other files of the packages, and for those above: %s',
    async (path) => {
      expect((await api.ask(`/assets/${path}`)).status).toBe(404);
    },
  );

  test.each([
    ['GET, HEAD', ['/', '/assets/site.css', '/docs', '/downloads/2026-01-31/month.csv']],
    ['GET, HEAD, POST', ['/recover', '/unsubscribe']],
  ])('405 for other methods than %s', async (allow, ofPages) => {
    for (const path of ofPages) {
      const { status, headers } = await api.ask(path, { method: 'DELETE' });
      expect([path, status, headers.get('allow')]).toEqual([path, 405, allow]);
    }
  });
});
