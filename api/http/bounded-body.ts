import { type RequestHandler, urlencoded } from 'express';
import { sizes } from '../figures.ts';
import { HttpError } from './errors.ts';

/** The 413 of a body that is longer than a bound; the connection ends with it. */
export function tooLarge(most_bytes: number): HttpError {
  const message = `The request body must not be larger than ${most_bytes} bytes.`;
  return new HttpError(413, { message }, { Connection: 'close' });
}

/**
 * Reads a body by a parser of Express as long as it is no longer than a bound. A longer one is refused before
 * it is read, or, where its length is not known before, as soon as so many bytes have arrived. The parser
 * itself would read all of it first.
 *
 * @param parser begins to read at once
 */
export function readBounded(most_bytes: number, parser: RequestHandler): RequestHandler {
  return (request, response, next) => {
    let count = 0;
    let isDone = false;
    const finish = (error?: unknown) => {
      request.off('data', add);
      if (!isDone) next(error);
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

/** Reads the form of a page. */
export const readForm = readBounded(
  sizes.body_bytes,
  urlencoded({ extended: false, limit: sizes.body_bytes, parameterLimit: 10 }),
);
