import { isUtf8 } from 'node:buffer';
import { json, type RequestHandler } from 'express';
import { HttpError } from './errors.ts';

/** More than any request of ours needs: a hundred identifiers of fifty characters are six thousand. */
const maxBody_bytes = 100_000;

const unsupported = 'The request body must be sent as application/json in UTF-8.';

// The framework's own messages quote the body, which may hold a password.
const messages: Record<string, [status: number, message: string]> = {
  'entity.parse.failed': [400, 'The request body is not valid JSON.'],
  'entity.too.large': [413, `The request body must not be larger than ${maxBody_bytes} bytes.`],
  'charset.unsupported': [415, unsupported],
};

// What is thrown here comes back with the body in it, so that only its type may be used.
const parseJson = json({
  limit: maxBody_bytes,
  verify: (_request, _response, bytes, encoding) => {
    if (!/^utf-?8$/i.test(encoding)) throw typed('charset.unsupported');
    // Bytes that stand for no character would silently become others.
    if (!isUtf8(bytes)) throw typed('entity.parse.failed');
  },
});

function typed(type: string): Error {
  return Object.assign(new Error(type), { type });
}

/**
 * Reads the JSON body of a request into `request.body`, which stays undefined when there is none.
 * Answers 400 when it is malformed, 413 when it is too large, 415 when it is something else.
 */
export const readBody: RequestHandler = (request, response, next) => {
  const isEmpty = request.headers['content-length'] === '0';
  // Null: there is no body at all.
  if (!isEmpty && request.is('application/json') === false) {
    throw new HttpError(415, { message: unsupported });
  }
  parseJson(request, response, (error?: unknown) => {
    const type = (error as { type?: string } | undefined)?.type ?? '';
    const [status, message] = messages[type] ?? [];
    next(status && message ? new HttpError(status, { message }) : error);
  });
};
