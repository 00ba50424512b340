import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { isDatabaseAway } from '../../sql/connection/lost-connection.ts';
import { retryAfter_s } from '../figures/rate-limits.ts';
import { sizes } from '../figures/sizes.ts';
import codes from './error-codes.json' with { type: 'json' };

/** The code of an error, by which a client program decides what to do. `error-codes.json` explains every code. */
export type AnswerCode = keyof typeof codes.answers;

/** The code of an error in one field of a request. */
export type FieldCode = keyof typeof codes.fields;

/** An error in one field of a request: the field's name, the message and the code of the error. */
export type Problem = [field: string, message: string, code: FieldCode];

type ErrorBody = { message: string; code?: AnswerCode | undefined } & Record<string, unknown>;

/** Returns the body of an error answer with a `code`, by default the status's first code in `error-codes.json`. */
export function withCode({ code, ...body }: ErrorBody, status: number) {
  const all = Object.entries(codes.answers) as [AnswerCode, { status: number }][];
  const found = all.find(([, one]) => one.status === status)?.[0];
  return { ...body, code: code ?? found ?? (status < 500 ? 'BAD_REQUEST' : 'SERVER_ERROR') };
}

/** Returns the options of a zod rule: an error code, and the error message, to which validate.ts adds the field. */
export function coded(code: FieldCode, wrong: string) {
  return { params: { code, wrong } };
}

/** An error that is sent as an answer: its JSON body has the fields of the specification and a `code`. */
export class HttpError extends Error {
  readonly status: number;
  readonly body: ErrorBody & { code: AnswerCode };
  readonly headers: Record<string, string>;

  constructor(status: number, body: ErrorBody, headers: Record<string, string> = {}) {
    super(body.message);
    this.status = status;
    this.body = withCode(body, status);
    this.headers = headers;
  }
}

/** Returns a 422 error; its `message` is the message of the first problem, with the count of further problems. */
export function invalid(problems: Problem[]): HttpError {
  // A Map is used instead of an object, since a client may name a field `__proto__`.
  const byField = Map.groupBy(problems.slice(0, sizes.errors), ([field]) => field);
  const list = (at: 1 | 2) =>
    Object.fromEntries([...byField].map(([field, same]) => [field, same.map((one) => one[at])]));
  const [[, first] = ['', 'The given data was invalid.'], ...others] = problems;
  const count = others.length === 1 ? '1 more error' : `${others.length} more errors`;
  return new HttpError(422, {
    message: others.length === 0 ? first : `${first} (and ${count})`,
    errors: list(1),
    codes: list(2),
  });
}

/** Returns a 503 error for a request that cannot be answered now; the client may retry after `wait_s` seconds. */
export function unavailable(
  message = STATUS_CODES[503]!,
  wait_s: number = retryAfter_s.unavailable,
  code: AnswerCode = 'UNAVAILABLE',
) {
  return new HttpError(503, { message, code }, { 'Retry-After': String(wait_s) });
}

/** Returns a 503 error for a function that the operator has switched off. */
export function switchedOff(what: string): HttpError {
  const message = `${what} currently switched off.`;
  return unavailable(message, retryAfter_s.switchedOff, 'SWITCHED_OFF');
}

/** Returns the 503 error of a search while the companies are loading. */
export function loading(): HttpError {
  const message = 'The companies are being loaded for the search.';
  return unavailable(message, retryAfter_s.loading, 'LOADING');
}

/** Returns a 429 error; `message` (mostly by limiter.ts) names the limit. The client may retry after `wait_s`. */
export function tooMany(
  message: string,
  wait_s: number,
  headers: Record<string, string> = {},
  code: AnswerCode = 'TOO_MANY_REQUESTS',
) {
  return new HttpError(429, { message, code }, { ...headers, 'Retry-After': String(wait_s) });
}

/** Returns a middleware that stores a path's methods for the header `Allow`, and skips to `answerUnmatched`. */
export function onlyAllow(methods: string): RequestHandler {
  return (_request, response, next) => {
    response.locals.allow = methods;
    next('router');
  };
}

/** Answers a request that no route matches: 404, or 405 if its path has other methods, or 204 to OPTIONS. */
export const answerUnmatched: RequestHandler = (request, response) => {
  const allow = response.locals.allow as string | undefined;
  if (allow === undefined) throw new HttpError(404, { message: 'Not Found' });
  if (request.method !== 'OPTIONS') {
    throw new HttpError(405, { message: 'Method Not Allowed' }, { Allow: allow });
  }
  response.set('Allow', allow).status(204).end();
};

/** Sends the HTML page of a server error; returns false, and sends nothing, if the client does not accept HTML. */
export type ShowFault = (status: number) => boolean;

/** Sends an error as JSON; but a 5xx error as an HTML page if `response.locals.showFault` sends the page. */
export function sendError(response: Response, { status, headers, body }: HttpError): void {
  response.set(headers);
  const show = response.locals.showFault as ShowFault | undefined;
  if (status < 500 || !show?.(status)) response.status(status).json(body);
}

function httpErrorOf(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown;
  if (isDatabaseAway(thrown)) return unavailable();
  // Express throws errors with a `status` for faults of the client, such as a path that cannot be decoded. The 400 for
  // malformed JSON is thrown by `parseJson` of ../endpoint/json-body.ts.
  const { status = 500 } = (thrown ?? {}) as { status?: number };
  return status >= 400 && status < 500
    ? new HttpError(status, { message: STATUS_CODES[status] ?? 'Bad Request' })
    : new HttpError(500, { message: 'Server Error' });
}

/** Answers a request whose handler threw an error. The cause of a 5xx is only logged (`response.locals.err`). */
export const answerError: ErrorRequestHandler = (thrown: unknown, _request, response, next) => {
  if (response.writableEnded) return;
  const error = httpErrorOf(thrown);
  if (error !== thrown) response.locals.err = thrown;
  if (response.headersSent) next(thrown);
  else sendError(response, error);
};

/** Refuses a request without exactly one `Host` header (RFC 9112), and a query that cannot be decoded. */
export const checkHead: RequestHandler = (
  { httpVersion, headersDistinct, url },
  _response,
  next,
) => {
  const hostCount = headersDistinct.host?.length ?? 0;
  if (hostCount > 1 || (hostCount === 0 && httpVersion === '1.1')) {
    throw new HttpError(400, { message: 'Bad Request' });
  }
  if (/%(?![\da-f]{2})/i.test(url.slice(url.indexOf('?') + 1 || url.length))) {
    const message = 'The query is not percent-encoded: after % come two hexadecimal digits.';
    throw new HttpError(400, { message });
  }
  next();
};
