import { type RequestHandler, urlencoded } from 'express';
import { sizes } from '../figures/sizes.ts';
import { HttpError } from './errors.ts';

/** Returns the 413 error for a too large request body; after this answer the connection is closed. */
function tooLarge(most_bytes: number): HttpError {
  const message = `The request body must not be larger than ${most_bytes} bytes.`;
  return new HttpError(413, { message }, { Connection: 'close' });
}

/**
 * Returns a middleware that reads a request body with `parser`, a parser of Express. The middleware refuses a too large
 * body as soon as its size is known; `parser` alone would first read the whole body.
 */
export function readBounded(most_bytes: number, parser: RequestHandler): RequestHandler {
  return (request, response, next) => {
    let count = 0;
    let isDone = false;
    const finish = (error?: unknown) => {
      request.off('data', add);
      // The parser refuses a body that exceeds the limit only after decompression.
      const isLarge = (error as { type?: string } | undefined)?.type === 'entity.too.large';
      if (!isDone) next(isLarge ? tooLarge(most_bytes) : error);
      isDone = true;
    };
    const add = (chunk: Buffer) => {
      count += chunk.length;
      if (count > most_bytes) finish(tooLarge(most_bytes));
    };
    if (Number(request.headers['content-length'] ?? 0) > most_bytes) throw tooLarge(most_bytes);
    if (request.headers['transfer-encoding'] !== undefined) request.on('data', add);
    void parser(request, response, finish);
  };
}

/** Reads the form that a page has posted, and stores its fields in `request.body`. */
export const readForm = readBounded(
  sizes.form_bytes,
  urlencoded({ extended: false, limit: sizes.form_bytes, parameterLimit: 10 }),
);
