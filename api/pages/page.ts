import { join } from 'node:path';
import { Eta } from 'eta';
import type { Response } from 'express';
import type { Language } from '../../sql/words/message.ts';
import { linkAsset } from './assets.ts';
import { createWords } from './texts.ts';

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

/**
 * Sends a page that holds no secret: `templates/{template}.eta` with its data. `language` in the data is
 * that of the account whose page it is.
 */
export function sendPage(
  response: Response,
  template: string,
  data: object,
  cacheControl = 'no-cache',
): void {
  const words = createWords(response.req, template, (data as { language?: Language }).language);
  response
    .vary('Accept-Language')
    .set({
      'Content-Security-Policy': policy,
      'Content-Language': words.language,
      'Cache-Control': cacheControl,
    })
    .type('html')
    .send(
      templates.render(template, { ...data, ...words, linkAsset, site: response.app.locals.site }),
    );
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
