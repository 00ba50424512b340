import { join } from 'node:path';
import { Eta } from 'eta';
import type { Request, RequestHandler, Response } from 'express';
import { setTag } from '../http/etag.ts';
import { linkAsset } from './assets.ts';
import { createWords, isLanguage } from './texts.ts';

// Templates are not trimmed, because the line end after a value separates two words.
const templates = new Eta({
  views: join(import.meta.dirname, 'templates'),
  cache: true,
  autoTrim: false,
  functionHeader: 'const { language, t, linked, href, number, day, ago } = it;',
});

/** Returns a rendered template. `data` may have the account's `language`, and `isTranslatable` for `createWords`. */
function renderPage(request: Request, template: string, data: object) {
  const { site } = request.app.locals;
  const words = createWords(request, template, data);
  const html = templates.render(template, { ...data, ...words, linkAsset, site });
  return { html, language: words.language };
}

type Page = ReturnType<typeof renderPage>;

function sendHtml(response: Response, { html, language }: Page, cacheControl = 'no-cache'): void {
  response
    .vary('Accept-Language')
    .set({ 'Content-Language': language, 'Cache-Control': cacheControl })
    .type('html')
    .send(html);
}

/** Sends a page without a secret: `templates/{template}.eta`, rendered with its data. */
export function sendPage(response: Response, template: string, data: object): void {
  sendHtml(response, renderPage(response.req, template, data));
}

/** Returns the handler of a page that never changes while the process runs, with 304 for a client that has the page. */
export function createKeptPage(template: string, data: object): RequestHandler {
  // The rendered pages by the `lang` of the URL, since the links in a page contain `lang`.
  const kept = new Map<unknown, Page>();
  return (request, response) => {
    const { lang } = request.query;
    const key = isLanguage(lang) ? lang : undefined;
    const page = kept.get(key) ?? renderPage(request, template, data);
    kept.set(key, page);
    setTag(response, page.html);
    sendHtml(response, page);
  };
}

/** Sends a page whose URL or content can be secret, with headers that forbid caches to keep the page. */
export function sendPrivatePage(
  response: Response,
  status: number,
  template: string,
  data: object = {},
): void {
  response.status(status).set('X-Robots-Tag', 'noindex');
  sendHtml(response, renderPage(response.req, template, data), 'no-store');
}
