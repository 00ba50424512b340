import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Router, RequestHandler } from 'express';
import type { OpenApiDocument } from '../../openapi/descriptions-and-examples.ts';
import { basePath } from '../../endpoint/mount.ts';
import { addRead, createRouter } from '../../http/router.ts';
import { keep } from '../../http/cached-read.ts';
import { setTag } from '../../http/etag.ts';
import { createKeptPage } from '../../html/page.ts';
import { renderMarkdown, renderSentence } from './markdown.ts';
import { createReference } from './reference.ts';
import { anchorOf, listEntries } from './search-entries.ts';

const root = join(import.meta.dirname, '../../..');

/** The guides: the last part of each guide's URL, and the guide's README file. */
const names = [
  ['clients', 'api/README.md'],
  ['operators', 'pipeline/README.md'],
  ['analysts', 'sql/README.md'],
] as const;

/** Returns the URL for a link in a README: a guide or another site; undefined for a file that is no guide. */
function resolveFrom(file: string, href: string): string | undefined {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [path = '', hash] = href.split('#');
  const linked = posix.join(posix.dirname(file), path);
  const guide = names.find(([, other]) => other === linked)?.[0];
  return guide && `/guides/${guide}${hash === undefined ? '' : `#${hash}`}`;
}

/** Returns the three guides as pages, made from the READMEs. Throws if a file is missing. */
const guides = names.map(([name, file]) => {
  const text = readFileSync(join(root, file), 'utf8');
  const { html, headings } = renderMarkdown(text, {
    folder: posix.dirname(file),
    isCopied: true,
    resolveLink: (href) => resolveFrom(file, href),
  });
  const sections = headings.filter((one) => one.depth === 2);
  return { path: `/guides/${name}`, title: headings[0]!.text, html, sections };
});

/** Returns the pages of the reference by their URL, and the search entries of the reference. */
async function createPages(origin: string, makeDocument: () => Promise<OpenApiDocument>) {
  const reference = createReference(origin, await makeDocument());
  const common = {
    reference,
    guides,
    api: origin + basePath,
    anchorOf,
    sentence: renderSentence,
    markdown: (text: string) => renderMarkdown(text).html,
    show: (example: unknown) =>
      typeof example === 'string' ? example : JSON.stringify(example, null, 2),
  };
  const pages = new Map([['/docs', createKeptPage('docs/overview', common)]]);
  for (const chapter of reference.chapters)
    pages.set(chapter.path, createKeptPage('docs/chapter', { ...common, chapter }));
  return { pages, entries: JSON.stringify(listEntries(reference, guides)) };
}

/** Returns the routes of the guides and the reference. The code samples call the API at `origin`. */
export function createDocs(
  origin: string,
  makeDocument: () => Promise<OpenApiDocument>,
  limit: RequestHandler,
): Router {
  const router = createRouter();
  const readPages = keep(() => createPages(origin, makeDocument));
  const add = (path: string, handler: RequestHandler) => addRead(router, path, limit, handler);

  add('/docs/search.json', async (_request, response) => {
    const { entries } = await readPages();
    setTag(response.set('Cache-Control', 'no-cache'), entries);
    response.type('json').send(entries);
  });
  const answer: RequestHandler = async (request, response, next) => {
    const page = (await readPages()).pages.get(request.path);
    if (page) await page(request, response, next);
    else next('router');
  };
  for (const path of ['/docs', '/docs/:chapter']) add(path, answer);
  add('/guides', createKeptPage('docs/guides', { guides }));
  for (const guide of guides) add(guide.path, createKeptPage('docs/guide', { guides, guide }));
  return router;
}
