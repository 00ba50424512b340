import { type RequestHandler, Router } from 'express';
import { onlyAllow } from './errors.ts';

/** Returns a router that matches paths exactly: letter case and a slash at the end of a path matter. */
export function createRouter(): Router {
  return Router({ caseSensitive: true, strict: true });
}

/** Adds a route for GET and HEAD; a request to its path with another method gets a 405. */
export function addRead(router: Router, path: string, ...handlers: RequestHandler[]): void {
  router
    .route(path)
    .get(...handlers)
    .all(onlyAllow('GET, HEAD'));
}
