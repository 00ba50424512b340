import { raw, type RequestHandler } from 'express';
import { sizes } from '../figures/sizes.ts';
import { readBounded } from '../http/bounded-body.ts';
import { HttpError, invalid } from '../http/errors.ts';
import { refuseHuge } from './validate.ts';

const malformed = 'The request body is not valid JSON.';
const unsupported = 'The request body must be sent as application/json in UTF-8.';

const otherCharset = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;

/** Matches a string in valid JSON; the second group matches the colon if the string is a key. */
const stringOfJson = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/** Returns a key that occurs twice in one object of a JSON text; undefined without a repeated key. */
function findRepeatedKey(json: string): string | undefined {
  const kept: string[] = [];
  JSON.parse(json, function keep(this: unknown, key, value) {
    if (!Array.isArray(this)) kept.push(key);
    return value as unknown;
  });
  // `JSON.parse` calls its reviver last for the whole value with an empty key, which is no key of the text.
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
    // The message of the `JSON.parse` error quotes the request body, so the error is not passed on.
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

/** Reads the JSON body of a request into `request.body`; undefined without a body. */
export const readBody: RequestHandler[] = [
  checkType,
  readBounded(sizes.body_bytes, raw({ type: 'application/json', limit: sizes.body_bytes })),
  (request, _response, next) => {
    const bytes = request.body as Buffer | undefined;
    request.body = bytes?.length ? parseJson(bytes) : undefined;
    next();
  },
];
