import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { listSamples, textOf } from '../../../fixtures/client/samples.ts';
import { useApi } from '../../../fixtures/client/use-api.ts';
import type { OpenApiDocument, Operation } from '../../openapi/descriptions-and-examples.ts';
import { renderMarkdown } from './markdown.ts';

const isDocs = (path: string) => /^\/(?:docs|guides)(?:$|[/#])/.test(path);

/** Returns the targets of all links in a page. */
function linksOf(page: string): string[] {
  return [...page.matchAll(/<a [^>]*?href="([^"]+)"/g)].map(([, address]) => textOf(address!));
}

const { api } = await useApi({ baseUrl: 'https://api.registry.example' });

/** Returns every page below `/docs` and `/guides` that links lead to, by its path. */
async function crawl(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const pending = ['/docs', '/guides'];
  for (const path of pending) {
    if (found.has(path)) continue;
    const response = await api.ask(path);
    expect([path, response.status]).toEqual([path, 200]);
    found.set(path, await response.text());
    pending.push(
      ...linksOf(found.get(path)!)
        .filter(isDocs)
        .map((link) => link.split('#')[0]!),
    );
  }
  return found;
}

const pages = await crawl();

const idsOf = (page: string) => [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!);

/** Returns the addresses whose page or anchor does not exist. */
function findDead(path: string, addresses: string[]): string[] {
  return addresses
    .filter((address) => isDocs(address) || address.startsWith('#'))
    .filter((address) => {
      const [to, anchor] = address.split('#');
      const page = pages.get(to === '' ? path : to!);
      return !page || (anchor !== undefined && !idsOf(page).includes(decodeURIComponent(anchor)));
    });
}

describe('GET /docs', () => {
  test('200 has every endpoint of the document once, with samples in three languages', async () => {
    const response = await api.ask('/api/v1/openapi.json');
    const { paths = {} } = (await response.json()) as OpenApiDocument;
    const expected = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>).map(([method, { operationId, tags }]) => {
        const page = `/docs/${tags[0]!.toLowerCase().replace(' ', '-')}`;
        return [page, operationId, `${method.toUpperCase()} ${path}`, 'curl,typescript,python'];
      }),
    );
    const shown = [...pages].flatMap(([page, html]) => {
      const samples = Map.groupBy(listSamples(html), ({ of }) => of);
      const sections = html.matchAll(
        /<section class="operation" id="(\w+)".*?<p class="address">(.*?)<\/p>/gs,
      );
      return [...sections].map(([, id, address]) => {
        const languages = samples.get(id!)!.map(({ language }) => language);
        return [page, id, textOf(address!), String(languages)];
      });
    });
    const byText = (rows: unknown[][]) => rows.map(String).toSorted();
    expect(byText(shown)).toEqual(byText(expected));
    expect(shown.length).toBeGreaterThan(35);
  });

  test('200 says of an endpoint what it costs, who may call it, how often, and what it takes', () => {
    const page = pages.get('/docs/companies')!;
    const section = /<section class="operation" id="post_companies_snapshot".*?<\/section>/s;
    const text = textOf(section.exec(page)![0]).replaceAll(/\s+/g, ' ');
    expect(text).toContain('Access API token or Master Token Price 5 credits');
    expect(text).toContain('Limit 180 requests a minute per token');
    expect(text).toContain('Body identifier_type string Type of the registry number');
    expect(text).toContain('identifiers list of object');
    expect(text).toContain(
      '402 The wallet has too few credits; nothing was withdrawn. { "message"',
    );
    expect(text).toContain('everywhere: 400 401 408 413 415 422 429 500 503');
    expect(textOf(pages.get('/docs/wallet')!)).toContain('package_slug string\nrequired');
    const statistics = textOf(pages.get('/docs/statistics')!).replaceAll(/\s+/g, ' ');
    expect(statistics).toContain(
      'Access no token Price free Limit 10 requests a minute per address',
    );
  });

  test('200 has samples that name no placeholder and are right in their language', () => {
    const samples = [...pages.values()].flatMap(listSamples);
    const of = (language: string) =>
      samples.filter((one) => one.language === language).map(({ text }) => text);
    expect(samples.filter(({ text }) => /example[^"'`]*\{/.test(text))).toEqual([]);
    for (const text of of('typescript')) expect(() => stripTypeScriptTypes(text)).not.toThrow();
    const check = 'import json, sys\nfor text in json.load(sys.stdin): compile(text, text, "exec")';
    execFileSync('python3', ['-c', check], { input: JSON.stringify(of('python')) });
    execFileSync('sh', ['-n'], { input: of('curl').join('\n') });
    expect(of('curl')).toContain(
      `curl -X DELETE "https://api.registry.example/api/v1/tokens/T4H8WZ1NC6PS" \\\n  -H "Authorization: Bearer $MASTER_TOKEN"`,
    );
  });

  test('404 for a chapter that the document does not have', async () => {
    expect((await api.ask('/docs/nope')).status).toBe(404);
  });
});

test('GET /docs/search.json 200 leads to endpoints, fields, errors and sections, each at an anchor that is there', async () => {
  const response = await api.ask('/docs/search.json');
  const entries = (await response.json()) as string[][];
  const addresses = entries.map((entry) => entry[4]!);
  expect(findDead('/docs', addresses)).toEqual([]);
  expect(entries).toContainEqual([
    'field',
    'next_cursor',
    'GET /api/v1/events/feed',
    'Cursor to send as the parameter after in the next request.',
    '/docs/company-monitor#get_events_feed.answer.meta.next_cursor',
  ]);
  const kinds = new Set(entries.map(([kind]) => kind));
  expect([...kinds]).toEqual(['section', 'error', 'endpoint', 'field']);
  expect(gzipSync(JSON.stringify(entries)).length).toBeLessThan(50_000);
});

describe('the pages of /docs and /guides', () => {
  test('link nothing that is not there, and no anchor is there twice', () => {
    expect([...pages.keys()]).toEqual(expect.arrayContaining(['/docs/wallet', '/guides/analysts']));
    for (const [path, page] of pages) {
      const ids = idsOf(page);
      expect([path, ids.filter((id, at) => ids.indexOf(id) !== at)]).toEqual([path, []]);
      expect([path, findDead(path, linksOf(page))]).toEqual([path, []]);
      expect([path, /undefined|\[object|NaN/.exec(page)?.[0]]).toEqual([path, undefined]);
      expect([path, page.match(/<h1/g)?.length]).toEqual([path, 1]);
    }
  });

  test('are each less than 100 KB with their files, and a browser that has one gets a 304', async () => {
    const sizes = new Map<string, number>();
    const sizeOf = async (path: string) => {
      const text = pages.get(path) ?? (await (await api.ask(path)).text());
      if (!sizes.has(path)) sizes.set(path, gzipSync(text).length);
      return sizes.get(path)!;
    };
    for (const [path, page] of pages) {
      const files = [...page.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)];
      const parts = await Promise.all([path, ...files.map(([, file]) => file!)].map(sizeOf));
      expect([path, parts.reduce((one, other) => one + other) < 100_000]).toEqual([path, true]);
      const etag = (await api.ask(path)).headers.get('etag')!;
      const again = await api.ask(path, { headers: { 'If-None-Match': etag } });
      expect([path, again.status, await again.text()]).toEqual([path, 304, '']);
    }
  });
});

describe('GET /guides/…', () => {
  test('200 leads from guide to guide, and names files that are no page', () => {
    const operators = pages.get('/guides/operators')!;
    expect(operators).toContain('<a href="/guides/analysts#connect">');
    expect(operators).toMatch(/\(<code>pipeline\/personal-data\.md<\/code>\)/);
    const clients = pages.get('/guides/clients')!;
    expect(clients).toContain('<code>sql/dictionary/event_type.csv</code>');
    expect(clients).toContain('<h2 id="the-feed-of-events"><a href="#the-feed-of-events">');
    expect(clients).not.toContain('excerpt:');
  });

  test('200 names only files that are there', () => {
    const root = join(import.meta.dirname, '../../..');
    const missing = ['api/README.md', 'pipeline/README.md', 'sql/README.md'].flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
        .map(([, path]) => join(dirname(file), path!))
        .filter((path) => !existsSync(join(root, path))),
    );
    expect(missing).toEqual([]);
  });
});

describe('renderMarkdown', () => {
  test('shows HTML as text, leaves its comments out, and follows no link to a script', () => {
    const { html } = renderMarkdown(
      'A <b>word</b><!-- note -->\n\n<script>x</script>\n\n[link](javascript:x) and [page](/stats)',
    );
    expect(html).toBe(
      '<p>A &lt;b&gt;word&lt;/b&gt;</p>\n&lt;script&gt;x&lt;/script&gt;<p>link (<code>javascript:x</code>) and <a href="/stats">page</a></p>\n',
    );
  });

  test('anchors headings as GitHub does, and tells them apart', () => {
    const { headings } = renderMarkdown('# `A` & B: ż_1\n\n## Fields\n\n## Fields');
    expect(headings).toEqual([
      { depth: 1, text: 'A & B: ż_1', id: 'a--b-ż_1' },
      { depth: 2, text: 'Fields', id: 'fields' },
      { depth: 2, text: 'Fields', id: 'fields-1' },
    ]);
  });
});
