import { Router, type Request } from 'express';
import type { AppOptions } from '../app.ts';
import { generalLimit, limitRequests } from '../auth/rate-limit.ts';
import { onlyAllow } from '../http/errors.ts';
import { createAssets } from './assets.ts';
import { createConsole } from './console.ts';
import { createHome } from './home.ts';
import { sendPublicPage, type Page } from './page.ts';
import { createStats } from './stats.ts';

// Swagger UI writes its own headings; the first one is hidden in its favour.
const docs: Page = {
  path: '/docs',
  title: 'Reference',
  layout: 'bare',
  content: '<div id="swagger-ui"></div>',
  styles: ['swagger-ui.css', 'docs.css'],
  scripts: ['swagger-ui.js', 'docs.js'],
};

/**
 * The pages for people: `/`, `/stats`, `/console` and `/docs`, with their files below `/assets/`. Only
 * a client that prefers HTML gets the page of `/`; other clients are passed on.
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
      .get(limit, async (request, response, next) => {
        if (path === '/') {
          response.vary('Accept');
          if (request.accepts(['json', 'html']) !== 'html') {
            next('route');
            return;
          }
        }
        sendPublicPage(response, await create(request));
      })
      .all(onlyAllow('GET, HEAD'));
  }
  return router;
}
