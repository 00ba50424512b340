import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { HttpError } from './errors.ts';

/** Returns the `ETag` of an answer: a weak one, since two answers with the same tag may be compressed differently. */
export function tagOf(content: string | Uint8Array): string {
  return `W/"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}

/**
 * Returns whether the header `If-None-Match` contains a tag, by the weak comparison of RFC 9110; `*` matches any tag.
 * `request.fresh` of Express is not used: it is always false for `fetch`, which adds `Cache-Control: no-cache`.
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

/** Sets the `ETag` of an answer; throws a 304 if the header `If-None-Match` of the request contains this `ETag`. */
export function setTag(response: Response, content: string | Uint8Array): void {
  const tag = tagOf(content);
  response.set('ETag', tag);
  if (isKnown(response.req, tag)) throw new HttpError(304, { message: 'Not Modified' });
}
