import {
  Router,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Tables } from '../../sql/tables/tables.ts';
import type { Authentication, Caller } from '../auth/authenticate.ts';
import { readBody } from './body.ts';
import type { Asked, Auth, Call, Endpoint } from './endpoint.ts';
import { HttpError, onlyAllow } from './errors.ts';
import { createLimits, generalLimit, limitRequests } from '../auth/rate-limit.ts';
import { JsonText } from './json-text.ts';
import { parse } from './validate.ts';
import { readBearer } from '../auth/token-secret.ts';

interface MountOptions {
  db: Kysely<Tables>;
  logger: Logger;
  now: () => Date;
}

/** Where everything is that has a version. */
export const basePath = '/api/v1';

/**
 * Mounts endpoints: each request is counted against its limit, shows its token, has its body read and
 * is checked by the description; what the handler returns is the body of the success. A method that
 * a path does not have gets a 405.
 */
export function mountEndpoints(
  endpoints: Endpoint[],
  options: MountOptions,
  { authenticate, countRequest, isExpected }: Authentication,
): Router {
  const router = Router();
  const direct = new Map<string, RequestHandler[]>();
  router.use((request, response, next) => {
    const handlers = direct.get(`${request.method} ${request.path}`);
    if (handlers) runAll(handlers, request, response, next);
    else next();
  });
  const limitBy = createLimits(options, countRequest);
  const admit = createAdmission(authenticate, limitRequests(options, generalLimit));
  const byPath = Map.groupBy(endpoints, ({ description }) => description.path);
  // `/tokens/verify` is not the token `verify`: what has no parameter comes first.
  const paths = [...byPath].toSorted(
    ([one], [other]) => Number(one.includes('{')) - Number(other.includes('{')),
  );
  for (const [path, ofPath] of paths) {
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const one of ofPath) {
      const { method, limit, auth } = one.description;
      const isOpen = auth === 'none' && method === 'get';
      const reader = createReader(one);
      const handlers = [
        begin(path, isOpen),
        ...(one.read ? [readAhead(reader, isExpected)] : []),
        limitBy(limit, auth),
        ...(auth === 'none' ? [] : [admit(auth)]),
        // What a body would mean to a GET is not defined: nobody reads it.
        ...(method === 'get' ? [] : [readBody]),
        answer(one, reader),
      ];
      route[method](...handlers);
      if (!path.includes('{')) direct.set(`${method.toUpperCase()} ${path}`, handlers);
    }
    route.all(begin(path, true), onlyAllow(listMethods(ofPath)));
  }
  return router;
}

// A path without parameters is found at once, not behind all the paths before it.
function runAll(
  handlers: RequestHandler[],
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  const runFrom = (at: number, error?: unknown): void => {
    const handler = handlers[at];
    if (error !== undefined || !handler) {
      next(error);
      return;
    }
    let isOver = false;
    const goOn = (fault?: unknown) => {
      if (isOver) return;
      isOver = true;
      runFrom(at + 1, fault);
    };
    try {
      Promise.resolve(handler(request, response, goOn)).catch(goOn);
    } catch (fault) {
      goOn(fault);
    }
  };
  runFrom(0);
}

function listMethods(endpoints: Endpoint[]): string {
  const methods = endpoints.map(({ description }) => description.method.toUpperCase());
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)).join(', ');
}

// The metrics count requests by the path of the description. What was asked for with a token, or
// holds one, is in no cache.
function begin(path: string, isOpen: boolean): RequestHandler {
  return (_request, response, next) => {
    response.locals.path = basePath + path;
    if (!isOpen) response.setHeader('Cache-Control', 'no-store');
    next();
  };
}

// Whoever guesses tokens has no count of their own with each guess: it counts for their address too.
function createAdmission(authenticate: Authentication['authenticate'], limitGuess: RequestHandler) {
  return (auth: Auth): RequestHandler =>
    async (request, response, next) => {
      let caller: Caller;
      try {
        caller = await authenticate(request);
      } catch (error) {
        const isGuess = error instanceof HttpError && typeof readBearer(request) !== 'string';
        if (!isGuess) throw error;
        await limitGuess(request, response, (fault?: unknown) => next(fault ?? error));
        return;
      }
      if (auth === 'master' && caller.kind !== 'master') {
        const message = 'This operation needs the Master Token.';
        throw new HttpError(403, { message, code: 'FORBIDDEN' });
      }
      response.locals.caller = caller;
      next();
    };
}

/** Checks what a request asks, and reads what the endpoint reads whoever asks. */
type Reader = (
  request: Request,
) => Promise<{ asked: Asked<unknown, unknown, unknown>; known: unknown }>;

function createReader({ description, read }: Endpoint): Reader {
  const nothing = z.strictObject({});
  const { params = nothing, query = nothing, body = nothing } = description;
  const schema = z.object({ params, query, body });
  return async (request) => {
    const asked = parse(schema, {
      params: request.params,
      query: request.query,
      body: (request.body as unknown) ?? {},
    });
    return { asked, known: await read?.(asked) };
  };
}

// Whoever is let in, as is likely, then waits for the longer of both alone; who is not is told nothing
// of it. To let in takes longer, and is asked for first.
function readAhead(reader: Reader, isExpected: Authentication['isExpected']): RequestHandler {
  return (request, response, next) => {
    next();
    if (!isExpected(request)) return;
    const reading = new Promise((proceed) => setImmediate(proceed)).then(() => reader(request));
    reading.catch(() => undefined);
    response.locals.reading = reading;
  };
}

function answer({ description: { status }, handle }: Endpoint, reader: Reader): RequestHandler {
  return async (request: Request, response: Response) => {
    const reading = (response.locals.reading as ReturnType<Reader> | undefined) ?? reader(request);
    const { asked, known } = await reading;
    const caller = response.locals.caller as Caller | undefined;
    const call = { ...asked, caller, request, response } as Call<Auth, unknown, unknown, unknown>;
    const answered = await handle(call, known);
    const text = answered instanceof JsonText ? answered.text : JSON.stringify(answered);
    // The framework's own way looks for a charset, a callback and a freshness that are not there.
    response.statusCode = status;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.end(text);
  };
}
