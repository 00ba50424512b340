import { join } from 'node:path';
import { Eta } from 'eta';
import type { Request, RequestHandler, Response } from 'express';
import { isKnown, tagOf } from '../http/tag.ts';
import { linkAsset } from './assets.ts';
import { createWords, isLanguage } from './texts.ts';

// A line end after a value separates words: it stays.
const templates = new Eta({
  views: join(import.meta.dirname, 'templates'),
  cache: true,
  autoTrim: false,
  functionHeader: 'const { language, t, linked, href, number, day, ago } = it;',
});

// A page loads only its own files, runs no inline script or style, and posts only to this service.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Renders a page. `data` may have the `language` of its account, and `isTranslatable` of `createWords`. */
function renderPage(request: Request, template: string, data: object) {
  const { site } = request.app.locals;
  const words = createWords(request, template, data);
  const html = templates.render(template, { ...data, ...words, linkAsset, site });
  return { html, language: words.language };
}

type Page = ReturnType<typeof renderPage>;

function sendHtml(response: Response, { html, language }: Page, cacheControl: string): void {
  response
    .vary('Accept-Language')
    .set({
      'Content-Security-Policy': policy,
      'Content-Language': language,
      'Cache-Control': cacheControl,
    })
    .type('html')
    .send(html);
}

/** Sends a page that holds no secret: `templates/{template}.eta` with its data. */
export function sendPage(
  response: Response,
  template: string,
  data: object,
  cacheControl = 'no-cache',
): void {
  sendHtml(response, renderPage(response.req, template, data), cacheControl);
}

/**
 * Sends a page that is the same until the process ends, such as a guide: it is rendered once, and a
 * browser that has it gets a 304.
 */
export function createKeptPage(template: string, data: object): RequestHandler {
  // By the language that the address asks for, which links keep.
  const kept = new Map<unknown, Page>();
  return (request, response) => {
    const { lang } = request.query;
    const key = isLanguage(lang) ? lang : undefined;
    const page = kept.get(key) ?? renderPage(request, template, data);
    kept.set(key, page);
    const tag = tagOf(page.html);
    response.set('ETag', tag);
    if (isKnown(request, tag)) response.status(304).end();
    else sendHtml(response, page, 'no-cache');
  };
}

/** Sends a page whose address or content can be secret. */
export function sendPrivatePage(
  response: Response,
  status: number,
  template: string,
  data: object = {},
): void {
  response.status(status).set({ 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' });
  sendPage(response, template, data, 'no-store');
}
