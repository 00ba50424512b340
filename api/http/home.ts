import { Router } from 'express';
import { basePath } from './mount.ts';
import { onlyAllow } from './errors.ts';

/** `/`: what this is and where to go, for a client that does not ask for a page. */
export function createHome(): Router {
  const router = Router();
  router
    .route('/')
    .get((_request, response) => {
      response.json({
        name: 'Company registry',
        description: 'Companies from public registers, what changes about them, and statistics.',
        documentation: '/docs',
        openapi: `${basePath}/openapi.json`,
        status: '/readyz',
      });
    })
    .all(onlyAllow('GET, HEAD'));
  return router;
}
