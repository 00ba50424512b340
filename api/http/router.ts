import { Router } from 'express';

/** Makes a router of exact paths: with other letters, or with a slash at the end, a path is another one. */
export function createRouter(): Router {
  return Router({ caseSensitive: true, strict: true });
}
