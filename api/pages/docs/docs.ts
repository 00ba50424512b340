import type { Router, RequestHandler } from 'express';
import type { OpenApiDocument } from '../../openapi/complete.ts';
import { basePath } from '../../endpoint/mount.ts';
import { addRead, createRouter } from '../../http/router.ts';
import { keep } from '../../http/keep.ts';
import { setTag } from '../../http/tag.ts';
import { createKeptPage } from '../../html/page.ts';
import { guides } from './guides.ts';
import { renderMarkdown, renderSentence } from './markdown.ts';
import { createReference } from './reference.ts';
import { anchorOf, listEntries } from './search-entries.ts';

/** Returns the pages of the reference by their address, and the entries of the search. */
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
  const pages: [string, RequestHandler][] = [
    ['/docs', createKeptPage('docs/overview', common)],
    ...reference.chapters.map((chapter): [string, RequestHandler] => [
      chapter.path,
      createKeptPage('docs/chapter', { ...common, chapter }),
    ]),
  ];
  return { pages: new Map(pages), entries: JSON.stringify(listEntries(reference, guides)) };
}

/** Returns the routes of the guides and of the reference, whose samples send requests to the API at `origin`. */
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
