import { isUtf8 } from 'node:buffer';
import { type RequestHandler, text } from 'express';
import { sizes } from '../figures.ts';
import { readBounded, tooLarge } from '../http/bounded-body.ts';
import { HttpError, invalid } from '../http/errors.ts';
import { refuseHuge } from './validate.ts';

const malformed = 'The request body is not valid JSON.';
const unsupported = 'The request body must be sent as application/json in UTF-8.';

// The answers to errors of Express, by type. The own messages of Express quote the body, which may hold a password.
const messages: Record<string, [status: number, message: string]> = {
  'entity.parse.failed': [400, malformed],
  'charset.unsupported': [415, unsupported],
};

// Reads a JSON body as text. Express adds the body to its errors, so that only their type is used.
const readText = readBounded(
  sizes.body_bytes,
  text({
    type: 'application/json',
    limit: sizes.body_bytes,
    verify: (_request, _response, bytes, encoding) => {
      if (!/^utf-?8$/i.test(encoding)) throw typed('charset.unsupported');
      // The decoder of Express would silently replace invalid UTF-8.
      if (!isUtf8(bytes)) throw typed('entity.parse.failed');
    },
  }),
);

function typed(type: string): Error {
  return Object.assign(new Error(type), { type });
}

function explain(error: unknown): unknown {
  const { type = '' } = error as { type?: string };
  // A compressed body may be too large only after inflation.
  if (type === 'entity.too.large') return tooLarge(sizes.body_bytes);
  const [status, message] = messages[type] ?? [];
  return status && message ? new HttpError(status, { message }) : error;
}

/** Returns the keys of all objects in a value, in any depth, with repetitions. */
function listKeys(value: unknown): string[] {
  const keys: string[] = [];
  const pending = [value];
  for (const one of pending) {
    if (typeof one !== 'object' || one === null) continue;
    if (!Array.isArray(one)) keys.push(...Object.keys(one));
    pending.push(...Object.values(one));
  }
  return keys;
}

/** Matches a string in valid JSON, and a colon that makes the string a key. */
const stringOfJson = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/** Returns a key that an object of the JSON has twice, of which `JSON.parse` keeps the last; else undefined. */
function findRepeatedKey(json: string, value: unknown): string | undefined {
  const kept = listKeys(value);
  const written = [...json.matchAll(stringOfJson)].filter(([, , colon]) => colon !== undefined);
  if (written.length === kept.length) return undefined;
  const left = new Map(
    [...Map.groupBy(kept, (key) => key)].map(([key, same]) => [key, same.length]),
  );
  return written
    .map(([, quoted]) => JSON.parse(quoted!) as string)
    .find((key) => {
      const count = left.get(key) ?? 0;
      left.set(key, count - 1);
      return count === 0;
    });
}

function parseJson(json: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The error of `JSON.parse` quotes the body, and is not passed on.
    throw new HttpError(400, { message: malformed });
  }
  refuseHuge(value, ['body']);
  const key = findRepeatedKey(json, value);
  if (key !== undefined) throw invalid([[key, `The ${key} field must be given only once.`]]);
  return value;
}

/** Reads the JSON body of a request into `request.body`, which is undefined without a body. */
export const readBody: RequestHandler = (request, response, next) => {
  const isEmpty = request.headers['content-length'] === '0';
  // `request.is` returns null for a request without a body.
  if (!isEmpty && request.is('application/json') === false) {
    throw new HttpError(415, { message: unsupported });
  }
  readText(request, response, (error?: unknown) => {
    try {
      if (error) throw explain(error);
      const json = request.body as string | undefined;
      request.body = json ? parseJson(json) : undefined;
      next();
    } catch (fault) {
      next(fault);
    }
  });
};
