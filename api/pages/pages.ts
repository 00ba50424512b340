import { Router, type Request, type RequestHandler } from 'express';
import type { AppOptions } from '../app.ts';
import { generalLimit, limitRequests } from '../auth/rate-limit.ts';
import { onlyAllow } from '../http/errors.ts';
import { basePath } from '../http/mount.ts';
import { createAssets } from './assets.ts';
import { createConsole } from './console.ts';
import { createHome } from './home.ts';
import { sendPage, sendPublicPage, type Page } from './page.ts';
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

/**
 * The pages for people: `/`, `/stats`, `/console` and `/docs`, with their files below `/assets/`. At
 * `/`, a client that does not prefer HTML gets JSON.
 */
export function createPages(options: AppOptions): Router {
  const router = Router();
  const limit = limitRequests(options, generalLimit);
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
        if (path === '/') {
          response.vary('Accept');
          if (request.accepts(['json', 'html']) !== 'html') {
            response.json(about);
            return;
          }
        }
        sendPublicPage(response, await create(request));
      })
      .all(onlyAllow('GET, HEAD'));
  }
  return router;
}

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
