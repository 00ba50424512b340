import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Context } from '../http/context.ts';
import type { Problem } from '../http/errors.ts';
import type { Caller } from '../auth/authenticate.ts';
import type { RequestLimit } from '../figures/rate-limits.ts';

/** The token that a call needs: none, any token, or the Master Token. */
export type Auth = 'none' | 'token' | 'master';

/** An error of an endpoint that does not follow from the rest of the description. */
export interface DocumentedError {
  description: string;
  example: object;
}

/** The description of an endpoint: requests are checked against it, and the OpenAPI document is made from it. */
export interface EndpointDescription<
  A extends Auth,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path below `/api/v1`, with parameters as in OpenAPI: `/tokens/{token_ref}`. */
  path: string;
  tag: string;
  summary: string;
  /** A text that holds figures. `openapi/glossary.json` has all other texts, by the name of the operation. */
  description?: string;
  auth: A;
  /** Whether requests of one account run one after the other in a process, because each locks the account. */
  isInTurn?: true;
  /** The credits that an answer costs in the OpenAPI document, by default 0; the handler charges them. */
  credits?: number;
  /**
   * The limit of requests to the operation. With a token it is per account and in addition to the general limit;
   * without a token it is per address and replaces the general limit.
   */
  limit?: RequestLimit;
  /** The schema of the parameters of the path: a strict object, as in `query` and `body`. */
  params?: Params;
  query?: Query;
  /** The request headers in the OpenAPI document; the handler itself reads the headers. */
  headers?: z.ZodObject;
  body?: Body;
  /** Returns a function that checks query and body against the database, and returns the problems. */
  check?: (options: Context) => (given: object) => Promise<Problem[]>;
  /** The status of a successful answer; default 200. */
  status?: 201 | 202;
  answer: z.ZodType;
  /** The media type of a successful answer; default JSON. A handler itself sets another type than JSON. */
  mediaType?: 'text/csv';
  /** The `Cache-Control` of a successful GET without a token, which has an `ETag` too; default `no-cache`. */
  cacheControl?: string;
  /** The fields of the example answer that code makes. `openapi/examples.json` has the others, and all bodies. */
  example?: object;
  /** An example of the answer as CSV. */
  csvExample?: string;
  errors?: Record<number, DocumentedError>;
}

/** An authenticated and checked request, as a handler gets it. */
export interface Call<A extends Auth, Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  caller: A extends 'none' ? undefined : Caller;
  request: Request;
  response: Response;
  /** Returns whether the client still waits, and if so cancels the deadline; called right before a charge. */
  claim: () => boolean;
  options: Context;
}

/** An endpoint as the application mounts it and the OpenAPI document lists it. */
export interface Endpoint {
  description: EndpointDescription<Auth, z.ZodObject, z.ZodObject, z.ZodType>;
  handle: (call: Call<Auth, unknown, unknown, unknown>) => Promise<object | string>;
}

/** Joins the description of an endpoint with its handler, which returns the body of a successful answer. */
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
  // The cast is safe, since the schemas of the description parse the arguments of the handler.
  return { description, handle } as unknown as Endpoint;
}

/** Returns a body of `status`, `data` and `meta` as text, where `data` is already JSON text. */
export function writeSuccess(data: string, meta: object): string {
  return `{"status":"success","data":${data},"meta":${JSON.stringify(meta)}}`;
}
