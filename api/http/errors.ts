import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { ErrorRequestHandler, RequestHandler } from 'express';

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

/** Answers every method that the route does not have; `methods` is the value of `Allow`. */
export function onlyAllow(methods: string): RequestHandler {
  return (request, response) => {
    if (request.method !== 'OPTIONS') {
      throw new HttpError(405, { message: 'Method Not Allowed' }, { Allow: methods });
    }
    response.set('Allow', methods).status(204).end();
  };
}

export const answerUnknownRoute: RequestHandler = () => {
  throw new HttpError(404, { message: 'Not Found' });
};

// The framework marks what the client did wrong, such as a path that cannot be decoded.
function clientStatusOf(error: unknown): number | undefined {
  const status = (error as { status?: unknown } | null | undefined)?.status;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

/**
 * Answers 503 when nothing else has answered after `deadline_ms`, so that a database that hangs
 * makes no client hang, and 408 when the client has not sent its body by then. What the handler says
 * later is dropped.
 */
export function answerBy(deadline_ms: number): RequestHandler {
  return (request, response, next) => {
    const timer = setTimeout(() => {
      if (response.headersSent) return;
      response.err = new Error(`No answer after ${deadline_ms} ms`);
      // A body that is still on its way is the client's delay.
      const status = request.complete ? 503 : 408;
      response.set('Connection', 'close').status(status).json({ message: STATUS_CODES[status] });
    }, deadline_ms);
    response.once('close', () => clearTimeout(timer));
    next();
  };
}

/** Turns whatever was thrown into JSON; the cause of a 500 goes to the log and nowhere else. */
export const answerError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  const status = clientStatusOf(error);
  if (response.writableEnded) return;
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

/** The path without its query: what may be logged, since a query can hold a one-time token. */
export function pathOf(request: IncomingMessage & { originalUrl?: string }): string {
  return (request.originalUrl ?? request.url ?? '').split('?', 1)[0] ?? '';
}
