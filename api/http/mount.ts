import cors from 'cors';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Tables } from '../../sql/tables/tables.ts';
import { type Authentication, createAuthentication, UnknownToken } from '../auth/authenticate.ts';
import { generalLimit, limitByToken, limitRequests } from '../auth/rate-limit.ts';
import { readBody } from './body.ts';
import { CsvText } from './csv-text.ts';
import type { Asked, Auth, Call, Endpoint, RequestLimit } from './endpoint.ts';
import { HttpError, onlyAllow } from './errors.ts';
import { JsonText } from './json-text.ts';
import { isKnown, tagOf } from './tag.ts';
import { parse } from './validate.ts';

interface MountOptions {
  db: Kysely<Tables>;
  logger: Logger;
  now: () => Date;
  /** Origins whose pages may read answers that are not public. */
  corsOrigins?: string[];
}

/** Where everything is that has a version. */
export const basePath = '/api/v1';

/** Answers that a page of any origin may read, and that a cache may keep. */
function isPublic({ description: { auth, method } }: Endpoint): boolean {
  return auth === 'none' && method === 'get';
}

/**
 * Mounts endpoints. Each request passes limit, authentication, body and validation, in this order;
 * what the handler then returns is the body of the success.
 */
export function mountEndpoints(endpoints: Endpoint[], options: MountOptions): Router {
  const router = Router();
  const authentication = createAuthentication(options);
  const limitFor = createLimits(options, authentication);
  const admit = createAdmission(options, authentication);
  const byPath = Map.groupBy(endpoints, ({ description }) => description.path);
  // `/tokens/verify` is not the token `verify`: what has no parameter comes first.
  const paths = [...byPath].toSorted(
    ([one], [other]) => Number(one.includes('{')) - Number(other.includes('{')),
  );
  for (const [path, ofPath] of paths) {
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    const isOpen = ofPath.every(isPublic);
    route.all(begin(path, isOpen), ...(isOpen ? share('*') : share(options.corsOrigins)));
    for (const one of ofPath) {
      const { method, limit, auth } = one.description;
      route[method](
        limitFor(limit, auth),
        ...(auth === 'none' ? [] : [admit(auth)]),
        // What a body would mean to a GET is not defined: it is not read.
        ...(method === 'get' ? [] : [readBody]),
        validate(one),
        answer(one),
      );
    }
    route.all(onlyAllow(listMethods(ofPath)));
  }
  return router;
}

function listMethods(endpoints: Endpoint[]): string {
  const methods = endpoints.map(({ description }) => description.method.toUpperCase());
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)).join(', ');
}

const exposedHeaders = [
  'ETag',
  'Idempotency-Replayed',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Credits-Balance',
  'X-Credits-Charged',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
];

/** Tells browsers which origins may read the answers; a preflight request goes on like any other. */
function share(origin: '*' | string[] = []): RequestHandler[] {
  if (origin.length === 0) return [];
  return [cors({ origin, exposedHeaders, maxAge: 86_400, preflightContinue: true })];
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

/** Makes the limits of endpoints: those that share the name of a limit share its count. */
function createLimits(options: MountOptions, { refuseEnded }: Authentication) {
  const byName = new Map([[generalLimit.name, limitRequests(options, generalLimit)]]);
  const byToken = limitByToken(options, refuseEnded);
  return (limit: RequestLimit | undefined, auth: Auth): RequestHandler => {
    if (!limit && auth !== 'none') return byToken;
    const { name } = limit ?? generalLimit;
    const made = byName.get(name) ?? limitRequests(options, limit ?? generalLimit);
    byName.set(name, made);
    return made;
  };
}

function createAdmission(options: MountOptions, { authenticate }: Authentication) {
  const limitGuess = limitRequests(options, generalLimit);
  return (auth: Auth): RequestHandler =>
    async (request, response, next) => {
      const caller = await authenticate(request).catch((error: unknown) => {
        if (error instanceof UnknownToken) return error;
        throw error;
      });
      if (caller instanceof UnknownToken) {
        // Each guess has a count of its own: a client that guesses counts by its address too.
        await limitGuess(request, response, (fault?: unknown) => next(fault ?? caller));
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

function validate({ description }: Endpoint): RequestHandler {
  const nothing = z.strictObject({});
  const { params = nothing, query = nothing, body = nothing } = description;
  const schema = z.object({ params, query, body });
  return (request, response, next) => {
    response.locals.asked = parse(schema, {
      params: request.params,
      query: request.query,
      body: (request.body as unknown) ?? {},
    });
    next();
  };
}

function answer({ description, handle }: Endpoint): RequestHandler {
  const { status, cacheControl = 'no-cache' } = description;
  const isOpen = isPublic({ description, handle });
  return async (request: Request, response: Response) => {
    // The deadline has passed: the client must not pay for what it does not get.
    if (response.headersSent) return;
    const asked = response.locals.asked as Asked<unknown, unknown, unknown>;
    const caller = response.locals.caller as Call<'token', unknown, unknown, unknown>['caller'];
    const call = { ...asked, caller, request, response } as Call<Auth, unknown, unknown, unknown>;
    const answered = await handle(call);
    if (response.headersSent) return;
    const isWritten = answered instanceof JsonText || answered instanceof CsvText;
    const text = isWritten ? answered.text : JSON.stringify(answered);
    if (isOpen) {
      const tag = tagOf(text);
      response.set({ ETag: tag, 'Cache-Control': response.get('Cache-Control') ?? cacheControl });
      if (isKnown(request, tag)) throw new HttpError(304, { message: 'Not Modified' });
    }
    response
      .status(status)
      .type(answered instanceof CsvText ? 'csv' : 'json')
      .send(text);
  };
}
