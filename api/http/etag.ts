import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { HttpError } from './errors.ts';

/** Returns the `ETag` of a content: a weak validator, since the body may be compressed or hold the current time. */
export function tagOf(content: string | Uint8Array): string {
  return `W/"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}

/**
 * Returns whether `If-None-Match` has a tag, by the weak comparison of RFC 9110; an asterisk matches any tag.
 * `request.fresh` of Express is always false for clients with `fetch`, which adds `Cache-Control: no-cache`.
 */
export function isKnown(request: Request, tag: string): boolean {
  const known = request.get('If-None-Match');
  if (known === undefined) return false;
  const opaque = tag.slice('W/'.length);
  return (
    known.trim() === '*' ||
    known.split(',').some((one) => one.trim().replace(/^W\//, '') === opaque)
  );
}

/** Sets the `ETag` of a content. Throws a 304 for a client that has the content. */
export function setTag(response: Response, content: string | Uint8Array): void {
  const tag = tagOf(content);
  response.set('ETag', tag);
  if (isKnown(response.req, tag)) throw new HttpError(304, { message: 'Not Modified' });
}
