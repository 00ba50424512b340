import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { isDatabaseAway } from '../../sql/fault.ts';

/** What is wrong with a field of a request. */
export type Problem = [field: string, message: string];

/** What an error says: `message`, or `error` where the specification calls it so. */
type ErrorBody = ({ message: string } | { error: string }) & Record<string, unknown>;

/** An answer that is not a success: its status, its JSON body as the specification shapes it, and its headers. */
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

/**
 * Makes the 422 of the specification: `errors` has the messages by field; `message` is the first of
 * them and ends with the count of the others.
 */
export function invalid(problems: Problem[]): HttpError {
  // A map, because a client may name its field `__proto__`.
  const errors = new Map<string, string[]>();
  for (const [field, message] of problems) {
    errors.set(field, [...(errors.get(field) ?? []), message]);
  }
  const [first = ['', 'The given data was invalid.'], ...others] = problems;
  const count = others.length === 1 ? '1 more error' : `${others.length} more errors`;
  return new HttpError(422, {
    message: others.length === 0 ? first[1] : `${first[1]} (and ${count})`,
    errors: Object.fromEntries(errors),
  });
}

/** Seconds after which a client may try again what the database could not answer. */
const retryAfter_s = '5';

/** Makes the 503 of a request that the database cannot answer now. */
export function unavailable(): HttpError {
  const message = STATUS_CODES[503]!;
  return new HttpError(503, { message }, { 'Retry-After': retryAfter_s });
}

/**
 * Marks a path whose other methods have not answered; `methods` is the value of `Allow`. The request
 * goes on to `answerUnmatched`.
 */
export function onlyAllow(methods: string): RequestHandler {
  return (_request, response, next) => {
    response.locals.allow = methods;
    next('router');
  };
}

/** Answers what no route has: 404, or for a path that has other methods 405, and 204 to OPTIONS. */
export const answerUnmatched: RequestHandler = (request, response) => {
  const allow = response.locals.allow as string | undefined;
  if (allow === undefined) throw new HttpError(404, { message: 'Not Found' });
  if (request.method !== 'OPTIONS') {
    throw new HttpError(405, { message: 'Method Not Allowed' }, { Allow: allow });
  }
  response.set('Allow', allow).status(204).end();
};

// The framework marks what the client did wrong, such as a path that cannot be decoded.
function clientStatusOf(error: unknown): number | undefined {
  const status = (error as { status?: unknown } | null | undefined)?.status;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

/**
 * Answers 503 when nothing else has answered after `deadline_ms`, so that a database that hangs
 * makes no client hang, and 408 when the client has not sent its body by then. What the handler says
 * later is dropped. The first deadline that a request gets is its only one.
 */
export function answerBy(deadline_ms: number): RequestHandler {
  return (request, response, next) => {
    if (response.locals.hasDeadline !== true) {
      response.locals.hasDeadline = true;
      const timer = setTimeout(() => answerLate(request, response, deadline_ms), deadline_ms);
      response.once('close', () => clearTimeout(timer));
    }
    next();
  };
}

function answerLate(request: Request, response: Response, deadline_ms: number): void {
  if (response.headersSent) return;
  response.err = new Error(`No answer after ${deadline_ms} ms`);
  // A body that is still on its way is the client's delay.
  const status = request.complete ? 503 : 408;
  if (status === 503) response.set('Retry-After', retryAfter_s);
  response.set('Connection', 'close').status(status).json({ message: STATUS_CODES[status] });
}

/** Turns whatever was thrown into JSON; the cause of a 5xx goes to the log and nowhere else. */
export const answerError: ErrorRequestHandler = (thrown: unknown, _request, response, next) => {
  if (response.writableEnded) return;
  const error = isDatabaseAway(thrown) ? unavailable() : thrown;
  const status = clientStatusOf(error);
  if (error !== thrown) response.err = thrown as Error;
  if (response.headersSent) {
    next(error);
  } else if (error instanceof HttpError) {
    if (error.status === 401) response.set('WWW-Authenticate', 'Bearer');
    response.status(error.status).set(error.headers).json(error.body);
  } else if (status !== undefined) {
    response.status(status).json({ message: STATUS_CODES[status] ?? 'Bad Request' });
  } else {
    response.err = error instanceof Error ? error : new Error(String(error));
    response.status(500).json({ message: 'Server Error' });
  }
};

export const requireHost: RequestHandler = (request, _response, next) => {
  if (request.httpVersion === '1.1' && request.headers.host === undefined) {
    throw new HttpError(400, { message: 'Bad Request' });
  }
  next();
};

const tokenInPath = /sk(?:_|%5f)(?:live|api)(?:_|%5f)[^/]*/gi;

/** The path as it may be logged: without its query, which can hold a one-time token, and without tokens. */
export function pathOf(request: IncomingMessage & { originalUrl?: string }): string {
  const path = (request.originalUrl ?? request.url ?? '').split('?', 1)[0] ?? '';
  return path.replaceAll(tokenInPath, '[redacted]');
}
