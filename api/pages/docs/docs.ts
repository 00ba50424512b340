import type { Router, RequestHandler } from 'express';
import type { OpenApiDocument } from '../../openapi/complete.ts';
import { basePath } from '../../endpoint/mount.ts';
import { onlyAllow } from '../../http/errors.ts';
import { createRouter } from '../../http/router.ts';
import { keep } from '../../http/keep.ts';
import { isKnown, tagOf } from '../../http/tag.ts';
import { createKeptPage } from '../../html/page.ts';
import { guides } from './guides.ts';
import { renderMarkdown, renderSentence } from './markdown.ts';
import { createReference } from './reference.ts';
import { anchorOf, listEntries } from './search-entries.ts';

/** Returns the pages of the reference by the last part of their address, and the entries of the search. */
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
  const entries = JSON.stringify(listEntries(reference, guides));
  const chapters = reference.chapters.map((chapter): [string, RequestHandler] => [
    chapter.path.slice('/docs/'.length),
    createKeptPage('docs/chapter', { ...common, chapter }),
  ]);
  return {
    overview: createKeptPage('docs/overview', common),
    chapters: new Map(chapters),
    entries,
  };
}

/**
 * Returns the routes of the API reference and the guides. The reference is made from the OpenAPI document:
 * `/docs`, a page for each tag, and the entries of the search. `/guides` lists the guides of clients, operators
 * and analysts.
 *
 * @param origin the origin of the API, to which the samples send requests
 */
export function createDocs(
  origin: string,
  makeDocument: () => Promise<OpenApiDocument>,
  limit: RequestHandler,
): Router {
  const router = createRouter();
  const readPages = keep(() => createPages(origin, makeDocument));
  const add = (path: string, ...handlers: RequestHandler[]) =>
    router
      .route(path)
      .get(limit, ...handlers)
      .all(onlyAllow('GET, HEAD'));

  add('/docs', async (...call) => (await readPages()).overview(...call));
  add('/docs/search.json', async (request, response) => {
    const { entries } = await readPages();
    const tag = tagOf(entries);
    response.set({ ETag: tag, 'Cache-Control': 'no-cache' });
    if (isKnown(request, tag)) response.status(304).end();
    else response.type('json').send(entries);
  });
  add('/docs/:chapter', async (request, response, next) => {
    const page = (await readPages()).chapters.get(request.params.chapter as string);
    if (page) await page(request, response, next);
    else next('router');
  });
  add('/guides', createKeptPage('docs/guides', { guides }));
  for (const guide of guides) add(guide.path, createKeptPage('docs/guide', { guides, guide }));
  return router;
}
