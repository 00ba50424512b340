import { isUtf8 } from 'node:buffer';
import { json, type Request, type RequestHandler } from 'express';
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

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** What nearly all clients say of a body: that it is plain JSON, and how long. */
function isPlain({ headers }: Request): boolean {
  return (
    /^application\/json(; ?charset=utf-?8)?$/i.test(headers['content-type'] ?? '') &&
    headers['content-encoding'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    Number(headers['content-length']) <= maxBody_bytes
  );
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

// What the framework does with such a body, without asking what it is.
function parsePlain(request: Request, next: (error?: unknown) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    try {
      const text = utf8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
      if (!/^[\x20\t\n\r]*[{[]/.test(text)) throw new SyntaxError('Neither an object nor a list');
      request.body = JSON.parse(text);
    } catch {
      next(typed('entity.parse.failed'));
      return;
    }
    next();
  });
}

/**
 * Reads the JSON body of a request into `request.body`, which stays undefined when there is none.
 * Answers 400 when it is malformed, 413 when it is too large, 415 when it is something else.
 */
export const readBody: RequestHandler = (request, response, next) => {
  if (!hasBody(request)) {
    next();
    return;
  }
  const isPlainJson = isPlain(request);
  if (!isPlainJson && !request.is('application/json'))
    throw new HttpError(415, { message: unsupported });
  const parsed = (error?: unknown) => {
    const type = (error as { type?: string } | undefined)?.type ?? '';
    const [status, message] = messages[type] ?? [];
    next(status && message ? new HttpError(status, { message }) : error);
  };
  if (isPlainJson) parsePlain(request, parsed);
  else parseJson(request, response, parsed);
};
