import type { RequestHandler } from 'express';
import { basePath } from '../http/mount.ts';
import { sendPage } from './page.ts';

/** Answers a browser that asks for a page that is not there by one that leads on; others get JSON. */
export const answerMissingPage: RequestHandler = (request, response, next) => {
  const { method, path } = request;
  response.vary('Accept');
  if (
    (method !== 'GET' && method !== 'HEAD') ||
    response.locals.allow !== undefined ||
    path.startsWith(`${basePath}/`) ||
    request.accepts(['json', 'html']) !== 'html'
  ) {
    next();
    return;
  }
  sendPage(
    response,
    404,
    'Page not found',
    '<p>There is no page at this address.</p>\n<p><a href="/">Company registry</a></p>',
  );
};
