import { hash } from 'node:crypto';
import type { Request } from 'express';

/** The `ETag` of a text: a weak validator, since what is sent may be compressed or say when it was read. */
export function tagOf(text: string): string {
  return `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
}

/**
 * Whether the client has what a tag stands for: weak comparison with `If-None-Match` (RFC 9110), in
 * which an asterisk is any tag.
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
