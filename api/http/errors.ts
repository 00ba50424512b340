import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { isDatabaseAway } from '../../sql/connection/lost-connection.ts';
import { retryAfter_s, sizes } from '../figures.ts';

/** A fault of a field of a request, with its message. */
export type Problem = [field: string, message: string];

type ErrorBody = ({ message: string } | { error: string }) & Record<string, unknown>;

/** An error answer, with the JSON body of the specification. */
export class HttpError extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Record<string, string>;

  constructor(status: number, body: ErrorBody, headers: Record<string, string> = {}) {
    super(String(body.message ?? body.error));
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Makes the 422 of the specification. The `message` is the first problem, with the count of the others. */
export function invalid(problems: Problem[]): HttpError {
  // A map groups the problems, because a client may name a field `__proto__`.
  const byField = Map.groupBy(problems.slice(0, sizes.errors), ([field]) => field);
  const errors = [...byField].map(([field, ofField]) => [field, ofField.map(([, text]) => text)]);
  const [first = ['', 'The given data was invalid.'], ...others] = problems;
  const count = others.length === 1 ? '1 more error' : `${others.length} more errors`;
  return new HttpError(422, {
    message: others.length === 0 ? first[1] : `${first[1]} (and ${count})`,
    errors: Object.fromEntries(errors),
  });
}

/** Makes the 503 of a request that cannot be answered now; the client may retry after `wait_s` seconds. */
export function unavailable(
  message = STATUS_CODES[503]!,
  wait_s: number = retryAfter_s.unavailable,
) {
  return new HttpError(503, { message }, { 'Retry-After': String(wait_s) });
}

/** Makes the 503 of a function that the operator has switched off. */
export function switchedOff(what: string): HttpError {
  return unavailable(`${what} currently switched off.`, retryAfter_s.switchedOff);
}

/** Makes the 503 of a search while the companies are loading. */
export function loading(): HttpError {
  return unavailable('The companies are being loaded for the search.', retryAfter_s.loading);
}

/** Makes the 429 of an exceeded bound, which `message` names; the client may retry after `wait_s` seconds. */
export function tooMany(message: string, wait_s: number, headers: Record<string, string> = {}) {
  return new HttpError(429, { message }, { ...headers, 'Retry-After': String(wait_s) });
}

/** Returns a middleware that passes other methods to `answerUnmatched`; `methods` is the value of `Allow`. */
export function onlyAllow(methods: string): RequestHandler {
  return (_request, response, next) => {
    response.locals.allow = methods;
    next('router');
  };
}

/** Answers requests without a route: 404, 405 where the path has other methods, or 204 to OPTIONS. */
export const answerUnmatched: RequestHandler = (request, response) => {
  const allow = response.locals.allow as string | undefined;
  if (allow === undefined) throw new HttpError(404, { message: 'Not Found' });
  if (request.method !== 'OPTIONS') {
    throw new HttpError(405, { message: 'Method Not Allowed' }, { Allow: allow });
  }
  response.set('Allow', allow).status(204).end();
};

/** Sends a fault of the service as a page. Returns false for a client that does not accept pages. */
export type ShowFault = (status: number) => boolean;

/** Sends an error as JSON, or a 5xx as a page if `response.locals.showFault` can send one. */
export function sendError(response: Response, { status, headers, body }: HttpError): void {
  response.set(headers);
  const show = response.locals.showFault as ShowFault | undefined;
  if (status < 500 || !show?.(status)) response.status(status).json(body);
}

function httpErrorOf(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown;
  if (isDatabaseAway(thrown)) return unavailable();
  // Express sets a status on faults of the client, such as a path that cannot be decoded.
  const { status = 500 } = (thrown ?? {}) as { status?: number };
  return status >= 400 && status < 500
    ? new HttpError(status, { message: STATUS_CODES[status] ?? 'Bad Request' })
    : new HttpError(500, { message: 'Server Error' });
}

/** Answers a thrown error. Only the log gets the cause of a 5xx, from `response.locals.err`. */
export const answerError: ErrorRequestHandler = (thrown: unknown, _request, response, next) => {
  if (response.writableEnded) return;
  const error = httpErrorOf(thrown);
  if (error !== thrown) response.locals.err = thrown;
  if (response.headersSent) next(thrown);
  else sendError(response, error);
};

/** Refuses a request without `Host` or with several (RFC 9112), and a query that cannot be decoded. */
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
