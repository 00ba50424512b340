import { Router } from 'express';

/** Returns a router of exact paths: the case of letters and a slash at the end make another path. */
export function createRouter(): Router {
  return Router({ caseSensitive: true, strict: true });
}
