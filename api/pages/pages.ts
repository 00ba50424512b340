import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { AppOptions } from '../app.ts';
import { onlyAllow } from '../http/errors.ts';
import { basePath } from '../http/mount.ts';
import { createAssets } from './assets.ts';
import { createConsole } from './console.ts';
import { createHome } from './home.ts';
import { send, sendPage, type Page } from './page.ts';
import { createStats } from './stats.ts';

/** `/` for a client that does not ask for a page. */
const about = {
  name: 'Company registry',
  description: 'Companies from public registers, what changes about them, and statistics.',
  documentation: '/docs',
  openapi: `${basePath}/openapi.json`,
  status: '/readyz',
};

// Swagger UI writes its own headings, so that the page has none.
const docs: Page = {
  path: '/docs',
  title: 'Reference',
  layout: 'bare',
  content: '<div id="swagger-ui"></div>',
  styles: ['swagger-ui.css', 'docs.css'],
  scripts: ['swagger-ui.js', 'docs.js'],
};

/** Whether a client prefers a page to JSON. */
function prefersPage(request: Request, response: Response): boolean {
  response.vary('Accept');
  return request.accepts(['json', 'html']) === 'html';
}

/**
 * The pages for people: `/`, `/stats`, `/console` and `/docs`, with their files below `/assets/`. At
 * `/`, a client that does not prefer HTML gets JSON.
 */
export function createPages(options: AppOptions, limit: RequestHandler): Router {
  const router = Router();
  const pages: Record<string, (request: Request) => Page | Promise<Page>> = {
    '/': () => createHome(options),
    '/stats': ({ query }) => createStats(options, query),
    '/console': () => createConsole(options),
    '/docs': () => docs,
  };

  router.use(createAssets());
  for (const [path, create] of Object.entries(pages)) {
    router
      .route(path)
      .get(limit, async (request, response) => {
        if (path === '/' && !prefersPage(request, response)) response.json(about);
        else send(response, await create(request), 'no-cache');
      })
      .all(onlyAllow('GET, HEAD'));
  }
  return router;
}

/** Answers a browser that asks for a page that is not there by one that leads on; others get JSON. */
export const answerMissingPage: RequestHandler = (request, response, next) => {
  const { method, path } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  const isKnown = response.locals.allow !== undefined || path.startsWith(`${basePath}/`);
  const content =
    '<p>There is no page at this address.</p>\n<p><a href="/">Company registry</a></p>';
  if (!prefersPage(request, response) || !isRead || isKnown) next();
  else sendPage(response, 404, 'Page not found', content);
};
