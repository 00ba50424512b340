import compression from 'compression';
import cors from 'cors';
import type { Router, Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { Context } from '../http/context.ts';
import {
  type Caller,
  createAuthentication,
  type KnownToken,
  refuseEnded,
  requireMaster,
} from '../auth/authenticate.ts';
import { limits, workLimits } from '../figures/rate-limits.ts';
import { sizes } from '../figures/sizes.ts';
import { readBody } from './json-body.ts';
import type { Auth, Call, Endpoint } from './endpoint.ts';
import { claimAnswer, isGivenUp } from '../http/deadline.ts';
import { onlyAllow } from '../http/errors.ts';
import { createRouter } from '../http/router.ts';
import { exposedHeaders } from '../http/headers.ts';
import { addressKeyOf } from '../http/limiter.ts';
import { setTag } from '../http/etag.ts';
import { parse } from './validate.ts';

/** The beginning of the path of every endpoint. */
export const basePath = '/api/v1';

/** Returns whether an endpoint's answers are public: any website may read these answers, and caches may store them. */
export function isPublic({ auth, method }: Endpoint['description']): boolean {
  return auth === 'none' && method === 'get';
}

/** Returns the router of all endpoints. Each request passes rate limit, authentication, validation and handler. */
export function mountEndpoints(
  endpoints: Endpoint[],
  options: Context & { CORS_ORIGINS: string[] },
): Router {
  const router = createRouter();
  const { find, admit } = createAuthentication(options);
  const { limiter } = options;
  const identify: RequestHandler = async (request, response, next) => {
    response.locals.token = await find(request);
    next();
  };
  // A request with an unknown token is counted by its client's address: a count per guessed token would add a row each.
  // A request with a revoked or expired token gets a 401, even beyond the rate limit.
  const limitToken = limiter.limitRequests(
    limits.general,
    (request) => tokenOf(request)?.hash,
    (request) => refuseEnded(tokenOf(request)),
  );
  const enter = (auth: Auth): RequestHandler => {
    return (request, response, next) => {
      const caller = admit(request, tokenOf(request));
      if (auth === 'master') requireMaster(caller);
      response.locals.caller = caller;
      next();
    };
  };
  const byPath = Map.groupBy(endpoints, ({ description }) => description.path);
  // Paths without a parameter are mounted first, since `/tokens/{token_ref}` would match `/tokens/verify` too.
  const paths = [...byPath].toSorted(
    ([one], [other]) => Number(one.includes('{')) - Number(other.includes('{')),
  );
  for (const [path, ofPath] of paths) {
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    const isOpen = ofPath.every(({ description }) => isPublic(description));
    route.all(begin(path, isOpen), ...(isOpen ? share('*') : share(options.CORS_ORIGINS)));
    for (const one of ofPath) {
      const { method, auth, limit } = one.description;
      const limitCaller = limit ? [limiter.limitRequests(limit, accountOf)] : [];
      route[method](
        ...(auth === 'none'
          ? [limiter.limitRequests(limit ?? limits.general)]
          : [identify, limitToken, enter(auth), ...limitCaller]),
        // The body of a GET request is ignored, since HTTP defines no meaning for it.
        ...(method === 'get' ? [] : readBody),
        answer(one, options),
      );
    }
    const methods = ofPath.map(({ description }) => description.method.toUpperCase());
    route.all(onlyAllow(methods.join(', ').replace('GET', 'GET, HEAD')));
  }
  return router;
}

/** Returns the CORS middleware, which permits pages of the given origins to read answers. */
function share(origin: '*' | string[] = []): RequestHandler[] {
  if (origin.length === 0) return [];
  return [cors({ origin, exposedHeaders, maxAge: 86_400, preflightContinue: true })];
}

// Stores the endpoint's path for the metrics, and forbids caches to store answers that are not public.
function begin(path: string, isOpen: boolean): RequestHandler {
  return (_request, response, next) => {
    response.locals.path = basePath + path;
    if (!isOpen) response.setHeader('Cache-Control', 'no-store');
    next();
  };
}

const tokenOf = ({ res }: Request) => res!.locals.token as KnownToken | undefined;

const accountOf = ({ res }: Request): string => (res!.locals.caller as Caller).account_id;

const nothing = z.strictObject({});

const compress = compression();

function answer(one: Endpoint, options: Context): RequestHandler {
  const { params = nothing, query = nothing, body = nothing, ...description } = one.description;
  const { status = 200, cacheControl = 'no-cache', isInTurn } = description;
  const check = description.check?.(options);
  const { limiter } = options;
  const { requests, changes } = workLimits(options);
  const schema = z.object({ params, query, body });
  const isOpen = isPublic(one.description);
  return async (request: Request, response: Response) => {
    const { body: given = {} } = request as { body?: unknown };
    const parts = { params: request.params, query: request.query, body: given };
    const fields = { ...parts.query, ...(given as object) };
    const asked = await parse(schema, parts, check && (() => check(fields)));
    // After the deadline the handler is skipped, since a client must not pay for an answer that it does not receive.
    if (response.headersSent) return;
    const { caller } = response.locals;
    const claim = () => claimAnswer(response);
    const context = { caller, request, response, claim, options };
    const call = { ...asked, ...context } as Call<Auth, unknown, unknown, unknown>;
    const client = caller ? `account ${caller.account_id}` : addressKeyOf(request);
    // The client may disconnect while its request is queued; then the handler is skipped.
    const handle = async () => (isGivenUp(response) ? undefined : one.handle(call));
    // An account's changes run one after another, since a change that waits for the account's lock occupies a session.
    const answered = await limiter.inTurn(requests, client, () =>
      isInTurn ? limiter.inTurn(changes, client, handle) : handle(),
    );
    if (answered === undefined || response.headersSent) return;
    const text = typeof answered === 'string' ? answered : JSON.stringify(answered);
    if (isOpen) {
      response.set('Cache-Control', response.get('Cache-Control') ?? cacheControl);
      setTag(response, text);
    }
    response.status(status).type(response.get('Content-Type') ?? 'json');
    // Only large answers pass through `compression`: V8 keeps an answer with closures of `compression` in memory until
    // a full garbage collection.
    if (text.length < sizes.compressed) response.send(text);
    else compress(request, response, () => response.send(text));
  };
}
