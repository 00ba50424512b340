import { Router } from 'express';

/** Returns a router of exact paths: letter case and a slash at the end matter. */
export function createRouter(): Router {
  return Router({ caseSensitive: true, strict: true });
}
