import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Context } from '../http/context.ts';
import type { Problem } from '../http/errors.ts';
import type { Caller } from '../auth/authenticate.ts';
import type { RequestLimit } from '../figures/rate-limits.ts';

/** The token that an endpoint requires: no token, an API token or Master Token, or only the Master Token. */
export type Auth = 'none' | 'token' | 'master';

/** An error answer of one endpoint, which the OpenAPI document cannot derive from the endpoint's other properties. */
export interface DocumentedError {
  description: string;
  example: object;
}

/** The description of an endpoint, by which requests are checked and from which the OpenAPI document is made. */
export interface EndpointDescription<
  A extends Auth,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path after `/api/v1`, with parameters in OpenAPI form (`/tokens/{token_ref}`). */
  path: string;
  tag: string;
  summary: string;
  /** The description of an endpoint if it contains figures from the code; else `openapi/glossary.json` has it. */
  description?: string;
  auth: A;
  /** Whether an account's parallel requests are processed one after another, because each request locks the account. */
  isInTurn?: true;
  /** The credits that the OpenAPI document states for an answer (default 0); the handler itself charges them. */
  credits?: number;
  /**
   * The rate limit of the endpoint: for requests with a token per account, in addition to the general limit; for
   * requests without a token per client address, instead of the general limit.
   */
  limit?: RequestLimit;
  /** The schema of the parameters in the path; `params`, `query` and `body` accept no unknown field. */
  params?: Params;
  query?: Query;
  /** The request headers that the OpenAPI document lists; the handler itself reads the headers. */
  headers?: z.ZodObject;
  body?: Body;
  /** Returns a check of query and body beyond the schemas (such as in the database); the check returns problems. */
  check?: (options: Context) => (given: object) => Promise<Problem[]>;
  /** The HTTP status of a successful answer (default 200). */
  status?: 201 | 202;
  answer: z.ZodType;
  /** The media type of a successful answer (default JSON) in the OpenAPI document; the handler itself sets it. */
  mediaType?: 'text/csv';
  /** The header `Cache-Control` of the answers of a public GET endpoint (default `no-cache`). */
  cacheControl?: string;
  /** Fields of the example answer whose values come from code; `openapi/examples.json` has the other fields. */
  example?: object;
  /** The example of an answer in CSV form. */
  csvExample?: string;
  errors?: Record<number, DocumentedError>;
}

/** The authenticated and validated request that a handler receives. */
export interface Call<A extends Auth, Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  caller: A extends 'none' ? undefined : Caller;
  request: Request;
  response: Response;
  /** Cancels the deadline of the answer, and returns true, if the client still waits; called before each charge. */
  claim: () => boolean;
  options: Context;
}

/** The description of an endpoint, and the function that handles its requests. */
export interface Endpoint {
  description: EndpointDescription<Auth, z.ZodObject, z.ZodObject, z.ZodType>;
  handle: (call: Call<Auth, unknown, unknown, unknown>) => Promise<object | string>;
}

/** Returns an endpoint from its description and its handler; the handler returns the body of a successful answer. */
export function endpoint<
  A extends Auth,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  description: EndpointDescription<A, Params, Query, Body>,
  handle: (
    call: Call<A, z.output<Params>, z.output<Query>, z.output<Body>>,
  ) => Promise<object | string> | object,
): Endpoint {
  // The type cast is safe, since the schemas in the description have parsed what the handler receives.
  return { description, handle } as unknown as Endpoint;
}

/** Returns the JSON text of a body with `status`, `data` and `meta`; the argument `data` is JSON text already. */
export function writeSuccess(data: string, meta: object): string {
  return `{"status":"success","data":${data},"meta":${JSON.stringify(meta)}}`;
}
