import type { Response } from 'express';
import { z } from 'zod';
import { writeSuccess } from '../endpoint/endpoint.ts';
import { setTag } from '../http/etag.ts';
import { formatTimestamp } from '../http/timestamp.ts';

/** The part of an endpoint's description that is equal for all endpoints with an `ETag`. */
export const tagged = {
  headers: z.object({ 'If-None-Match': z.string().optional() }),
  errors: {
    304: { description: 'The answer has the `ETag` of `If-None-Match`; no body.', example: {} },
  },
};

/** Sets an `ETag` that is independent of `fetched_at`, and returns the body. etag.ts throws a 304 for a known tag. */
export function answerTagged(response: Response, data: string, meta: object, now: Date): string {
  setTag(response, data + JSON.stringify(meta));
  return writeSuccess(data, { ...meta, fetched_at: formatTimestamp(now) });
}
