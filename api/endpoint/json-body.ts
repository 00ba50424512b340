import { raw, type RequestHandler } from 'express';
import { sizes } from '../figures/sizes.ts';
import { readBounded } from '../http/bounded-body.ts';
import { HttpError, invalid } from '../http/errors.ts';
import { refuseHuge } from './validate.ts';

const malformed = 'The request body is not valid JSON.';
const unsupported = 'The request body must be sent as application/json in UTF-8.';

const otherCharset = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;

/** Matches a string in valid JSON and, in the second group, the colon after a string that is a key. */
const stringOfJson = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/** Returns a key that occurs twice in one object of a JSON text; undefined without a repeated key. */
function findRepeatedKey(json: string): string | undefined {
  const kept: string[] = [];
  JSON.parse(json, function keep(this: unknown, key, value) {
    if (!Array.isArray(this)) kept.push(key);
    return value as unknown;
  });
  // The last call of the reviver has the whole value and an empty key, which is no key of the text.
  kept.pop();
  kept.sort();
  return [...json.matchAll(stringOfJson)]
    .filter(([, , colon]) => colon !== undefined)
    .map(([, quoted]) => JSON.parse(quoted!) as string)
    .toSorted()
    .find((key, at) => key !== kept[at]);
}

function parseJson(bytes: Buffer): unknown {
  let json: string;
  let value: unknown;
  try {
    json = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = JSON.parse(json);
  } catch {
    // The error of `JSON.parse` is discarded, since its message quotes the request body, which may contain secrets.
    throw new HttpError(400, { message: malformed });
  }
  refuseHuge(value, ['body']);
  const key = findRepeatedKey(json);
  if (key !== undefined)
    throw invalid([[key, `The ${key} field must be given only once.`, 'repeated']]);
  return value;
}

const checkType: RequestHandler = (request, _response, next) => {
  const isEmpty = request.headers['content-length'] === '0';
  // The function `request.is` returns null for a request without a body.
  const type = isEmpty ? null : request.is('application/json');
  if (type === false || (type && otherCharset.test(request.get('Content-Type')!))) {
    throw new HttpError(415, { message: unsupported });
  }
  next();
};

/** Reads the JSON body of a request into `request.body`, which is undefined for a request without a body. */
export const readBody: RequestHandler[] = [
  checkType,
  readBounded(sizes.body_bytes, raw({ type: 'application/json', limit: sizes.body_bytes })),
  (request, _response, next) => {
    const bytes = request.body as Buffer | undefined;
    request.body = bytes?.length ? parseJson(bytes) : undefined;
    next();
  },
];
