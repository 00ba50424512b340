import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import { z } from 'zod';

interface ErrorBody {
  message: string;
  [key: string]: unknown;
}

/** An answer that is not a success: its status, its JSON body as the specification shapes it, and its headers. */
export class HttpError extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Record<string, string>;

  constructor(status: number, body: ErrorBody, headers: Record<string, string> = {}) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/**
 * Makes the 422 of the specification: `errors` has the messages by field; `message` is the first of
 * them and ends with the count of the others.
 */
export function invalid(problems: [field: string, message: string][]): HttpError {
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

type Issue = z.core.$ZodIssue;

// A field is named as the client wrote it: without the part of the request that it stands in, and
// with the position of a list item, such as `identifier_value.3`.
function problemsOf(issue: Issue): [field: string, message: string][] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => [key, `The ${key} field is unknown.`]);
  }
  return [[issue.path.slice(1).join('.'), issue.message]];
}

function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  const field = (issue.path ?? []).slice(1).join('.');
  if (issue.input === undefined) return `The ${field} field is required.`;
  if (issue.expected === 'string' && Array.isArray(issue.input)) {
    return `The ${field} field must be given only once.`;
  }
  return undefined;
}

/**
 * Checks a request against a schema of its parts: `z.object({ params, query })`. A part that is a
 * `z.strictObject` refuses fields that it does not know, since a filter that is silently ignored lies.
 *
 * Throws the 422 that names every wrong field.
 */
export function parse<Output>(schema: z.ZodType<Output>, request: Request): Output {
  const result = schema.safeParse(request, { error: messageOf });
  if (!result.success) throw invalid(result.error.issues.flatMap(problemsOf));
  return result.data;
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
 * makes no client hang. What the handler says later is dropped.
 */
export function answerBy(deadline_ms: number): RequestHandler {
  return (_request, response, next) => {
    const timer = setTimeout(() => {
      if (response.headersSent) return;
      response.err = new Error(`No answer after ${deadline_ms} ms`);
      response.set('Connection', 'close').status(503).json({ message: 'Service Unavailable' });
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
    response.status(error.status).set(error.headers).json(error.body);
  } else if (status !== undefined) {
    response.status(status).json({ message: STATUS_CODES[status] ?? 'Bad Request' });
  } else {
    response.err = error instanceof Error ? error : new Error(String(error));
    response.status(500).json({ message: 'Server Error' });
  }
};

const brokenRequestStatus: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = brokenRequestStatus[error.code ?? ''] ?? 400;
  const reason = STATUS_CODES[status] ?? '';
  const body = JSON.stringify({ message: reason });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * The server of an application, for which Node's own answers are JSON too: those to what is not HTTP,
 * or too much of it, and so never reaches the routes. What a client may ask of us but Node refuses
 * with an empty body goes to the application: no `Host` (see `requireHost`), and any `Expect`.
 */
export function createHttpServer(application: RequestListener): Server {
  return createServer({ requireHostHeader: false }, application)
    .on('checkExpectation', application)
    .on('clientError', answerBrokenRequest);
}

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
