import { isUtf8 } from 'node:buffer';
import { json, type RequestHandler } from 'express';
import { HttpError } from '../http/errors.ts';

/** Enough for any valid request: a hundred identifiers of fifty characters are 6,000 bytes. */
const maxBody_bytes = 100_000;

const unsupported = 'The request body must be sent as application/json in UTF-8.';

// The messages of Express quote the body, which may hold a password.
const messages: Record<string, [status: number, message: string]> = {
  'entity.parse.failed': [400, 'The request body is not valid JSON.'],
  'entity.too.large': [413, `The request body must not be larger than ${maxBody_bytes} bytes.`],
  'charset.unsupported': [415, unsupported],
};

// Express adds the body to these errors, so that only their type may be used.
const parseJson = json({
  limit: maxBody_bytes,
  verify: (_request, _response, bytes, encoding) => {
    if (!/^utf-?8$/i.test(encoding)) throw typed('charset.unsupported');
    // The decoder would silently replace invalid bytes.
    if (!isUtf8(bytes)) throw typed('entity.parse.failed');
  },
});

function typed(type: string): Error {
  return Object.assign(new Error(type), { type });
}

/**
 * Reads the JSON body of a request into `request.body`, which is undefined without a body. Answers 400
 * when the body is malformed, 413 when it is too large, 415 when it is not JSON.
 */
export const readBody: RequestHandler = (request, response, next) => {
  const isEmpty = request.headers['content-length'] === '0';
  // Null: the request has no body.
  if (!isEmpty && request.is('application/json') === false) {
    throw new HttpError(415, { message: unsupported });
  }
  parseJson(request, response, (error?: unknown) => {
    const type = (error as { type?: string } | undefined)?.type ?? '';
    const [status, message] = messages[type] ?? [];
    next(status && message ? new HttpError(status, { message }) : error);
  });
};
