import { type RequestHandler, Router } from 'express';
import { onlyAllow } from './errors.ts';

/** Returns a router of exact paths: letter case and a slash at the end of a path matter. */
export function createRouter(): Router {
  return Router({ caseSensitive: true, strict: true });
}

/** Adds a route that answers only GET and HEAD; other methods get a 405. */
export function addRead(router: Router, path: string, ...handlers: RequestHandler[]): void {
  router
    .route(path)
    .get(...handlers)
    .all(onlyAllow('GET, HEAD'));
}
