import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Caller } from '../auth/authenticate.ts';

/** Who may call: anybody, the owner of any token, or of the Master Token. */
export type Auth = 'none' | 'token' | 'master';

/** Requests that one client may make in a window; endpoints that share a `name` share the count. */
export interface RequestLimit {
  name: string;
  request_count: number;
  window_ms: number;
}

/** An error that an endpoint may answer beyond those that follow from its description. */
export interface DocumentedError {
  description: string;
  example: object;
}

/** What is said of an endpoint once: by it requests are checked and the OpenAPI document is made. */
export interface EndpointDescription<
  A extends Auth,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/api/v1`, with parameters as in OpenAPI: `/tokens/{token_ref}`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  auth: A;
  /** Instead of the general limit. */
  limit?: RequestLimit;
  /** Strict objects: an unknown field is refused. */
  params?: Params;
  query?: Query;
  /** Request headers that mean something here, for the document; the handler reads them itself. */
  headers?: z.ZodObject;
  body?: Body;
  /** Of `body`, for the document. */
  bodyExample?: object;
  /** Of the success. */
  status: 200 | 201 | 202;
  answer: z.ZodType;
  /** Of the success; default JSON. */
  mediaType?: 'text/csv';
  /**
   * `Cache-Control` of the success of a GET without a token, unless the handler sets another; such an
   * answer has an `ETag`. Default: `no-cache`.
   */
  cacheControl?: string;
  example: object | string;
  /** Of the success as CSV, where a client may ask for that by `Accept`. */
  csvExample?: string;
  errors?: Record<number, DocumentedError>;
}

/** A request that was let in and checked. */
export interface Call<A extends Auth, Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  caller: A extends 'none' ? undefined : Caller;
  request: Request;
  response: Response;
}

/** What a request asks, checked. */
export type Asked<Params, Query, Body> = Pick<
  Call<Auth, Params, Query, Body>,
  'params' | 'query' | 'body'
>;

/** An endpoint as the application mounts it and the OpenAPI document lists it. */
export interface Endpoint {
  description: EndpointDescription<Auth, z.ZodObject, z.ZodObject, z.ZodType>;
  handle: (call: Call<Auth, unknown, unknown, unknown>) => Promise<object>;
}

/**
 * Joins a description with what answers: `handle` returns the JSON body of the success, and throws
 * an `HttpError` for anything else.
 */
export function endpoint<
  A extends Auth,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  description: EndpointDescription<A, Params, Query, Body>,
  handle: (
    call: Call<A, z.output<Params>, z.output<Query>, z.output<Body>>,
  ) => Promise<object> | object,
): Endpoint {
  // What a handler is given was parsed by its own description.
  return { description, handle } as unknown as Endpoint;
}
