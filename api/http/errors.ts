import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { isDatabaseAway } from '../../sql/connection/lost-connection.ts';
import { retryAfter_s } from '../figures/rate-limits.ts';
import { sizes } from '../figures/sizes.ts';
import codes from './codes.json' with { type: 'json' };

/** The code of an error, by which a client chooses its reaction. `codes.json` is the dictionary. */
export type AnswerCode = keyof typeof codes.answers;

/** The code of the fault of a field. */
export type FieldCode = keyof typeof codes.fields;

/** A fault of a field of a request, with its message and code. */
export type Problem = [field: string, message: string, code: FieldCode];

type ErrorBody = { message: string; code?: AnswerCode | undefined } & Record<string, unknown>;

/** Returns the body of an error with its code, by default the first code of the status. */
export function withCode({ code, ...body }: ErrorBody, status: number) {
  const all = Object.entries(codes.answers) as [AnswerCode, { status: number }][];
  const found = all.find(([, one]) => one.status === status)?.[0];
  return { ...body, code: code ?? found ?? (status < 500 ? 'BAD_REQUEST' : 'SERVER_ERROR') };
}

/** Returns the options of a zod rule: its code, and what is wrong with the field, which `validate.ts` names. */
export function coded(code: FieldCode, wrong: string) {
  return { params: { code, wrong } };
}

/** An error answer, with the JSON body of the specification and a code. */
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

/** Makes the 422 of the specification. The `message` is the first problem, with the count of the others. */
export function invalid(problems: Problem[]): HttpError {
  // A map groups the problems, because a client may name a field `__proto__`.
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

/** Makes the 503 of a request that cannot be answered now; the client may retry after `wait_s` seconds. */
export function unavailable(
  message = STATUS_CODES[503]!,
  wait_s: number = retryAfter_s.unavailable,
  code: AnswerCode = 'UNAVAILABLE',
) {
  return new HttpError(503, { message, code }, { 'Retry-After': String(wait_s) });
}

/** Makes the 503 error of a feature that the operator has switched off. */
export function switchedOff(what: string): HttpError {
  const message = `${what} currently switched off.`;
  return unavailable(message, retryAfter_s.switchedOff, 'SWITCHED_OFF');
}

/** Makes the 503 of a search while the companies are loading. */
export function loading(): HttpError {
  const message = 'The companies are being loaded for the search.';
  return unavailable(message, retryAfter_s.loading, 'LOADING');
}

/**
 * Makes the 429 of an exceeded bound, which `message` names; limiter.ts has most messages. A retry may follow `wait_s`
 * later.
 */
export function tooMany(
  message: string,
  wait_s: number,
  headers: Record<string, string> = {},
  code: AnswerCode = 'TOO_MANY_REQUESTS',
) {
  return new HttpError(429, { message, code }, { ...headers, 'Retry-After': String(wait_s) });
}

/** Returns a middleware that passes methods outside `methods`, the value of `Allow`, to `answerUnmatched`. */
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
