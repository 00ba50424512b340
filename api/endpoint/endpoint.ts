import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Context } from '../http/context.ts';
import type { Problem } from '../http/errors.ts';
import type { Caller } from '../auth/authenticate.ts';
import type { RequestLimit } from '../figures/rate-limits.ts';

/** The token that an endpoint requires: none, any token, or the Master Token. */
export type Auth = 'none' | 'token' | 'master';

/** An error answer of an endpoint that the rest of the endpoint's description does not imply. */
export interface DocumentedError {
  description: string;
  example: object;
}

/** Describes an endpoint. The API checks requests against the description, and makes the OpenAPI document from it. */
export interface EndpointDescription<
  A extends Auth,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path below `/api/v1`, with parameters in OpenAPI form (`/tokens/{token_ref}`). */
  path: string;
  tag: string;
  summary: string;
  /** The endpoint's description if it contains figures; `openapi/glossary.json` has all other descriptions. */
  description?: string;
  auth: A;
  /** Whether parallel requests of one account are processed one after another, because each locks the account. */
  isInTurn?: true;
  /** The credits for an answer in the OpenAPI document, by default 0; the handler itself charges the credits. */
  credits?: number;
  /**
   * The limit of requests to the endpoint. With a token the limit is per account, in addition to the general limit.
   * Without a token the limit is per address, and replaces the general limit.
   */
  limit?: RequestLimit;
  /** The schema of the parameters in the path; like `query` and `body`, a strict object. */
  params?: Params;
  query?: Query;
  /** The request headers for the OpenAPI document; the handler itself reads the headers. */
  headers?: z.ZodObject;
  body?: Body;
  /** Returns a function that checks the query and body against the database, and returns problems of fields. */
  check?: (options: Context) => (given: object) => Promise<Problem[]>;
  /** The HTTP status of a successful answer; default 200. */
  status?: 201 | 202;
  answer: z.ZodType;
  /** The media type of a successful answer, default JSON; a handler itself sets any other media type. */
  mediaType?: 'text/csv';
  /** The `Cache-Control` of answers to a public GET, which also get an `ETag`; default `no-cache`. */
  cacheControl?: string;
  /** The fields of the example answer that code computes; `openapi/examples.json` has the other fields. */
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
  /** Returns whether the client still waits, and if so cancels the deadline; called right before each charge. */
  claim: () => boolean;
  options: Context;
}

/**
 * Joins a description with its handler: the application mounts both, and the OpenAPI document lists the description.
 */
export interface Endpoint {
  description: EndpointDescription<Auth, z.ZodObject, z.ZodObject, z.ZodType>;
  handle: (call: Call<Auth, unknown, unknown, unknown>) => Promise<object | string>;
}

/** Makes an endpoint from a description and its handler, which returns the body of a successful answer. */
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
  // The type cast is safe, since the schemas of the description parse the arguments of the handler.
  return { description, handle } as unknown as Endpoint;
}

/** Returns a JSON body of `status`, `data` and `meta`; `data` is already JSON text. */
export function writeSuccess(data: string, meta: object): string {
  return `{"status":"success","data":${data},"meta":${JSON.stringify(meta)}}`;
}
